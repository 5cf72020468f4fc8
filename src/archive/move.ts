/** From the embedded database and the local storage to an external database and S3. */
import { type Database, onlyRow, type Queryable } from '../platform/database/database.ts';
import type { DedicatedConnection } from '../platform/database/dedicated-connection.ts';
import { StartError } from '../platform/start-error.ts';
import { playbackPrefix } from '../storage/object-key.ts';
import { NoSuchObject, type ObjectStore } from '../storage/object-store.ts';
import { resetRunningJobs } from './reset-running-jobs.ts';
import { copiedTables, setSequences, tableIn, tableOut } from './table-copy.ts';

export interface MoveDeps {
  /** Nobody else works with it meanwhile. */
  from: { db: Database; store: ObjectStore };
  /** Brought to the same schema, and empty. */
  to: { db: Database; store: ObjectStore };
}

export interface Moved {
  uploads: number;
  /** Waveforms and playback copies. */
  playback: number;
  /** Uploads that were under way, or whose bytes were not there: to be sent again. */
  discarded: number;
  tables: Record<string, number>;
  /** Jobs that begin again. */
  jobs: number;
}

interface MovedObject {
  key: string;
  etag: string;
}

/** The old place stays as it was. May be repeated: objects are overwritten, and the rows come in one transaction. */
export async function move({ from, to }: MoveDeps): Promise<Moved> {
  await refuseFilled(to.db);
  const uploads = await moveUploads({ from, to });
  const playback = await movePlayback({ from, to });
  const source = await from.db.dedicatedConnection('longhand move');
  const target = await to.db.dedicatedConnection('longhand move').catch(async (error: unknown) => {
    await source.close();
    throw error;
  });
  try {
    for (const connection of [source, target]) await connection.query('set statement_timeout = 0');
    await source.query('begin isolation level repeatable read read only');
    await target.query('begin');
    const tables = await copyTables(source, target);
    const discarded = await pointToStore(target, to.store.id, uploads);
    await pointPlaybackToStore(target, to.store.id, [...uploads, ...playback]);
    const jobs = await resetRunningJobs(target);
    await setSequences(target);
    await target.query('commit');
    return { uploads: uploads.length, playback: playback.length, discarded, tables, jobs };
  } finally {
    await Promise.allSettled([source.close(), target.close()]);
  }
}

async function refuseFilled(db: Queryable): Promise<void> {
  const rows = await db.query('select from account limit 1');
  if (rows.length > 0)
    throw new StartError('The database of LONGHAND_DATABASE_URL has accounts already: give an empty one.');
}

async function moveUploads({ from, to }: MoveDeps): Promise<MovedObject[]> {
  const uploads = await from.db.query<{ key: string; size: string }>(
    `select object_key as key, size_bytes as size from upload
     where storage = $1 and status = 'completed' order by object_key`,
    [from.store.id],
  );
  return await moveObjects(
    { from, to },
    uploads.map(({ key, size }) => ({ key, sizeBytes: Number(size) })),
  );
}

/** What jobs left for whoever listens to them; where the upload itself is played, it is moved as such. */
async function movePlayback({ from, to }: MoveDeps): Promise<MovedObject[]> {
  const rows = await from.db.query<{ key: string }>(
    `select distinct object ->> 'key' as key from playback, lateral (values (peaks), (media)) one (object)
     where object ->> 'storage' = $1 and starts_with(object ->> 'key', $2) order by key`,
    [from.store.id, playbackPrefix],
  );
  const objects: { key: string; sizeBytes: number }[] = [];
  for (const { key } of rows) {
    const found = await from.store.head(key);
    if (found) objects.push({ key, sizeBytes: found.sizeBytes });
  }
  return await moveObjects({ from, to }, objects);
}

/** Gives those that arrived whole. */
async function moveObjects(
  { from, to }: MoveDeps,
  objects: readonly { key: string; sizeBytes: number }[],
): Promise<MovedObject[]> {
  const moved: MovedObject[] = [];
  for (const { key, sizeBytes } of objects) {
    try {
      await to.store.write(key, await from.store.read(key), sizeBytes);
      const stored = await to.store.head(key);
      if (stored?.sizeBytes === sizeBytes) moved.push({ key, etag: stored.etag });
    } catch (error) {
      if (!(error instanceof NoSuchObject)) throw error; // Swept meanwhile: nothing points to it any more.
    }
  }
  return moved;
}

async function copyTables(
  source: DedicatedConnection,
  target: DedicatedConnection,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of await copiedTables(source)) {
    await tableIn(target, table, tableOut(source, table));
    const count = `select count(*)::int as rows from "${table.name}"`;
    const [left, arrived] = [await source.query(count), await target.query<{ rows: number }>(count)];
    const { rows } = onlyRow(arrived);
    if (rows !== (onlyRow(left) as { rows: number }).rows)
      throw new Error(`not every row of ${table.name} arrived`);
    counts[table.name] = rows;
  }
  return counts;
}

/** A job is bound to the ETag of its upload, which every store makes in its own way. */
async function pointToStore(
  tx: Queryable,
  storage: string,
  objects: readonly MovedObject[],
): Promise<number> {
  const keys = objects.map(({ key }) => key);
  const etags = objects.map(({ etag }) => etag);
  await tx.query(`update upload set storage = $1 where object_key = any($2)`, [storage, keys]);
  await tx.query(
    `update transcription t set source = source || jsonb_build_object('storage', $1::text, 'etag', moved.etag)
     from unnest($2::text[], $3::text[]) as moved (key, etag)
     where t.source ->> 'kind' = 'upload' and t.source ->> 'key' = moved.key`,
    [storage, keys, etags],
  );
  await tx.query(`delete from erasure where storage <> $1`, [storage]);
  const discarded = await tx.query(
    `update upload set status = 'discarded', discarded_at = coalesce(discarded_at, now()), erased_at = now()
     where storage <> $1 and status <> 'discarded' returning id`,
    [storage],
  );
  return discarded.length;
}

/** What was in the new store before stays. What was not moved cannot be played; the transcript is none the worse. */
async function pointPlaybackToStore(
  tx: Queryable,
  storage: string,
  objects: readonly MovedObject[],
): Promise<void> {
  const stored = (column: string) =>
    `case when ${column} ->> 'storage' = $1 then ${column}
       when ${column} ->> 'key' = any($2) then ${column} || jsonb_build_object('storage', $1::text) end`;
  await tx.query(`update playback set peaks = ${stored('peaks')}, media = ${stored('media')}`, [
    storage,
    objects.map(({ key }) => key),
  ]);
}
