import { access, constants, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartError } from '../platform/start-error.ts';

/** Makes the data directory, private to its owner, unless it is there. */
export async function makeDataDirectory({ dataDir }: { dataDir: string }): Promise<void> {
  try {
    await makeDirectory(dataDir);
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new StartError(
      `The data directory ${dataDir} cannot be written to by this user (${code}): change its owner, or set LONGHAND_DATA_DIR to another.`,
      { cause },
    );
  }
}

/** mkdir with `recursive` never ends where a parent is there and takes no directory, as in /proc. */
async function makeDirectory(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 });
  try {
    await make();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT') throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await make();
  }
}
