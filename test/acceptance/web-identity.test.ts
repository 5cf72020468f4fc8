/** Signing in with a company's own identity, against a real OpenID Connect issuer on this machine. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { Provider } from 'oidc-provider';
import { onCleanup } from '../support/cleanup.ts';
import { freePort } from '../support/free-port.ts';
import { runService } from '../support/service.ts';
import { WebClient } from '../support/web-client.ts';

const clientId = 'longhand';
const clientSecret = 'a secret of this test alone';

/** Everybody who asks is signed in as the subject that stands here. */
const issuer = { subject: 'ada', name: 'Ada Lovelace', url: '' };
const port = await freePort();

async function startIssuer(): Promise<void> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer.url, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`http://127.0.0.1:${port}/signin/callback`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    cookies: { keys: ['of this test alone'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, name: issuer.name }) }),
    interactions: { url: (_context, interaction) => `/consent/${interaction.uid}` },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/consent/')) return answer(request, response);
    return void consent(provider, request, response);
  });
  onCleanup({ after }, async () => void server.close());
}

/** What a person does at the issuer: signs in and agrees. */
async function consent(
  provider: Provider,
  request: Parameters<Provider['interactionDetails']>[0],
  response: Parameters<Provider['interactionDetails']>[1],
): Promise<void> {
  const { params, session } = await provider.interactionDetails(request, response);
  const accountId = session?.accountId ?? issuer.subject;
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  grant.addOIDCScope('openid profile email');
  const result = { login: { accountId }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

await startIssuer();
const service = await runService(
  { after },
  {
    LONGHAND_PORT: String(port),
    LONGHAND_OIDC_ISSUER: issuer.url,
    LONGHAND_OIDC_CLIENT_ID: clientId,
    LONGHAND_OIDC_CLIENT_SECRET: clientSecret,
    LONGHAND_EGRESS_ALLOW: new URL(issuer.url).host,
  },
);

/** A browser that follows redirects and keeps cookies by origin; gives the last answer. */
async function visit(start: string, jar = new Map<string, string>()): Promise<{ url: URL; jar: typeof jar }> {
  let url = new URL(start);
  for (let hop = 0; hop < 12; hop += 1) {
    const own = [...jar].filter(([name]) => name.startsWith(`${url.origin} `));
    const cookie = own.map(([name, value]) => `${name.split(' ')[1]}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
    await response.arrayBuffer();
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      jar.set(`${url.origin} ${name}`, value);
    }
    const location = response.headers.get('location');
    if (location === null) return { url, jar };
    url = new URL(location, url);
  }
  throw new Error('the visit does not end');
}

const personOf = async (jar: Map<string, string>) => {
  const web = new WebClient(service.url, `longhand=${jar.get(`${service.url} longhand`) ?? ''}`);
  return (await web.send('GET', '/web/session')).body.data.account;
};

test('a person whom the issuer knows gets an account at the first visit and the same one at the next', async () => {
  const offered = await new WebClient(service.url).send('GET', '/web/session');
  assert.deepEqual(offered.body.data, { account: null, has_identity_provider: true });
  const first = await visit(`${service.url}/signin/identity`);
  assert.equal(first.url.href, `${service.url}/`);
  const ada = await personOf(first.jar);
  assert.deepEqual([ada.name, ada.plan.name, ada.is_operator], ['Ada Lovelace', 'free', false]);
  const second = await personOf((await visit(`${service.url}/signin/identity`)).jar);
  assert.equal(second.id, ada.id);
  issuer.subject = 'grace';
  issuer.name = 'Grace Hopper';
  const grace = await personOf((await visit(`${service.url}/signin/identity`)).jar);
  assert.notEqual(grace.id, ada.id);
});

test('an answer that this browser did not ask for opens nothing', async () => {
  for (const query of ['code=x&state=y', 'state=y', 'error=access_denied', '']) {
    const { url, jar } = await visit(`${service.url}/signin/callback?${query}`);
    assert.equal(url.href, `${service.url}/signin?problem=identity`);
    assert.equal(await personOf(jar), null);
  }
  // The cookie of a sign-in that was begun does not make another state right.
  const begun = await fetch(`${service.url}/signin/identity`, { redirect: 'manual' });
  const [cookie = ''] = begun.headers.getSetCookie();
  assert.match(cookie, /; Path=\/signin; HttpOnly; SameSite=Lax$/);
  const forged = await fetch(`${service.url}/signin/callback?code=x&state=other&iss=${issuer.url}`, {
    redirect: 'manual',
    headers: { cookie: cookie.split(';')[0] ?? '' },
  });
  assert.equal(forged.headers.get('location'), '/signin?problem=identity');
});
