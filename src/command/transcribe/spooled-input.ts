/** Standard input as a file: a server has to be told the size of a recording before it is sent. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CommandFailure } from '../command-failure.ts';

export interface SpooledInput {
  path: string;
  remove(): Promise<void>;
}

export async function spooledInput(signal: AbortSignal): Promise<SpooledInput> {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  const path = join(directory, 'standard-input');
  try {
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }), { signal });
    if ((await stat(path)).size === 0) throw new CommandFailure('Nothing came from standard input.');
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
