import type { Clock } from '../platform/clock.ts';
import type { Database, Queryable } from '../platform/database/database.ts';
import { type SecretBox, SecretUnreadable } from '../platform/secret-box.ts';
import type { Account } from './account.ts';
import type { AccountStore } from './account-store.ts';
import { apiKeyHash, generateApiKey } from './api-key.ts';
import { apiKeyStore } from './api-key-store.ts';
import { createSignInLink, firstSignInLinkMs, type SignInLink } from './create-sign-in-link.ts';
import { mostGenerousPlan, type PlanTable } from './plan.ts';
import { operatorFor } from './principal.ts';

export interface FirstAccountOptions {
  accounts: AccountStore;
  plans: PlanTable;
  /** Given to the first account instead of a random one. */
  operatorKey: string | undefined;
  /** Seals the key until it is used. Without it a key can be shown only once. */
  secretBox: SecretBox | undefined;
  clock: Clock;
  /** Whether there are pages to sign in to. */
  hasWebProduct: boolean;
}

/** What to tell the operator about keys at a start. */
export type KeyNotice =
  /** Nobody has used it yet; `isKept`: the next start shows it again. */
  | { kind: 'unused'; key: string; isKept: boolean; signIn: SignInLink | undefined }
  /** There is no key that the API would take. */
  | { kind: 'none' }
  | { kind: 'nothing' };

/**
 * Makes the first account with its key when there is none. To be called once the service listens: a start that fails
 * before has made nothing.
 */
export async function ensureFirstAccount(db: Database, options: FirstAccountOptions): Promise<KeyNotice> {
  return db.transaction(async (tx) => {
    await options.accounts.lockFirst(tx);
    const existing = await options.accounts.first(tx);
    if (!existing) return makeFirstAccount(tx, options);
    if (options.operatorKey) await addOperatorKey(tx, existing.id, options.operatorKey);
    const key = options.secretBox && (await unusedKey(tx, existing.id, options.secretBox));
    if (key !== undefined)
      return { kind: 'unused', key, isKept: true, signIn: await firstSignIn(tx, existing, options) };
    return { kind: (await apiKeyStore.isAnyActive(tx)) ? 'nothing' : 'none' };
  });
}

async function makeFirstAccount(tx: Queryable, options: FirstAccountOptions): Promise<KeyNotice> {
  const { accounts, plans, operatorKey, secretBox } = options;
  const { id } = await accounts.create(tx, { name: 'default', plan: mostGenerousPlan(plans).name });
  const account = await accounts.setOperator(tx, id, true);
  if (operatorKey) {
    await addOperatorKey(tx, id, operatorKey);
    return { kind: 'nothing' };
  }
  const key = generateApiKey();
  const hash = apiKeyHash(key);
  const stored = { accountId: id, name: 'first key', hash, expiresAt: null };
  await apiKeyStore.insert(tx, stored);
  if (secretBox) await apiKeyStore.keepUntilUsed(tx, hash, secretBox.seal(key, sealContext(hash)));
  return {
    kind: 'unused',
    key,
    isKept: secretBox !== undefined,
    signIn: await firstSignIn(tx, account, options),
  };
}

/** A new one at each start until the key or a link was used; only hashes are stored, so none can be shown twice. */
async function firstSignIn(
  tx: Queryable,
  account: Account,
  { clock, hasWebProduct }: FirstAccountOptions,
): Promise<SignInLink | undefined> {
  if (!hasWebProduct) return undefined;
  return createSignInLink({ db: tx, clock }, operatorFor(account), { validMs: firstSignInLinkMs });
}

async function addOperatorKey(tx: Queryable, accountId: string, key: string): Promise<void> {
  await apiKeyStore.insertOnce(tx, {
    accountId,
    name: 'first key',
    hash: apiKeyHash(key),
    expiresAt: null,
  });
}

async function unusedKey(
  tx: Queryable,
  accountId: string,
  secretBox: SecretBox,
): Promise<string | undefined> {
  const kept = await apiKeyStore.keptUntilUsed(tx, accountId);
  if (!kept) return undefined;
  try {
    return secretBox.open(kept.sealedKey, sealContext(kept.hash));
  } catch (error) {
    if (error instanceof SecretUnreadable) return undefined;
    throw error;
  }
}

function sealContext(hash: Buffer): string {
  return `api key ${hash.toString('hex')}`;
}
