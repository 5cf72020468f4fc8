import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const secretBytes = 32;

/**
 * A secret of 32 bytes that Longhand makes for itself at first start: a file in the data directory, readable by the
 * owner only, the same for every process that uses this directory.
 */
export async function generatedSecret(dataDir: string, name: string): Promise<Buffer> {
  const directory = join(dataDir, 'secrets');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, name);
  return (await secretAt(path)) ?? (await createSecret(path));
}

async function createSecret(path: string): Promise<Buffer> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(randomBytes(secretBytes));
    await file.sync();
  } finally {
    await file.close();
  }
  // link() fails when another process was first: then its secret counts, and nobody ever sees half of one.
  await link(draft, path).catch(ignoreExisting);
  await rm(draft);
  const secret = await secretAt(path);
  if (!secret) throw new Error(`${path} could not be created`);
  return secret;
}

async function secretAt(path: string): Promise<Buffer | undefined> {
  const secret = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (secret && secret.length !== secretBytes) throw new Error(`${path} does not hold ${secretBytes} bytes`);
  return secret;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
