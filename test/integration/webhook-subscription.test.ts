import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { accountStore } from '../../src/account/account-store.ts';
import { Authenticator } from '../../src/account/authenticate.ts';
import { createApiKey } from '../../src/account/create-api-key.ts';
import { builtInPlans, parsePlanTable } from '../../src/account/plan.ts';
import { operatorFor } from '../../src/account/principal.ts';
import { RateLimiter } from '../../src/account/rate-limit.ts';
import { requestRateStore } from '../../src/account/request-rate-store.ts';
import { createEgress } from '../../src/egress/egress.ts';
import { nothingAllowed } from '../../src/egress/url.ts';
import { requireApiKey } from '../../src/http/authentication.ts';
import { createServer } from '../../src/http/server.ts';
import { webhookRoutes } from '../../src/http/webhook-routes.ts';
import { SecretBox } from '../../src/platform/secret-box.ts';
import { receiverUrlCheck } from '../../src/webhook/receiver-url.ts';
import { secretContext } from '../../src/webhook/subscription-secret.ts';
import { subscriptionStore } from '../../src/webhook/subscription-store.ts';
import { openTestDatabase } from '../support/database.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { silentLogger } from '../support/silent-logger.ts';

const path = '/api/v1/webhook-subscriptions';
const good = { url: 'https://hooks.example.com/longhand?token=abc', events: ['transcription.completed'] };

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: { data?: never; error?: { code: string; message: string } } & Record<string, unknown>;
}

interface Caller {
  accountId: string;
  send(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: unknown): Promise<Answer>;
}

async function openApi(t: TestContext, options: { withoutKey?: boolean } = {}) {
  const db = await openTestDatabase(t);
  const clock = new ManualClock();
  const secretBox = options.withoutKey ? undefined : new SecretBox([randomBytes(32)]);
  const egress = createEgress({
    allow: nothingAllowed,
    clock,
    resolve: async (name) => {
      if (name === 'private.example.com') return ['93.184.215.14', '10.0.0.1'];
      if (name === 'missing.example.com') throw new Error('ENOTFOUND');
      return ['93.184.215.14'];
    },
  });
  const accounts = accountStore(parsePlanTable(builtInPlans));
  const server = createServer({ logger: silentLogger });
  server.register(async (api) => {
    const limiter = new RateLimiter(
      { requestsPerMinute: 10_000, createsPerMinute: 10_000 },
      { clock, take: (id, wanted) => requestRateStore.take(db, id, wanted) },
    );
    requireApiKey(api, new Authenticator({ db, accounts, clock }), limiter);
    const checkReceiverUrl = receiverUrlCheck(egress);
    webhookRoutes(api, { db, secretBox, checkReceiverUrl, afterRemoval: () => {} });
  });
  t.after(() => server.close());
  const caller = async (): Promise<Caller> => {
    const account = await accounts.create(db, { name: 'test', plan: 'free' });
    const { key } = await createApiKey({ db, clock }, operatorFor(account), { name: 'test', validMs: null });
    return {
      accountId: account.id,
      async send(method, url, payload) {
        const answer = await server.inject({
          method,
          url,
          headers: {
            authorization: `Bearer ${key}`,
            ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(payload === undefined
            ? {}
            : { payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
        });
        return {
          status: answer.statusCode,
          headers: answer.headers,
          body: answer.body === '' ? {} : answer.json(),
        };
      },
    };
  };
  return { db, secretBox, server, caller };
}

test('a created subscription comes back whole, with its secret and its address', async (t) => {
  const { caller, db } = await openApi(t);
  const { send } = await caller();
  const { status, headers, body } = await send('POST', path, {
    url: good.url,
    events: ['transcription.failed', 'transcription.completed'],
  });
  assert.equal(status, 201);
  const { id, signing_secret, created_at, ...rest } = body.data as unknown as Record<string, string>;
  assert.match(id ?? '', /^[0-9a-f-]{36}$/);
  assert.match(signing_secret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(headers.location, `${path}/${id}`);
  assert.deepEqual(rest, {
    url: good.url,
    events: ['transcription.failed', 'transcription.completed'],
    status: 'active',
    disabled_at: null,
  });
  const [row] = await db.query<{ created_at: Date }>('select created_at from webhook_subscription');
  assert.equal(created_at, row?.created_at.toISOString());
});

test('the list shows the newest first, only the origin of each url, and never a secret', async (t) => {
  const { caller, db } = await openApi(t);
  const { send } = await caller();
  const ids: string[] = [];
  for (const host of ['one', 'two', 'three']) {
    const { body } = await send('POST', path, {
      ...good,
      url: `https://${host}.example.com/secret/path?token=x`,
    });
    ids.push((body.data as unknown as { id: string }).id);
  }
  await subscriptionStore.disable(db, ids[1] ?? '');
  const { status, body } = await send('GET', path);
  assert.equal(status, 200);
  const list = body.data as unknown as Record<string, unknown>[];
  assert.deepEqual(
    list.map(({ id, url, status, disabled_at }) => [id, url, status, disabled_at !== null]),
    [
      [ids[2], 'https://three.example.com…', 'active', false],
      [ids[1], 'https://two.example.com…', 'disabled', true],
      [ids[0], 'https://one.example.com…', 'active', false],
    ],
  );
  for (const item of list) {
    assert.deepEqual(Object.keys(item).toSorted(), [
      'created_at',
      'disabled_at',
      'events',
      'id',
      'status',
      'url',
    ]);
  }
});

test('a deleted subscription is gone, and deleting it again is 404', async (t) => {
  const { caller } = await openApi(t);
  const { send } = await caller();
  const { headers } = await send('POST', path, good);
  const deleted = await send('DELETE', String(headers.location));
  assert.equal(deleted.status, 204);
  assert.deepEqual(deleted.body, {});
  assert.deepEqual((await send('GET', path)).body.data, []);
  assert.equal((await send('DELETE', String(headers.location))).status, 404);
});

test("another account's subscription, an unknown id and a text that is no id look the same", async (t) => {
  const { caller } = await openApi(t);
  const [mine, theirs] = [await caller(), await caller()];
  const { headers } = await theirs.send('POST', path, good);
  const answers = await Promise.all(
    [
      String(headers.location),
      `${path}/${randomUUID()}`,
      `${path}/not-a-uuid`,
      `${path}/1%27%20or%201=1`,
    ].map((address) => mine.send('DELETE', address)),
  );
  for (const { status, body } of answers) {
    assert.equal(status, 404);
    assert.deepEqual(body, answers[0]?.body);
    assert.equal(body.error?.code, 'not_found');
  }
  assert.deepEqual((await mine.send('GET', path)).body.data, []);
  assert.equal((await theirs.send('GET', path)).body.data?.[0] === undefined, false);
});

test('faults are answered in the written order', async (t) => {
  const { caller } = await openApi(t);
  const { send } = await caller();
  const cases: [unknown, string][] = [
    ['{', 'invalid_request'],
    ['[]', 'invalid_request'],
    ['"text"', 'invalid_request'],
    ['null', 'invalid_request'],
    [{}, 'invalid_webhook_url'],
    [{ events: [] }, 'invalid_webhook_url'],
    [{ url: 'http://hooks.example.com/', events: ['nothing'] }, 'invalid_webhook_url'],
    [{ url: 'https://private.example.com/', events: [] }, 'invalid_webhook_url'],
    [{ url: 7, events: good.events }, 'invalid_webhook_url'],
    [{ url: good.url }, 'invalid_webhook_events'],
    [{ ...good, events: [] }, 'invalid_webhook_events'],
    [{ ...good, events: 'transcription.completed' }, 'invalid_webhook_events'],
    [{ ...good, events: ['transcription.started'] }, 'invalid_webhook_events'],
    [{ ...good, events: ['transcription.completed', 'transcription.completed'] }, 'invalid_webhook_events'],
    [{ ...good, events: ['transcription.completed', 'nothing'] }, 'invalid_webhook_events'],
    [{ ...good, events: [null] }, 'invalid_webhook_events'],
  ];
  for (const [payload, code] of cases) {
    const { status, body } = await send('POST', path, payload);
    assert.deepEqual([status, body.error?.code], [400, code], JSON.stringify(payload));
  }
  assert.deepEqual((await send('GET', path)).body.data, []);
});

test('a name that does not resolve yet is accepted', async (t) => {
  const { caller } = await openApi(t);
  const { send } = await caller();
  assert.equal((await send('POST', path, { ...good, url: 'https://missing.example.com/' })).status, 201);
});

test('without a key creating answers 503 after the other checks, and the rest works', async (t) => {
  const { caller } = await openApi(t, { withoutKey: true });
  const { send } = await caller();
  const { status, body } = await send('POST', path, good);
  assert.deepEqual([status, body.error?.code], [503, 'webhooks_unavailable']);
  assert.equal(
    (await send('POST', path, { ...good, events: [] })).body.error?.code,
    'invalid_webhook_events',
  );
  assert.deepEqual((await send('GET', path)).body.data, []);
  assert.equal((await send('DELETE', `${path}/${randomUUID()}`)).status, 404);
});

test('of fifty creates at once twenty succeed, and disabled ones do not count', async (t) => {
  const { caller, db } = await openApi(t);
  const [one, other] = [await caller(), await caller()];
  const answers = await Promise.all(Array.from({ length: 50 }, () => one.send('POST', path, good)));
  const refused = answers.filter(({ status }) => status !== 201);
  assert.equal(answers.length - refused.length, 20);
  for (const { status, body } of refused) {
    assert.deepEqual([status, body.error?.code], [409, 'webhook_subscription_limit_reached']);
  }
  assert.equal((await other.send('POST', path, good)).status, 201);
  const list = (await one.send('GET', path)).body.data as unknown as { id: string }[];
  assert.equal(list.length, 20);
  await subscriptionStore.disable(db, list[0]?.id ?? '');
  assert.equal((await one.send('POST', path, good)).status, 201);
  assert.equal((await one.send('POST', path, good)).status, 409);
});

test('the database holds the secret sealed, bound to its own subscription', async (t) => {
  const { caller, db, secretBox } = await openApi(t);
  const { send } = await caller();
  const { body } = await send('POST', path, good);
  const { id, signing_secret: secret } = body.data as unknown as { id: string; signing_secret: string };
  const rows = await db.query<{ row: string; sealed_secret: string }>(
    'select s::text as row, sealed_secret from webhook_subscription s',
  );
  assert.ok(!rows[0]?.row.includes(secret.slice('whsec_'.length)));
  assert.equal(secretBox?.open(rows[0]?.sealed_secret ?? '', secretContext(id)), secret);
  assert.throws(() => secretBox?.open(rows[0]?.sealed_secret ?? '', secretContext(randomUUID())));
});

test('no key, and a wrong one, are 401 on every operation', async (t) => {
  const { server } = await openApi(t);
  for (const method of ['GET', 'POST'] as const) {
    const answer = await server.inject({ method, url: path });
    assert.equal(answer.statusCode, 401);
    assert.equal(answer.json().error.code, 'missing_api_key');
  }
  const answer = await server.inject({
    method: 'DELETE',
    url: `${path}/x`,
    headers: { authorization: 'Bearer lh_x' },
  });
  assert.equal(answer.json().error.code, 'invalid_api_key');
});
