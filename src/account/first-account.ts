import type { Database } from '../platform/database.ts';
import type { Account } from './account.ts';
import type { AccountStore } from './account-store.ts';
import { apiKeyHash, generateApiKey } from './api-key.ts';
import { apiKeyStore } from './api-key-store.ts';
import { mostGenerousPlan, type PlanTable } from './plan.ts';

export interface FirstAccount {
  account: Account;
  /** The key to show, once: only when the account was made just now, and its key is not one the operator set. */
  newKey: string | undefined;
}

const firstAccountLock = 7_001_001;

/** Makes the first account when there is none, and gives it the operator's key if there is one. */
export async function ensureFirstAccount(
  db: Database,
  {
    accounts,
    plans,
    operatorKey,
  }: { accounts: AccountStore; plans: PlanTable; operatorKey: string | undefined },
): Promise<FirstAccount> {
  return db.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [firstAccountLock]);
    const existing = await accounts.first(tx);
    const account =
      existing ?? (await accounts.create(tx, { name: 'default', plan: mostGenerousPlan(plans).name }));
    const newKey = existing || operatorKey ? undefined : generateApiKey();
    const key = operatorKey ?? newKey;
    if (key)
      await apiKeyStore.insertOnce(tx, {
        accountId: account.id,
        name: 'first key',
        hash: apiKeyHash(key),
        expiresAt: null,
      });
    return { account, newKey };
  });
}
