import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const keyBytes = 32;

/**
 * The key that signs local upload URLs: made at first start, readable by the owner only, shared by every process on
 * this data directory.
 */
export async function localSigningKey(dataDir: string): Promise<Buffer> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'upload-signing-key');
  return (await keyAt(path)) ?? (await createKey(path));
}

async function createKey(path: string): Promise<Buffer> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(randomBytes(keyBytes));
    await file.sync();
  } finally {
    await file.close();
  }
  // link() fails when another process was first: then its key counts, and nobody ever sees half a key.
  await link(draft, path).catch(ignoreExisting);
  await rm(draft);
  const key = await keyAt(path);
  if (!key) throw new Error('the upload signing key could not be created');
  return key;
}

async function keyAt(path: string): Promise<Buffer | undefined> {
  const key = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (key && key.length !== keyBytes) throw new Error(`${path} does not hold a key of ${keyBytes} bytes`);
  return key;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
