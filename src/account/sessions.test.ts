import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Hooks } from '../../test/support/cleanup.ts';
import { openTestDatabase } from '../../test/support/database.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { ApiError } from '../contract/errors.ts';
import { SecretBox } from '../platform/secret-box.ts';
import { accountStore } from './account-store.ts';
import { apiKeyStore } from './api-key-store.ts';
import { Authenticator } from './authenticate.ts';
import { createApiKey } from './create-api-key.ts';
import { createSignInLink } from './create-sign-in-link.ts';
import { ensureFirstAccount } from './first-account.ts';
import { builtInPlans, parsePlanTable } from './plan.ts';
import { operatorFor } from './principal.ts';
import { Sessions } from './sessions.ts';

const plans = parsePlanTable(builtInPlans);
const accounts = accountStore(plans);
const dayMs = 86_400_000;

async function world(t: Hooks) {
  const db = await openTestDatabase(t);
  const clock = new ManualClock(Date.parse('2026-03-01T12:00:00Z'));
  const authenticator = new Authenticator({ db, accounts, clock });
  const sessions = new Sessions({ db, accounts, clock, authenticator });
  const account = await accounts.create(db, { name: 'Ada', plan: 'pro' });
  const link = async (validMs = 60_000) => {
    const { path } = await createSignInLink({ db, clock }, operatorFor(account), { validMs });
    return new URL(path, 'http://localhost').searchParams.get('token') ?? '';
  };
  return { db, clock, sessions, account, link };
}

const isRefused = (error: unknown) => error instanceof ApiError && error.code === 'sign_in_refused';

test('a sign-in link opens one session, once, and neither token is stored', async (t) => {
  const { db, sessions, account, link } = await world(t);
  const token = await link();
  const opened = await Promise.allSettled([
    sessions.open({ token }, 'Firefox'),
    sessions.open({ token }, 'Firefox'),
  ]);
  assert.deepEqual(opened.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  const [session] = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  assert.ok(session);
  const principal = await sessions.principal(session.token);
  assert.deepEqual(
    [principal?.account.id, principal?.credential, principal?.protocol],
    [account.id, { kind: 'session', id: session.session.id }, 'web'],
  );
  await assert.rejects(sessions.open({ token }, ''), isRefused);
  const rows = await db.query<Record<string, unknown>>('select * from web_session');
  assert.equal(JSON.stringify(rows).includes(session.token), false);
});

test('an expired link, another word and an unknown cookie open nothing', async (t) => {
  const { clock, sessions, link } = await world(t);
  const token = await link(1_000);
  await clock.advance(1_000);
  for (const wrong of [token, 'x', '', 'A'.repeat(43)])
    await assert.rejects(sessions.open({ token: wrong }, ''), isRefused);
  for (const wrong of ['', 'x', 'A'.repeat(43)]) assert.equal(await sessions.principal(wrong), undefined);
});

test('a session ends a week after its last use, and in any case after thirty days', async (t) => {
  const { clock, sessions, link } = await world(t);
  const idle = await sessions.open({ token: await link() }, '');
  const used = await sessions.open({ token: await link() }, '');
  for (let day = 0; day < 6; day += 1) {
    await clock.advance(dayMs);
    assert.ok(await sessions.principal(used.token));
  }
  await clock.advance(dayMs);
  assert.equal(await sessions.principal(idle.token), undefined);
  for (let day = 7; day < 30; day += 1) {
    assert.ok(await sessions.principal(used.token), `day ${day}`);
    await clock.advance(dayMs);
  }
  assert.equal(await sessions.principal(used.token), undefined);
});

test('a session that a key opened ends with the key', async (t) => {
  const { db, clock, sessions, account } = await world(t);
  const deps = { db, clock };
  const revoked = await createApiKey(deps, operatorFor(account), { name: 'one', validMs: null });
  const expiring = await createApiKey(deps, operatorFor(account), { name: 'two', validMs: dayMs });
  const first = await sessions.open({ apiKey: revoked.key }, '');
  const second = await sessions.open({ apiKey: expiring.key }, '');
  assert.ok((await sessions.principal(first.token)) && (await sessions.principal(second.token)));
  await apiKeyStore.revoke(db, revoked.id);
  assert.equal(await sessions.principal(first.token), undefined);
  assert.ok(await sessions.principal(second.token));
  assert.deepEqual(
    [...(await sessions.openAmong([first.session.id, second.session.id]))],
    [second.session.id],
  );
  await clock.advance(dayMs);
  assert.equal(await sessions.principal(second.token), undefined);
  await assert.rejects(sessions.open({ apiKey: revoked.key }, ''), isRefused);
  await assert.rejects(sessions.open({ apiKey: 'lh_x' }, ''), isRefused);
});

test('a person lists and ends only sessions of their own account', async (t) => {
  const { db, clock, sessions, link } = await world(t);
  const mine = await sessions.open({ token: await link() }, 'x'.repeat(300));
  const other = await accounts.create(db, { name: 'Eve', plan: 'free' });
  const { path } = await createSignInLink({ db, clock }, operatorFor(other), { validMs: 60_000 });
  const hers = await sessions.open({ token: path.split('=')[1] ?? '' }, '');
  const eve = await sessions.principal(hers.token);
  assert.ok(eve);
  await assert.rejects(
    sessions.end(eve, mine.session.id),
    (error) => error instanceof ApiError && error.code === 'not_found',
  );
  assert.deepEqual(
    (await sessions.list(eve)).map(({ id }) => id),
    [hers.session.id],
  );
  const ada = await sessions.principal(mine.token);
  assert.ok(ada);
  assert.equal((await sessions.list(ada))[0]?.userAgent.length, 200);
  await sessions.end(ada, mine.session.id);
  assert.equal(await sessions.principal(mine.token), undefined);
});

test('an account keeps its fifty latest sessions', async (t) => {
  const { clock, sessions, account } = await world(t);
  const opened = [];
  for (let i = 0; i < 51; i += 1) {
    await clock.advance(1_000);
    opened.push(await sessions.open({ account }, ''));
  }
  assert.equal(await sessions.principal(opened[0]?.token ?? ''), undefined);
  const last = await sessions.principal(opened[50]?.token ?? '');
  assert.ok(last);
  assert.equal((await sessions.list(last)).length, 50);
});

test('a used sign-in link ends the showing of the first key, and each start shows a link that works', async (t) => {
  const db = await openTestDatabase(t);
  const clock = new ManualClock(Date.parse('2026-03-01T12:00:00Z'));
  const authenticator = new Authenticator({ db, accounts, clock });
  const sessions = new Sessions({ db, accounts, clock, authenticator });
  const secretBox = new SecretBox([randomBytes(32)]);
  const start = () =>
    ensureFirstAccount(db, {
      accounts,
      plans,
      operatorKey: undefined,
      secretBox,
      clock,
      hasWebProduct: true,
    });
  const first = await start();
  const second = await start();
  assert.ok(first.kind === 'unused' && second.kind === 'unused' && first.key === second.key);
  const { account } = await sessions.open({ token: second.signIn?.path.split('=')[1] ?? '' }, '');
  assert.equal(account.isOperator, true);
  assert.deepEqual(await start(), { kind: 'nothing' });
});
