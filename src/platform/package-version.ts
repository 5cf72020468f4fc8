import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const manifestFile = join(import.meta.dirname, '..', '..', 'package.json');

export function packageVersion(): string {
  return JSON.parse(readFileSync(manifestFile, 'utf8')).version;
}
