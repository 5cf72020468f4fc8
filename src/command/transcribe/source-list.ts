/** Sources that stand in a file, one to a line. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from '../usage-error.ts';

const linesMax = 100_000;

/** Empty lines and those that begin with # are passed over; `-` reads standard input. */
export async function sourceList(path: string): Promise<string[]> {
  const content =
    path === '-' ? await text(process.stdin) : await readFile(path, 'utf8').catch(() => undefined);
  if (content === undefined) throw new UsageError(`The file "${path}" of --from-file cannot be read.`);
  const lines = content
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0) throw new UsageError(`There is nothing in the file "${path}" of --from-file.`);
  if (lines.length > linesMax) throw new UsageError(`--from-file takes at most ${linesMax} lines.`);
  return lines;
}
