import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A file that is being received. It is nobody's object until `moveTo`; `discard` leaves nothing behind. */
export interface DraftFile {
  /** Waits until all bytes are on the disk, and takes the name `target`, replacing what was there. */
  moveTo(target: string): Promise<void>;
  discard(): Promise<void>;
}

export async function receiveDraft(
  incomingDir: string,
  source: AsyncIterable<Buffer> | Buffer,
): Promise<DraftFile> {
  const path = join(incomingDir, randomUUID());
  const discard = () => rm(path, { force: true });
  try {
    await writeFile(path, source, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    await discard();
    throw error;
  }
  const moveTo = async (target: string) => {
    await syncData(path);
    await renameDurably(path, target);
  };
  return { moveTo, discard };
}

async function syncData(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

export async function renameDurably(path: string, target: string): Promise<void> {
  await rename(path, target);
  await syncDirectory(dirname(target));
}

/** A rename survives a power cut only once its directory is on the disk. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Like mkdir -p; every directory that was missing is on the disk afterwards. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}
