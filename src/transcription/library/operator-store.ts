import { onlyRow, type Queryable } from '../../platform/database/database.ts';
import type { Stage, Transcription } from '../transcription.ts';

/** What runs and waits in the whole service. */
export interface Workload {
  /** Of jobs that are being processed; `waiting` ones have no task yet, since others of their account run. */
  stages: Record<Stage | 'waiting', number>;
  /** Of the last day. */
  ended: Record<Exclude<Transcription['status'], 'processing'>, number>;
  /** Since when the oldest job waits for its first step; null when none waits. */
  oldestQueuedSeconds: number | null;
  /** Of recordings whose length is known. */
  pendingAudioSeconds: number;
}

/** A worker as it described itself; one of an older release said nothing. */
export interface SeenWorker {
  id: string;
  host: string | null;
  version: string | null;
  engine: string | null;
  models: string[] | null;
  /** Chunks at once. */
  capacity: number | null;
  /** Since it was last heard from. */
  silentSeconds: number;
}

interface WorkloadRow {
  waiting: number;
  queued: number;
  fetching: number;
  decoding: number;
  recognising: number;
  finishing: number;
  oldest_queued_seconds: number | null;
  pending_audio_seconds: number;
}

export const operatorStore = {
  async workload(db: Queryable): Promise<Workload> {
    const rows = await db.query<WorkloadRow>(
      `select count(*) filter (where admitted_at is null)::int as waiting,
         count(*) filter (where stage = 'queued' and admitted_at is not null)::int as queued,
         count(*) filter (where stage = 'fetching')::int as fetching,
         count(*) filter (where stage = 'decoding')::int as decoding,
         count(*) filter (where stage = 'recognising')::int as recognising,
         count(*) filter (where stage = 'finishing')::int as finishing,
         extract(epoch from now() - min(created_at) filter (where stage = 'queued'))::float8 as oldest_queued_seconds,
         coalesce(sum(duration_seconds * chunks_left / nullif(chunks_total, 0)), 0)::float8 as pending_audio_seconds
       from transcription where status = 'processing'`,
    );
    const { oldest_queued_seconds, pending_audio_seconds, ...stages } = onlyRow(rows);
    const ended = await db.query<{ completed: number; failed: number }>(
      `select count(*) filter (where status = 'completed')::int as completed,
         count(*) filter (where status = 'failed')::int as failed
       from transcription where finished_at > now() - interval '1 day'`,
    );
    return {
      stages,
      ended: onlyRow(ended),
      oldestQueuedSeconds: oldest_queued_seconds,
      pendingAudioSeconds: pending_audio_seconds,
    };
  },

  /** Last heard from first. */
  async workers(db: Queryable, limit: number): Promise<SeenWorker[]> {
    return await db.query<SeenWorker & Record<string, unknown>>(
      `select id, host, version, engine, models, capacity,
         greatest(0, extract(epoch from now() - heard_at))::float8 as "silentSeconds"
       from worker order by heard_at desc, id limit $1`,
      [limit],
    );
  },

  /** How many jobs of these accounts there are. */
  async jobCounts(db: Queryable): Promise<Map<string, number>> {
    const rows = await db.query<{ account_id: string; jobs: number }>(
      'select account_id, count(*)::int as jobs from transcription group by account_id',
    );
    return new Map(rows.map(({ account_id, jobs }) => [account_id, jobs]));
  },
};
