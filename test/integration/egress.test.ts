import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createEgress, type EgressLimits, type EgressOptions } from '../../src/egress/egress.ts';
import { EgressFailure } from '../../src/egress/failure.ts';
import { nothingAllowed, parseEgressAllow } from '../../src/egress/url.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { testCertificate, testCertificateKey } from '../fixtures/tls-certificate.ts';

const limits: EgressLimits = {
  connectMs: 10_000,
  totalMs: 20_000,
  idleMs: 10_000,
  bytesMax: 100_000,
  headerBytesMax: 16_384,
  redirectsMax: 0,
};

async function serve(
  t: { after(f: () => unknown): void },
  handler: RequestListener,
  secure = false,
): Promise<number> {
  const server: Server = secure
    ? createSecureServer({ cert: testCertificate, key: testCertificateKey }, handler)
    : createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function egress(options: Partial<EgressOptions> = {}) {
  return createEgress({ allow: nothingAllowed, clock: systemClock, ...options });
}

/** Pretends that every public address leads to one server on loopback. */
function leadTo(port: number): Pick<EgressOptions, 'dial' | 'resolve'> {
  return {
    resolve: async () => ['93.184.216.34'],
    dial: async (address) => {
      const socket = connect(port, '127.0.0.1');
      await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
      return { socket, peerAddress: address };
    },
  };
}

async function failure(work: Promise<unknown>): Promise<EgressFailure> {
  const error = await work.then(
    () => assert.fail('the request succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof EgressFailure, String(error));
  return error;
}

test('a request reaches an allowed pair over plain HTTP with its method, headers and body', async (t) => {
  let seen: IncomingMessage | undefined;
  let body = '';
  const port = await serve(t, async (request, response) => {
    seen = request;
    for await (const chunk of request) body += chunk;
    response.setHeader('X-Answer', 'yes').end('fine');
  });
  const way = egress({ allow: parseEgressAllow(`127.0.0.1:${port}`) });
  const answer = await way.request({
    url: `http://127.0.0.1:${port}/hook?x=1`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'webhook-id': '7' },
    body: '{"a":1}',
    limits,
    httpsOnly: true,
    port443Only: true,
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['x-answer'], 'yes');
  assert.equal(await answer.text(), 'fine');
  assert.deepEqual([seen?.method, seen?.url, body], ['POST', '/hook?x=1', '{"a":1}']);
  assert.equal(seen?.headers['webhook-id'], '7');
  assert.equal(seen?.headers['content-length'], '7');
});

test('the same server is out of reach without the allow list', async (t) => {
  const port = await serve(t, () => assert.fail('reached'));
  const error = await failure(egress().request({ url: `http://127.0.0.1:${port}/`, limits }));
  assert.equal(error.kind, 'blocked');
  assert.equal(error.transient, false);
});

test('TLS is verified against the name that was asked for, not the address dialled', async (t) => {
  const port = await serve(t, (_request, response) => response.end('secret'), true);
  const trusted = egress({ ...leadTo(port), trustedCertificates: testCertificate });
  const answer = await trusted.request({ url: 'https://media.example/', limits });
  assert.equal(await answer.text(), 'secret');
  const otherName = await failure(trusted.request({ url: 'https://other.org/', limits }));
  assert.equal(otherName.kind, 'tls');
  const untrusted = await failure(egress(leadTo(port)).request({ url: 'https://media.example/', limits }));
  assert.equal(untrusted.kind, 'tls');
});

test('a redirect is handed back when none may be followed', async (t) => {
  const port = await serve(t, (_q, response) =>
    response.writeHead(302, { location: 'http://127.0.0.1/' }).end(),
  );
  const answer = await egress(leadTo(port)).request({ url: 'http://a.example/', limits });
  assert.equal(answer.status, 302);
  answer.close();
});

test('redirects are followed up to the limit, keys and cookies stay with the first origin', async (t) => {
  const seen: [string | undefined, string | undefined, string | undefined][] = [];
  const port = await serve(t, (request, response) => {
    seen.push([request.headers.host, request.headers.authorization, request.headers['user-agent']]);
    if (request.url === '/end') response.end('there');
    else response.writeHead(302, { location: request.url === '/a' ? '/b' : 'http://b.example/end' }).end();
  });
  const way = egress(leadTo(port));
  const request = { url: 'http://a.example/a', headers: { Authorization: 'k', 'User-Agent': 'u' } };
  const answer = await way.request({ ...request, limits: { ...limits, redirectsMax: 2 } });
  assert.equal(await answer.text(), 'there');
  assert.equal(answer.url.href, 'http://b.example/end');
  assert.deepEqual(seen, [
    ['a.example', 'k', 'u'],
    ['a.example', 'k', 'u'],
    ['b.example', undefined, 'u'],
  ]);
  const error = await failure(way.request({ ...request, limits: { ...limits, redirectsMax: 1 } }));
  assert.equal(error.kind, 'too_many_redirects');
});

test('a body beyond the limit fails', async (t) => {
  const port = await serve(t, (_request, response) => {
    response.write(Buffer.alloc(60_000, 'a'));
    response.end(Buffer.alloc(60_000, 'b'));
  });
  const way = egress(leadTo(port));
  const whole = await way.request({ url: 'http://a.example/', limits });
  assert.equal((await failure(whole.bytes())).kind, 'too_large');
});

test('a declared length beyond the limit fails before any byte is read', async (t) => {
  const port = await serve(t, (_q, response) => {
    response.writeHead(200, { 'content-length': '99999999' }).write('a');
  });
  const answer = await egress(leadTo(port)).request({ url: 'http://a.example/', limits });
  assert.equal((await failure(answer.bytes())).kind, 'too_large');
});

test('compressed answers are opened within the limit, a bomb is not', async (t) => {
  const bodies: Record<string, Buffer> = {
    '/small': gzipSync('hello'),
    '/bomb': gzipSync(Buffer.alloc(50_000_000)),
    '/damaged': Buffer.from('not gzip'),
  };
  const port = await serve(t, (request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bodies[request.url ?? '']),
  );
  const way = egress(leadTo(port));
  const get = (path: string) => way.request({ url: `http://a.example${path}`, limits });
  assert.equal(await (await get('/small')).text(), 'hello');
  assert.equal((await failure((await get('/bomb')).bytes())).kind, 'too_large');
  assert.equal((await failure((await get('/damaged')).bytes())).kind, 'bad_answer');
});

test('silence, dripping and unfinished answers end by the clock', async (t) => {
  const port = await serve(t, (request, response) => {
    if (request.url === '/silent') return;
    if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => response.destroy(), 20);
      return;
    }
    response.writeHead(200).write('a');
    const timer = setInterval(() => response.write('a'), 20);
    response.on('close', () => clearInterval(timer));
  });
  const way = egress(leadTo(port));
  const get = async (path: string, some: Partial<EgressLimits>) => {
    const answer = await way.request({ url: `http://a.example${path}`, limits: { ...limits, ...some } });
    return await answer.bytes();
  };
  assert.equal((await failure(get('/silent', { idleMs: 100 }))).kind, 'timeout');
  assert.equal((await failure(get('/silent', { totalMs: 100 }))).kind, 'timeout');
  assert.equal((await failure(get('/drip', { totalMs: 200 }))).kind, 'timeout');
  assert.equal((await failure(get('/cut', {}))).kind, 'interrupted');
});

test('headers beyond the limit and answers that are not HTTP are refused', async (t) => {
  const port = await serve(t, (request, response) => {
    if (request.url === '/headers') response.writeHead(200, { 'x-long': 'a'.repeat(60_000) }).end();
    else response.socket?.end('SSH-2.0-OpenSSH\r\n');
  });
  const way = egress(leadTo(port));
  for (const path of ['/headers', '/ssh']) {
    assert.equal((await failure(way.request({ url: `http://a.example${path}`, limits }))).kind, 'bad_answer');
  }
});

test('the caller can abort, and sees its own reason', async (t) => {
  const port = await serve(t, () => {});
  const stop = new AbortController();
  const work = egress(leadTo(port)).request({ url: 'http://a.example/', limits, signal: stop.signal });
  stop.abort(new Error('the lease is lost'));
  await assert.rejects(work, /the lease is lost/);
});

test('names that do not resolve, refuse or fall silent are told apart', async (t) => {
  const silent: EgressOptions['dial'] = (_a, _p, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const none = egress({ resolve: () => Promise.reject(new Error('ENOTFOUND')) });
  assert.equal((await failure(none.request({ url: 'https://a.example/', limits }))).kind, 'dns');
  assert.equal(await none.resolvesToPublic('a.example'), 'unresolved');
  const slow = egress({ resolve: async () => ['1.1.1.1'], dial: silent });
  const quick = { ...limits, connectMs: 50 };
  assert.equal((await failure(slow.request({ url: 'https://a.example/', limits: quick }))).kind, 'timeout');
  const refused = egress({ allow: parseEgressAllow('127.0.0.1:1') });
  assert.equal((await failure(refused.request({ url: 'http://127.0.0.1:1/', limits }))).kind, 'connect');
  const mixed = egress({ resolve: async () => ['1.1.1.1', '10.0.0.1'] });
  assert.equal(await mixed.resolvesToPublic('a.example'), 'closed');
  assert.equal(await slow.resolvesToPublic('a.example'), 'public');
  assert.equal(await slow.resolvesToPublic('localhost'), 'closed');
  t.diagnostic('no public address was dialled');
});
