import type { Queryable } from '../../platform/database/database.ts';

interface ParentRow {
  trace_parent: string | null;
}

/** The trace to which a job belongs, for every process that works on it. */
export const traceStore = {
  async ofJob(db: Queryable, id: string): Promise<string | undefined> {
    const [row] = await db.query<ParentRow>('select trace_parent from transcription where id = $1', [id]);
    return row?.trace_parent ?? undefined;
  },

  /** Of a webhook event: that of its job. */
  async ofEvent(db: Queryable, eventId: string): Promise<string | undefined> {
    const [row] = await db.query<ParentRow>(
      `select job.trace_parent from webhook_event event join transcription job on job.id = event.transcription_id
       where event.id = $1`,
      [eventId],
    );
    return row?.trace_parent ?? undefined;
  },
};
