import type { Account } from '../account/account.ts';
import type { AccountStore } from '../account/account-store.ts';
import type { Queryable } from '../platform/database/database.ts';
import { UsageError } from './usage-error.ts';

/** Where there is one account, it need not be named. */
export async function accountFor(
  accounts: AccountStore,
  db: Queryable,
  id: string | undefined,
): Promise<Account> {
  if (id !== undefined) return accounts.get(db, id);
  const [only, ...others] = await accounts.list(db);
  if (!only)
    throw new UsageError(
      'There is no account yet. Start the service once, or make one with "longhand account create".',
    );
  if (others.length > 0)
    throw new UsageError(
      'There are several accounts: choose one with --account. "longhand account list" shows them.',
    );
  return only;
}
