import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';

/**
 * The key of a service on its own embedded database: made once, readable by the owner only. Of two processes that
 * come at the same time one makes the file and the other reads it.
 */
export async function readOrMakeSecretKey(path: string): Promise<string> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      const key = randomBytes(32).toString('base64');
      await file.writeFile(`${key}\n`);
      await file.sync();
      return key;
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return (await readFile(path, 'utf8')).trim();
  }
}
