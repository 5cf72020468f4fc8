/** Completes the installed PostgreSQL binaries. On a platform that has none an external database is needed; says so. */

import { StartError } from '../src/platform/start-error.ts';
import { findPostgresBinaries } from '../src/postgres/binaries.ts';

try {
  await findPostgresBinaries();
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(`setup: ${error.message}`);
}
