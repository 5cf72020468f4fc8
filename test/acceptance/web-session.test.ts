/** Signing in to the web product, seen from outside: what a browser gets, and what others do not get. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { freePort } from '../support/free-port.ts';
import { longhand, runService, startService, testEnvironment } from '../support/service.ts';
import { signInToken, WebClient } from '../support/web-client.ts';

const service = await runService({ after });
const sessionRoutes: [method: string, path: string][] = [
  ['DELETE', '/web/session'],
  ['GET', '/web/sessions'],
  ['DELETE', '/web/sessions/5b6f3ba4-3d6e-4c53-9a2a-2f5a2b0f9d11'],
];

test('the first start prints a link that signs in once; the page alone uses nothing up', async (t) => {
  const first = await startService(await testEnvironment(t));
  try {
    const link = /^ {2}Open +(http\S+\/signin\?token=\S+)$/m.exec(first.output())?.[1] ?? '';
    for (let look = 0; look < 2; look += 1) {
      const page = await fetch(link);
      assert.equal(page.status, 200);
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
      assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
    }
    const token = new URL(link).searchParams.get('token') ?? '';
    const web = new WebClient(first.url);
    const { status, body } = await web.send('POST', '/web/session', { token });
    assert.equal(status, 201);
    assert.deepEqual([body.data.account.name, body.data.account.is_operator], ['default', true]);
    assert.equal((await new WebClient(first.url).send('POST', '/web/session', { token })).status, 401);
  } finally {
    await first.stop();
  }
});

test('the cookie is HttpOnly and SameSite=Strict, and under https Secure with the __Host- prefix', async (t) => {
  const web = await WebClient.signedIn(service);
  assert.match(web.setCookie, /^longhand=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
  // Behind a proxy that ends TLS.
  const port = String(await freePort());
  const settings = { LONGHAND_PUBLIC_URL: 'https://text.example', LONGHAND_PORT: port };
  const secure = await startService(await testEnvironment(t, settings));
  try {
    const client = await WebClient.signedIn({ ...secure, url: `http://127.0.0.1:${port}` });
    assert.match(client.setCookie, /^__Host-longhand=[\w-]{43}; .*; Secure/);
  } finally {
    await secure.stop();
  }
});

test('a session reads and writes through the API as its account, and an API key does not open session routes', async () => {
  const web = await WebClient.signedIn(service);
  const list = await web.send('GET', '/api/v1/transcriptions');
  assert.deepEqual([list.status, list.body], [200, { data: [] }]);
  const other = await newClient(service);
  assert.equal((await other.get('/web/sessions')).body.error.code, 'sign_in_required');
});

test('without a session, with a forged one, and after signing out every route gives nothing', async () => {
  const gone = await WebClient.signedIn(service);
  const { cookie } = gone;
  assert.equal((await gone.send('DELETE', '/web/session')).status, 204);
  for (const web of [
    new WebClient(service.url),
    new WebClient(service.url, cookie),
    new WebClient(service.url, `longhand=${'A'.repeat(43)}`),
    new WebClient(service.url, 'longhand=%'),
  ]) {
    for (const [method, path] of sessionRoutes) {
      const { status, body, headers } = await web.send(method, path);
      assert.deepEqual([status, body.error.code], [401, 'sign_in_required'], `${method} ${path}`);
      assert.equal(headers.get('cache-control'), 'no-store');
    }
    assert.equal((await web.send('GET', '/web/session')).body.data.account, null);
    const api = await web.send('GET', '/api/v1/transcriptions');
    assert.deepEqual([api.status, api.body.error.code], [401, 'missing_api_key']);
  }
});

test('what does not come from a page of this service is refused, whatever cookie it brings', async () => {
  const web = await WebClient.signedIn(service);
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ];
  for (const headers of foreign) {
    for (const [method, path] of sessionRoutes) {
      const { status, body } = await web.send(method, path, undefined, headers);
      assert.deepEqual([status, body.error.code], [403, 'cross_site_request'], `${method} ${path}`);
    }
    const api = await web.send('GET', '/api/v1/transcriptions', undefined, headers);
    assert.deepEqual([api.status, api.body.error.code], [401, 'missing_api_key']);
  }
  for (const [method, path] of sessionRoutes.filter(([one]) => one !== 'GET')) {
    const { status } = await web.withoutMark().send(method, path);
    assert.equal(status, 403, `${method} ${path}`);
  }
  const api = await web.withoutMark().send('GET', '/api/v1/transcriptions');
  assert.equal(api.status, 401);
  assert.equal((await web.send('GET', '/web/session')).status, 200);
});

test('sessions are listed with the one in use, and one that is ended elsewhere is out at once', async () => {
  const key = (await newClient(service)).key ?? '';
  const here = new WebClient(service.url);
  const there = new WebClient(service.url);
  for (const web of [here, there])
    assert.equal((await web.send('POST', '/web/session', { api_key: key })).status, 201);
  const { body } = await here.send('GET', '/web/sessions');
  assert.equal(body.data.length, 2);
  const other = body.data.find((one: { is_current: boolean }) => !one.is_current);
  assert.equal((await here.send('DELETE', `/web/sessions/${other.id}`)).status, 204);
  assert.equal((await there.send('GET', '/web/sessions')).status, 401);
  const stranger = await WebClient.signedIn(service);
  const [mine] = (await here.send('GET', '/web/sessions')).body.data;
  assert.equal((await stranger.send('DELETE', `/web/sessions/${mine.id}`)).status, 404);
});

test('a body that is no sign-in is refused in words', async () => {
  const web = new WebClient(service.url);
  for (const body of [{}, { token: 'a', api_key: 'b' }, { token: 5 }, [], 'x', { api_key: 'lh_wrong' }]) {
    const { status } = await web.send('POST', '/web/session', body);
    assert.ok(status === 400 || status === 401, JSON.stringify(body));
  }
});

test('pages come with a strict policy, and their files are immutable and compressed', async () => {
  for (const path of ['/', '/signin', '/settings', '/settings/keys', '/operator', '/transcripts/x']) {
    const page = await fetch(service.url + path);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.equal(page.headers.get('cache-control'), 'no-cache');
  }
  const page = await (await fetch(service.url)).text();
  assert.doesNotMatch(page, /<script(?![^>]* src=)/);
  const script = /src="(\/assets\/[^"]+)"/.exec(page)?.[1] ?? '';
  const file = await fetch(service.url + script, { headers: { 'accept-encoding': 'br' } });
  assert.equal(file.headers.get('content-encoding'), 'br');
  assert.match(file.headers.get('cache-control') ?? '', /max-age=31536000, immutable/);
  assert.equal((await fetch(`${service.url}/assets/none.js`)).status, 404);
});

test('switched off, the web product leaves the plain home page and no session routes', async (t) => {
  const closed = await startService(await testEnvironment(t, { LONGHAND_DOORS: 'none' }));
  try {
    assert.match(await (await fetch(closed.url)).text(), /Read the API guide/);
    assert.doesNotMatch(closed.output(), /signin/);
    for (const [method, path] of sessionRoutes)
      assert.equal((await new WebClient(closed.url).send(method, path)).status, 404);
    const refused = await longhand(closed.environment, 'signin');
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
  } finally {
    await closed.stop();
  }
});

test('"longhand signin" prints a link for the one account, or for the one that is named', async (t) => {
  const environment = await testEnvironment(t, { LONGHAND_PUBLIC_URL: 'https://text.example/' });
  assert.equal((await longhand(environment, 'signin')).code, 2);
  const account = JSON.parse((await longhand(environment, 'account', 'create', 'Ada', '--json')).stdout);
  const { stdout } = await longhand(environment, 'signin');
  assert.match(stdout, /^ {2}https:\/\/text\.example\/signin\?token=[\w-]{43}$/m);
  assert.notEqual(await signInToken(environment, account.id), '');
});
