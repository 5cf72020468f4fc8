import type { Queryable } from '../platform/database/database.ts';
import type { SpeakerFault } from '../speech/chunk-result.ts';

/** What came of telling the speakers of a job apart. */
export type SpeakerOutcome = 'found' | SpeakerFault;

export const speakerOutcomeStore = {
  async count(tx: Queryable, outcome: SpeakerOutcome): Promise<void> {
    await tx.query(
      `insert into speaker_outcome (outcome, jobs) values ($1, 1)
       on conflict (outcome) do update set jobs = speaker_outcome.jobs + 1`,
      [outcome],
    );
  },

  async all(db: Queryable): Promise<{ outcome: SpeakerOutcome; jobs: number }[]> {
    return db.query(`select outcome, jobs::float8 as jobs from speaker_outcome order by outcome`);
  },
};
