import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Hooks } from '../../test/support/cleanup.ts';
import { openTestDatabase } from '../../test/support/database.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { SecretBox } from '../platform/secret-box.ts';
import { accountStore } from './account-store.ts';
import { apiKeyHash, generateApiKey } from './api-key.ts';
import { apiKeyStore } from './api-key-store.ts';
import { Authenticator } from './authenticate.ts';
import { createApiKey } from './create-api-key.ts';
import { ensureFirstAccount } from './first-account.ts';
import { builtInPlans, parsePlanTable } from './plan.ts';
import { operatorFor } from './principal.ts';

const plans = parsePlanTable(builtInPlans);
const accounts = accountStore(plans);
const clock = new ManualClock(Date.parse('2026-03-01T12:00:00Z'));

async function world(t: Hooks, secretBox: SecretBox | undefined = new SecretBox([randomBytes(32)])) {
  const db = await openTestDatabase(t);
  const authenticator = new Authenticator({ db, accounts, clock });
  return {
    db,
    start: (operatorKey?: string, box = secretBox) =>
      ensureFirstAccount(db, { accounts, plans, operatorKey, secretBox: box, clock, hasWebProduct: false }),
    use: (key: string) => authenticator.authenticate(`Bearer ${key}`, 'rest'),
    sealed: () => db.query('select 1 from api_key where sealed_key is not null'),
  };
}

async function shownKey(notice: Awaited<ReturnType<typeof ensureFirstAccount>>): Promise<string> {
  assert.equal(notice.kind, 'unused');
  return notice.kind === 'unused' ? notice.key : '';
}

test('the first key is shown at every start until it is used, and then kept nowhere', async (t) => {
  const { db, start, use, sealed } = await world(t);
  const [one, two] = await Promise.all([start(), start()]);
  assert.deepEqual(one, two);
  const key = await shownKey(one);
  assert.deepEqual(await start(), { kind: 'unused', key, isKept: true, signIn: undefined });
  const [row] = await db.query<{ sealed_key: string }>('select sealed_key from api_key');
  assert.ok(row && !row.sealed_key.includes(key));
  await use(key);
  assert.deepEqual(await start(), { kind: 'nothing' });
  assert.deepEqual(await sealed(), []);
});

test('the use of another key of the account ends the showing, too', async (t) => {
  const { db, start, use } = await world(t);
  await start();
  const [account] = await accounts.list(db);
  assert.ok(account);
  const { key } = await createApiKey({ db, clock }, operatorFor(account), { name: 'mine', validMs: null });
  assert.equal((await start()).kind, 'unused');
  await use(key);
  assert.equal((await start()).kind, 'nothing');
});

test('a start with no key that works says so', async (t) => {
  const { db, start, sealed } = await world(t);
  const key = await shownKey(await start());
  const [found] = (await accounts.ofKeys(db, [apiKeyHash(key).toString('hex')])).values();
  await apiKeyStore.revoke(db, found?.key.id ?? '');
  assert.deepEqual(await sealed(), []);
  assert.deepEqual(await start(), { kind: 'none' });
});

test('without a key to seal with, or with another one, a key is not shown again', async (t) => {
  const { start } = await world(t);
  assert.equal((await start()).kind, 'unused');
  assert.deepEqual(await start(undefined, new SecretBox([randomBytes(32)])), { kind: 'nothing' });
  const db = await openTestDatabase(t);
  const options = {
    accounts,
    plans,
    operatorKey: undefined,
    secretBox: undefined,
    clock,
    hasWebProduct: false,
  };
  const notice = await ensureFirstAccount(db, options);
  assert.deepEqual({ ...notice, key: '' }, { kind: 'unused', key: '', isKept: false, signIn: undefined });
  assert.deepEqual(await ensureFirstAccount(db, options), { kind: 'nothing' });
});

test("the operator's own key is never shown and works for the first account", async (t) => {
  const { start, use } = await world(t);
  const key = generateApiKey();
  assert.deepEqual([await start(key), await start(key)], [{ kind: 'nothing' }, { kind: 'nothing' }]);
  assert.equal((await use(key)).account.name, 'default');
});
