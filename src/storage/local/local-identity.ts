/** Which directory holds the objects of the local storage: several machines on one database must agree on it. */
import { randomUUID } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queryable } from '../../platform/database/database.ts';
import { makeDirectory } from './durable-file.ts';
import { localIdentityStore } from './local-identity-store.ts';

export const identityFileName = 'storage-id';

export interface LocalIdentityOptions {
  db: Queryable;
  /** Of the local storage. */
  directory: string;
  /** New uploads go there. */
  isCurrent: boolean;
}

/** Whether this directory is the one of the database; the first one that is used becomes it. */
export async function isLocalStorageHere(options: LocalIdentityOptions): Promise<boolean> {
  const { db, directory, isCurrent } = options;
  const known = await localIdentityStore.find(db);
  // A machine that has always used S3 must not take the place of one whose uploads are still read.
  if (known === undefined && !isCurrent && !(await exists(join(directory, 'objects')))) return false;
  const id = await idOf(directory);
  return id === (known ?? (await localIdentityStore.bind(db, id)));
}

async function idOf(directory: string): Promise<string> {
  const path = join(directory, identityFileName);
  return (await idAt(path)) ?? (await createId(directory, path));
}

async function createId(directory: string, path: string): Promise<string> {
  await makeDirectory(directory);
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, `${randomUUID()}\n`, { mode: 0o600, flush: true });
  // link() fails when another process was first: then its id counts, and nobody ever sees half of one.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  const id = await idAt(path);
  if (id === undefined) throw new Error(`${path} could not be created`);
  return id;
}

async function idAt(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(ignoreMissing);
  return text?.trim();
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(ignoreMissing)) !== undefined;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
