import type { Queryable } from '../../platform/database/database.ts';

/** A client that lost an answer repeats within minutes; later the same media is a new request. */
const completedMinutes = 60;

export const sameRequestStore = {
  /** The job of the same request that runs, or else has just completed. One that failed is to be tried anew. */
  async find(db: Queryable, accountId: string, fingerprint: Buffer): Promise<string | undefined> {
    const [row] = await db.query<{ id: string }>(
      `select id from transcription
       where account_id = $1 and request_fingerprint = $2
         and (status = 'processing'
           or (status = 'completed' and finished_at > now() - make_interval(mins => $3)))
       order by number desc limit 1`,
      [accountId, fingerprint, completedMinutes],
    );
    return row?.id;
  },
};
