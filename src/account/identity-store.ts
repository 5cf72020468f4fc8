import type { Database } from '../platform/database/database.ts';
import type { Account } from './account.ts';
import type { AccountStore } from './account-store.ts';

/** Somebody for whom an identity provider vouches. */
export interface Identity {
  issuer: string;
  /** The provider's own, never changing name of the person. */
  subject: string;
  /** For people to read. */
  name: string;
}

export const identityStore = {
  /** The account of the person; made at their first sign-in. Undefined when it was deleted. */
  async account(
    db: Database,
    accounts: AccountStore,
    { issuer, subject, name }: Identity,
    { plan }: { plan: string },
  ): Promise<Account | undefined> {
    return db.transaction(async (tx) => {
      // One at a time for each person, so that two tabs make one account.
      await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${issuer} ${subject}`]);
      const [known] = await tx.query<{ account_id: string }>(
        'select account_id from identity where issuer = $1 and subject = $2',
        [issuer, subject],
      );
      if (known) return accounts.find(tx, known.account_id);
      const account = await accounts.create(tx, { name, plan });
      await tx.query('insert into identity (issuer, subject, account_id) values ($1, $2, $3)', [
        issuer,
        subject,
        account.id,
      ]);
      return account;
    });
  },
};
