import type { Queryable } from '../platform/database/database.ts';
import type { StorageId } from '../storage/object-store.ts';

export interface SweepTimes {
  now: Date;
  /** Multipart URLs that ended before this: the upload is given up. */
  multipartsEndedBefore: Date;
  /** Uploads prepared or completed before this and used by no job: given up. */
  unusedSince: Date;
  /** Jobs finished before this: their media is given up. */
  finishedBefore: Date;
}

export interface SweptUpload {
  id: string;
  storage: StorageId;
  key: string;
}

const batchSize = 500;

export const sweepStore = {
  /**
   * Gives up what nobody needs any more. A job that uses an upload at this moment holds its row, so it is skipped;
   * one that used it just before has changed last_used_at, which is looked at again under the lock.
   */
  async discardUnneeded(db: Queryable, times: SweepTimes): Promise<number> {
    const rows = await db.query(
      `update upload set status = 'discarded', discarded_at = $1
       where id in (
         select id from upload
         where (status = 'open' and part_size_bytes is not null and expires_at < $2)
            or (status = 'open' and part_size_bytes is null and created_at < $3)
            or (status = 'completed' and last_used_at is null and completed_at < $3)
            or (status = 'completed' and last_used_at < $2 and not exists (
                  select 1 from upload_use join transcription on transcription.id = transcription_id
                  where upload_id = upload.id
                    and (transcription.status = 'processing' or transcription.finished_at >= $4)))
         order by created_at limit ${batchSize}
         for update skip locked)
       returning id`,
      [times.now, times.multipartsEndedBefore, times.unusedSince, times.finishedBefore],
    );
    return rows.length;
  },

  /** Single uploads whose URL ended before that time, and nobody has looked whether they arrived. */
  async endedSingles(
    db: Queryable,
    { endedBefore, storages }: { endedBefore: Date; storages: readonly StorageId[] },
  ): Promise<SweptUpload[]> {
    return db.query<SweptUpload>(
      `select id, storage, object_key as key from upload
       where status = 'open' and part_size_bytes is null and expires_at < $1 and storage = any($2)
       order by expires_at limit ${batchSize}`,
      [endedBefore, storages],
    );
  },

  /** open → completed: a single upload that arrived, as of the end of its URL. */
  async markArrived(db: Queryable, id: string): Promise<void> {
    await db.query(
      `update upload set status = 'completed', completed_at = expires_at where id = $1 and status = 'open'`,
      [id],
    );
  },

  async erasable(db: Queryable, storages: readonly StorageId[]): Promise<SweptUpload[]> {
    return db.query<SweptUpload>(
      `select id, storage, object_key as key from upload
       where status = 'discarded' and erased_at is null and storage = any($1)
       order by discarded_at limit ${batchSize}`,
      [storages],
    );
  },

  /** An upload without bytes is only remembered for late repeats of an abort. */
  async forgetErased(db: Queryable, before: Date): Promise<number> {
    const rows = await db.query('delete from upload where erased_at < $1 returning id', [before]);
    return rows.length;
  },

  /** Of these jobs, the ones that somebody can still listen to: those that run, and those that completed since then. */
  async audible(
    db: Queryable,
    transcriptionIds: readonly string[],
    completedSince: Date,
  ): Promise<Set<string>> {
    const rows = await db.query<{ id: string }>(
      `select id from transcription
       where id = any($1) and (status = 'processing' or (status = 'completed' and finished_at >= $2))`,
      [transcriptionIds, completedSince],
    );
    return new Set(rows.map((row) => row.id));
  },

  /** Of these jobs, the ones that still work with their objects. */
  async processing(db: Queryable, transcriptionIds: readonly string[]): Promise<Set<string>> {
    const rows = await db.query<{ id: string }>(
      `select id from transcription where id = any($1) and status = 'processing'`,
      [transcriptionIds],
    );
    return new Set(rows.map((row) => row.id));
  },
};
