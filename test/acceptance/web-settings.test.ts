/** Developer and operator pages, in a browser and from outside. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { ApiClient, newClient } from '../support/api-client.ts';
import { openBrowser, withoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { longhand, runService } from '../support/service.ts';
import { newAccount, WebClient } from '../support/web-client.ts';
import { assertSound, signedInPage } from '../support/web-page.ts';
import { readTranscript, transcribed } from '../support/web-recording.ts';
import { addressOf, type WebRoute, webRouteTable } from '../support/web-route-table.ts';
import { openReceiver } from '../support/webhook-receiver.ts';

const receiver = await openReceiver(
  { after },
  {
    answer: (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"taken":"<b>yes</b>\\u0000"}\0');
    },
  },
);
const service = await runService({ after }, { LONGHAND_EGRESS_ALLOW: receiver.target });
const browser = withoutChromium ? undefined : await openBrowser({ after });
const someId = '5b6f3ba4-3d6e-4c53-9a2a-2f5a2b0f9d11';

const austen = {
  filename: 'austen.flac',
  contentType: 'audio/flac',
  bytes: readFileSync(join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac')),
};

test('a visitor who is not signed in gets nothing from any route', async () => {
  for (const stranger of [
    new WebClient(service.url),
    new WebClient(service.url, `longhand=${'A'.repeat(43)}`),
  ])
    for (const route of webRouteTable.filter(({ kind }) => kind !== 'open' && kind !== 'shared')) {
      const path = addressOf(route, {});
      const answer = await stranger.send(route.method, path, route.body);
      assert.deepEqual(
        [answer.status, answer.body.error.code],
        [401, 'sign_in_required'],
        `${route.method} ${path}`,
      );
    }
});

test('a second account reaches nothing of the first, an ended link opens nothing, and only an operator operates', async () => {
  const { owner, ids, token } = await ownerOfEverything();
  const eve = await WebClient.signedIn(service);
  const secrets = [...Object.values(ids), token].filter(({ length }) => length > 8);
  for (const route of webRouteTable.filter(({ kind }) => kind !== 'open' && kind !== 'shared')) {
    const path = addressOf(route, ids);
    const { status, body } = await eve.send(route.method, path, route.body);
    const told = `${route.method} ${path}`;
    if (route.kind === 'thing') assert.equal(status, 404, told);
    else if (route.kind === 'operator')
      assert.deepEqual([status, body.error.code], [403, 'operator_required'], told);
    else {
      assert.ok(status >= 200 && status < 300, told);
      assert.ok(!secrets.some((secret) => JSON.stringify(body ?? '').includes(secret)), told);
    }
  }
  const asked = await (await WebClient.signedIn(service)).send(
    'GET',
    `/web/library/changes?after=0&ids=${ids.library}`,
  );
  assert.deepEqual(asked.body.data.entries, []);
  const shared = webRouteTable.filter(({ kind }) => kind === 'shared');
  const visitor = new WebClient(service.url);
  const open = async (route: WebRoute) =>
    (await visitor.send(route.method, addressOf(route, { shared: token }))).status;
  for (const route of shared) assert.equal(await open(route), 200, route.url);
  await expireShares();
  for (const route of shared) assert.equal(await open(route), 404, route.url);
  // Nothing of it was changed by the stranger.
  assert.equal((await owner.send('GET', `/web/library/${ids.library}`)).body.data.name, austen.filename);
  assert.equal((await readTranscript(owner, ids.transcriptions)).edition?.revision, 1);
  assert.equal((await readTranscript(owner, ids.transcriptions)).published_at, null);
});

/** An account with one of everything that has an address. */
async function ownerOfEverything() {
  const client = await newClient(service);
  const owner = new WebClient(service.url);
  await owner.send('POST', '/web/session', { api_key: client.key });
  const job = await transcribed(owner, austen);
  const subscription = await client.post('/api/v1/webhook-subscriptions', {
    url: receiver.url,
    events: ['transcription.completed'],
  });
  const key = (await owner.send('POST', '/web/keys', { name: 'mine', expires_in_days: 1 })).body.data.id;
  const subscriptionId = subscription.body.data.id;
  assert.equal((await owner.send('POST', `/web/webhook-subscriptions/${subscriptionId}/test`)).status, 202);
  const delivery = await eventually(async () => {
    const [first] = (await owner.send('GET', '/web/webhook-deliveries')).body.data;
    return first?.state === 'delivered' ? first : undefined;
  }, 'the test delivery');
  const share = (await owner.send('POST', `/web/transcriptions/${job}/shares`, { days: 1 })).body.data;
  const [session] = (await owner.send('GET', '/web/sessions')).body.data;
  const { account } = (await owner.send('GET', '/web/session')).body.data;
  const ids = {
    library: job,
    transcriptions: job,
    keys: key,
    sessions: session.id,
    shares: share.id,
    'webhook-subscriptions': subscriptionId,
    'webhook-deliveries': delivery.id,
    accounts: account.id,
  };
  return { owner, ids, token: share.path.split('/').at(-1) as string };
}

async function expireShares(): Promise<void> {
  const database = new Client({ connectionString: service.environment.LONGHAND_DATABASE_URL });
  await database.connect();
  await database.query(`update share set expires_at = now() - interval '1 second'`);
  await database.end();
}

test('what does not fit is refused, and nothing happens', async () => {
  const web = await WebClient.signedIn(service);
  for (const [method, path, body] of [
    ['POST', '/web/keys', { name: '', expires_in_days: null }],
    ['POST', '/web/keys', { name: 'x', expires_in_days: 0 }],
    ['POST', '/web/keys', 'x'],
    ['GET', '/web/library?state=none', undefined],
    ['GET', '/web/library?limit=0', undefined],
    ['GET', '/web/library?before=x', undefined],
    ['GET', '/web/library/changes?after=-1', undefined],
    ['GET', '/web/library/changes?after=0&ids=x', undefined],
    ['PATCH', `/web/library/${someId}`, {}],
  ] as const)
    assert.equal((await web.send(method, path, body)).status, 400, `${method} ${path}`);
  assert.deepEqual((await web.send('GET', '/web/keys')).body.data, []);
});

test('a library of many is read page by page, newest first, each once', async () => {
  const client = await newClient(service);
  const web = new WebClient(service.url);
  await web.send('POST', '/web/session', { api_key: client.key });
  const made = await Promise.all(
    Array.from({ length: 12 }, () =>
      client.post('/api/v1/transcriptions', { source_url: `http://${receiver.target}/a.mp3` }),
    ),
  );
  const seen: string[] = [];
  let before = '';
  do {
    const { body } = await web.send('GET', `/web/library?limit=5${before}`);
    seen.push(...body.data.entries.map(({ id }: { id: string }) => id));
    before = body.data.next === null ? '' : `&before=${body.data.next}`;
  } while (before !== '');
  assert.deepEqual(seen.toSorted(), made.map(({ body }) => body.data.id).toSorted());
  const listed = (await client.get('/api/v1/transcriptions?limit=100')).body.data;
  assert.deepEqual(
    seen,
    listed.map(({ id }: { id: string }) => id),
  );
});

if (browser) browserTests(browser);
else test('settings in a browser', { skip: withoutChromium });

function browserTests(browser: Awaited<ReturnType<typeof openBrowser>>): void {
  test('a key is made, shown once, works, and is revoked', async () => {
    const watched = await signedInPage(browser, service);
    const { page } = watched;
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(`${service.url}/settings/keys`);
    await page.getByLabel('What it is for').fill('<b>night script</b>');
    await page.getByLabel('Valid for').selectOption('90');
    await page.getByRole('button', { name: 'Make a key' }).click();
    const key = (await page.locator('.secret code').textContent()) ?? '';
    assert.match(key, /^lh_[0-9A-Za-z]{36}$/);
    const api = new ApiClient(service.url, key);
    assert.equal((await api.get('/api/v1/transcriptions')).status, 200);
    await page.getByText(`Bearer ${key}`).waitFor();
    await page.getByRole('button', { name: 'Send it from here' }).click();
    await page.getByText('"data": []').waitFor();
    await assertSound(watched, service);
    await page.reload();
    await page.getByText('<b>night script</b>').waitFor();
    assert.equal(await page.locator('.secret').count(), 0);
    await page.getByText('last used today').waitFor();
    await page.getByRole('button', { name: 'Revoke <b>night script</b>' }).click();
    await page.getByText('Revoked').waitFor();
    assert.equal((await api.get('/api/v1/transcriptions')).status, 401);
    await page.context().close();
  });

  test('a webhook is made, tested, its message shown, sent again, and deleted', async () => {
    const watched = await signedInPage(browser, service);
    const { page } = watched;
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(`${service.url}/settings/webhooks`);
    await page.getByLabel('Address of your receiver').fill(receiver.url);
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    assert.match((await page.locator('.secret code').textContent()) ?? '', /^whsec_/);
    const before = receiver.received.length;
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Delivered').waitFor();
    assert.equal(receiver.received.length, before + 1);
    await page.getByText('transcription.completed →').click();
    await page.getByText('webhook-test.mp3').waitFor();
    await page.getByText(/answered 200 after/).waitFor();
    await page.getByText('<b>yes</b>').waitFor();
    await assertSound(watched, service);
    await page.getByRole('button', { name: 'Send again' }).click();
    await eventually(() => receiver.received.length === before + 2, 'the replay');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet.').waitFor();
    await page.context().close();
  });

  test('the operator sees work and accounts, makes one, and hands over a sign-in link', async () => {
    const accountId = await newAccount(service.environment);
    const marked = await longhand(service.environment, 'account', 'operator', accountId, '--json');
    assert.equal(JSON.parse(marked.stdout).is_operator, true);
    const watched = await signedInPage(browser, service, { accountId });
    const { page } = watched;
    await page.goto(`${service.url}/operator`);
    await page.getByText('1 active').waitFor();
    const worker = page.getByRole('row').filter({ hasText: hostname() });
    await worker.getByText('moonshine').first().waitFor();
    await page.getByLabel('Name').fill('Katherine');
    await page.getByRole('combobox', { name: 'Plan' }).first().selectOption('free');
    await page.getByRole('button', { name: 'Make an account' }).click();
    await page.getByRole('button', { name: 'Sign-in link for Katherine' }).click();
    const link = (await page.locator('.secret code').textContent()) ?? '';
    await assertSound(watched, service);
    const katherine = new WebClient(service.url);
    const token = new URL(link).searchParams.get('token');
    const { status, body } = await katherine.send('POST', '/web/session', { token });
    assert.deepEqual(
      [status, body.data.account.name, body.data.account.plan.name],
      [201, 'Katherine', 'free'],
    );
    await page.getByLabel('Plan: Katherine').selectOption('pro');
    await eventually(
      async () => (await katherine.send('GET', '/web/session')).body.data.account.plan.name === 'pro',
      'the new plan',
    );
    await longhand(service.environment, 'account', 'operator', accountId, '--revoke');
    assert.equal((await watched.web.send('GET', '/web/operator')).status, 403);
    await page.context().close();
  });
}
