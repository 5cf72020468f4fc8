import { hotQuery, type Queryable } from '../../platform/database/database.ts';
import { firstStepOf, type Step } from '../step/steps.ts';
import type { Source } from '../transcription.ts';

export interface AdmittedJob {
  id: string;
  firstStep: Step;
}

export const admissionStore = {
  /** Whoever admits jobs of an account waits here for whoever just does; gives its lane and the name of its plan. */
  async lockAccount(tx: Queryable, accountId: string): Promise<{ lane: number; plan: string } | undefined> {
    const [row] = await hotQuery<{ number: string; plan: string }>(
      tx,
      'admission_lock',
      'select number, plan from account where id = $1 for no key update',
      [accountId],
    );
    return row && { lane: Number(row.number), plan: row.plan };
  },

  /** The next jobs of the account, in the order of their creation, as far as so many may run at once. */
  async admitNext(tx: Queryable, accountId: string, runningMax: number): Promise<AdmittedJob[]> {
    const rows = await hotQuery<{ id: string; number: string; kind: Source['kind'] }>(
      tx,
      'admission_next',
      `update transcription set admitted_at = now(), progressed_at = now()
       where id in (
         select id from transcription where account_id = $1 and status = 'processing' and admitted_at is null
         order by number
         limit greatest(0, $2 - (select count(*) from transcription
                                 where account_id = $1 and status = 'processing' and admitted_at is not null))
         for update skip locked)
       returning id, number, source ->> 'kind' as kind`,
      [accountId, runningMax],
    );
    return rows
      .toSorted((a, b) => Number(a.number) - Number(b.number))
      .map(({ id, kind }) => ({ id, firstStep: firstStepOf({ kind }) }));
  },

  /** Accounts with jobs that wait to be admitted. */
  async waitingAccounts(db: Queryable): Promise<string[]> {
    const rows = await db.query<{ account_id: string }>(
      `select distinct account_id from transcription where status = 'processing' and admitted_at is null`,
    );
    return rows.map((row) => row.account_id);
  },
};
