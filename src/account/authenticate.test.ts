import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../test/support/database.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { ApiError } from '../contract/errors.ts';
import type { PreparedQueryable, Queryable } from '../platform/database/database.ts';
import { accountStore } from './account-store.ts';
import { apiKeyHash, generateApiKey } from './api-key.ts';
import { apiKeyStore } from './api-key-store.ts';
import { Authenticator } from './authenticate.ts';
import { createApiKey } from './create-api-key.ts';
import { builtInPlans, parsePlanTable } from './plan.ts';
import { operatorFor } from './principal.ts';

const db = await openTestDatabase({ after });
const accounts = accountStore(parsePlanTable(builtInPlans));
const clock = new ManualClock(Date.parse('2026-03-01T12:00:00Z'));
const authenticator = new Authenticator({ db, accounts, clock });
const account = await accounts.create(db, { name: 'a', plan: 'free' });

const refuses = (header: string | undefined, code: string) =>
  assert.rejects(authenticator.authenticate(header, 'rest'), (error: ApiError) => error.code === code);

test('a key opens its own account until it expires, and not after it was revoked', async () => {
  const key = await createApiKey({ db, clock }, operatorFor(account), { name: 'k', validMs: 60_000 });
  const principal = await authenticator.authenticate(`Bearer ${key.key}`, 'rest');
  assert.deepEqual(principal, { account, credential: { kind: 'key', id: key.id }, protocol: 'rest' });
  await clock.advance(60_000);
  await refuses(`Bearer ${key.key}`, 'invalid_api_key');

  const other = await createApiKey({ db, clock }, operatorFor(account), { name: 'k', validMs: null });
  assert.equal((await authenticator.authenticate(`bearer  ${other.key}`, 'rest')).account.id, account.id);
  await apiKeyStore.revoke(db, other.id);
  await refuses(`Bearer ${other.key}`, 'invalid_api_key');
});

test('a key with a bad checksum is refused without a look at the database', async () => {
  const asked = () => assert.fail('the database was asked');
  const noDatabase: Queryable & PreparedQueryable = { query: asked, prepared: asked };
  const offline = new Authenticator({ db: noDatabase, accounts, clock });
  const key = generateApiKey();
  const mistyped = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
  await assert.rejects(
    offline.authenticate(`Bearer ${mistyped}`, 'rest'),
    (error: ApiError) => error.code === 'invalid_api_key',
  );
});

test('the last use is written, at most once a minute', async () => {
  const key = await createApiKey({ db, clock }, operatorFor(account), { name: 'k', validMs: null });
  const lastUse = async () =>
    (await apiKeyStore.list(db, account.id)).find(({ id }) => id === key.id)?.lastUsedAt?.getTime();
  const first = clock.now();
  await authenticator.authenticate(`Bearer ${key.key}`, 'rest');
  assert.equal(await lastUse(), first);
  await clock.advance(30_000);
  await authenticator.authenticate(`Bearer ${key.key}`, 'rest');
  assert.equal(await lastUse(), first);
  await clock.advance(31_000);
  await authenticator.authenticate(`Bearer ${key.key}`, 'rest');
  assert.equal(await lastUse(), first + 61_000);
});

test('an operator may set a key without our checksum', async () => {
  const operatorKey = `lh_${'a'.repeat(36)}`;
  const hash = apiKeyHash(operatorKey);
  await apiKeyStore.insertOnce(db, { accountId: account.id, name: 'set', hash, expiresAt: null });
  await refuses(`Bearer ${operatorKey}`, 'invalid_api_key');
  const knowing = new Authenticator({ db, accounts, clock, operatorKey });
  assert.equal((await knowing.authenticate(`Bearer ${operatorKey}`, 'rest')).account.id, account.id);
});
