/** Completes the installed PostgreSQL binaries. On a platform that has none an external database is needed; says so. */
import { findPostgresBinaries } from '../src/platform/postgres-binaries.ts';
import { StartError } from '../src/platform/start-error.ts';

try {
  await findPostgresBinaries();
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(`setup: ${error.message}`);
}
