/** A backup becomes the data directory of an embedded set-up again. */
import { createReadStream } from 'node:fs';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { extract } from 'tar';
import type { Database, Queryable } from '../platform/database/database.ts';
import { migrate } from '../platform/database/migrations.ts';
import { StartError } from '../platform/start-error.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { type Manifest, manifestFile, manifestSchema, tableFile } from './backup.ts';
import { resetRunningJobs } from './reset-running-jobs.ts';
import { setSequences, tableIn } from './table-copy.ts';

export interface RestoreDeps {
  dataDir: string;
  migrationsDir: string;
  logger: Logger;
  /** An empty database in the data directory. */
  openDatabase(): Promise<{ db: Database; close(): Promise<void> }>;
  /** The objects in the data directory. */
  openStore(): Promise<{ store: ObjectStore; close(): Promise<void> }>;
}

const restored = ['postgres', 'objects', 'secrets'];

export interface Restored {
  manifest: Manifest;
  /** Jobs that begin again. */
  jobs: number;
}

/** All of it, or nothing: what was begun is removed again when it fails. */
export async function restore(deps: RestoreDeps, file: string): Promise<Restored> {
  const { dataDir } = deps;
  await refuseOccupied(dataDir);
  const staging = join(dataDir, 'restoring');
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true, mode: 0o700 });
  try {
    await extract({ file, cwd: staging, strict: true });
    const manifest = await readManifest(staging, file);
    for (const folder of ['objects', 'secrets'])
      await rename(join(staging, folder), join(dataDir, folder)).catch(ignoreMissing);
    const { db, close } = await deps.openDatabase();
    try {
      return { manifest, jobs: await fill(db, deps, staging, manifest) };
    } finally {
      await close();
    }
  } catch (error) {
    for (const name of restored) await rm(join(dataDir, name), { recursive: true, force: true });
    throw error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function refuseOccupied(dataDir: string): Promise<void> {
  for (const name of restored) {
    const isThere = await access(join(dataDir, name)).then(
      () => true,
      () => false,
    );
    if (isThere)
      throw new StartError(
        `The data directory ${dataDir} is in use already (${name}): set LONGHAND_DATA_DIR to an empty one, or move that away.`,
      );
  }
}

async function readManifest(staging: string, file: string): Promise<Manifest> {
  const text = await readFile(join(staging, manifestFile), 'utf8').catch(() => 'null');
  const parsed = manifestSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new StartError(`${file} is no backup that this Longhand can read.`);
  return parsed.data;
}

/** First the schema of the backup, then its rows, then whatever this release has changed since. */
async function fill(db: Database, deps: RestoreDeps, staging: string, manifest: Manifest): Promise<number> {
  const { migrationsDir, logger } = deps;
  const wanted = new Set(manifest.migrations);
  const ran = await migrate(db, migrationsDir, logger, wanted);
  const unknown = manifest.migrations.filter((name) => !ran.includes(name));
  if (unknown.length > 0)
    throw new StartError(
      `The backup is of Longhand ${manifest.version}, which is newer than this one (${unknown.join(', ')}): update Longhand first.`,
    );
  const connection = await db.dedicatedConnection('longhand restore');
  try {
    await connection.query('set statement_timeout = 0');
    await connection.query('begin');
    for (const table of manifest.tables) {
      await tableIn(connection, table, linesOf(join(staging, tableFile(table.name))));
    }
    const jobs = await resetRunningJobs(connection);
    await bindToStore(connection, deps);
    await setSequences(connection);
    await connection.query('commit');
    await migrate(db, migrationsDir, logger);
    return jobs;
  } finally {
    await connection.close();
  }
}

/** By the line feed alone: other separators of lines may stand in what was said. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const text of createReadStream(file, 'utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** A job is bound to the ETag of its upload, and that to the very file, of which this is a copy. */
async function bindToStore(tx: Queryable, { openStore }: RestoreDeps): Promise<void> {
  const { store, close } = await openStore();
  try {
    const rows = await tx.query<{ id: string; key: string }>(
      `select id, source ->> 'key' as key from transcription
       where status = 'processing' and source ->> 'kind' = 'upload' and source ->> 'storage' = $1`,
      [store.id],
    );
    for (const { id, key } of rows) {
      const stored = await store.head(key);
      if (stored)
        await tx.query(
          `update transcription set source = source || jsonb_build_object('etag', $2::text) where id = $1`,
          [id, stored.etag],
        );
    }
  } finally {
    await close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
