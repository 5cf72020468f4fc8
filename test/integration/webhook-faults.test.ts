/** What receivers do wrong, and what the network does to both: each case with the line it leaves in the log. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dial } from '../../src/egress/guard.ts';
import { testCertificate } from '../fixtures/tls-certificate.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, acknowledge, answerWith, openReceiver, verified } from '../support/webhook-receiver.ts';
import { openWorld } from '../support/webhook-world.ts';

async function attemptAgainst(t: TestContext, answer: Answer) {
  const receiver = await openReceiver(t, { answer });
  const world = await openWorld(t, { allow: [receiver.target] });
  const accountId = await world.account();
  const { signingSecret } = await world.subscribe(accountId, receiver.url);
  world.startDispatcher();
  await world.endJob(accountId);
  return { receiver, world, secret: signingSecret };
}

const badStatuses = [
  300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 408, 409, 418, 429, 500, 502, 503, 504,
];

test('every answer but 2xx and 410 is a failure that is tried again', async (t) => {
  const remaining = [...badStatuses];
  const receiver = await openReceiver(t, {
    answer: (response) => {
      response.writeHead(remaining.shift() ?? 200, { location: '/elsewhere' }).end();
    },
  });
  const world = await openWorld(t, { allow: [receiver.target] });
  const accountId = await world.account();
  await world.subscribe(accountId, receiver.url);
  world.startDispatcher();
  for (const _ of badStatuses) await world.endJob(accountId);
  const deliveries = await eventually(async () => {
    const all = await world.deliveries();
    return all.every(({ attempts }) => attempts.length === 1) ? all : undefined;
  }, 'an attempt of each');
  assert.deepEqual(
    deliveries.flatMap(({ attempts }) => attempts.map(({ statusCode }) => statusCode)).toSorted(),
    badStatuses.toSorted(),
  );
  assert.ok(deliveries.every(({ state, nextAttemptAt }) => state === 'pending' && nextAttemptAt));
  assert.ok(receiver.received.every(({ path }) => path.startsWith('/hooks')));
});

test('every 2xx is success', async (t) => {
  const statuses = [200, 201, 202, 204, 206, 299];
  const receiver = await openReceiver(t, {
    answer: (response) => {
      response.writeHead(statuses.shift() ?? 500).end();
    },
  });
  const world = await openWorld(t, { allow: [receiver.target] });
  const accountId = await world.account();
  await world.subscribe(accountId, receiver.url);
  world.startDispatcher();
  for (const _ of [...statuses]) await world.endJob(accountId);
  await eventually(async () => {
    const all = await world.deliveries();
    return all.every(({ state }) => state === 'delivered') || undefined;
  }, 'all delivered');
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`a ${status} is not followed, not even to an allowed place`, async (t) => {
    const elsewhere = await openReceiver(t);
    const receiver = await openReceiver(t, { answer: answerWith(status, { location: elsewhere.url }) });
    const world = await openWorld(t, { allow: [receiver.target, elsewhere.target] });
    const accountId = await world.account();
    await world.subscribe(accountId, receiver.url);
    world.startDispatcher();
    await world.endJob(accountId);
    const delivery = await world.deliveryAfter(1);
    assert.equal(delivery.state, 'pending');
    assert.equal(delivery.attempts[0]?.statusCode, status);
    assert.equal(elsewhere.connections, 0);
  });
}

test('a receiver that refuses connections is a failure that is tried again', async (t) => {
  const placeholder = createServer().listen(0, '127.0.0.1');
  await once(placeholder, 'listening');
  const { port } = placeholder.address() as AddressInfo;
  placeholder.close();
  await once(placeholder, 'close');
  const world = await openWorld(t, { allow: [`127.0.0.1:${port}`] });
  const accountId = await world.account();
  await world.subscribe(accountId, `http://127.0.0.1:${port}/`);
  world.startDispatcher();
  await world.endJob(accountId);
  const delivery = await world.deliveryAfter(1);
  assert.equal(delivery.state, 'pending');
  assert.match(delivery.attempts[0]?.error ?? '', /^connect: ECONNREFUSED/);
});

test('a receiver that hangs is left after 15 s, not before', async (t) => {
  const { receiver, world } = await attemptAgainst(t, () => {});
  await eventually(() => receiver.received.length === 1 || undefined, 'the request');
  await world.clock.advance(14_999);
  assert.deepEqual((await world.deliveries())[0]?.attempts, []);
  await world.clock.advance(1);
  const delivery = await world.deliveryAfter(1);
  assert.match(delivery.attempts[0]?.error ?? '', /^timeout/);
  assert.equal(delivery.attempts[0]?.durationMs, 15_000);
});

test('a receiver that drips its answer byte by byte is left after 15 s in all', async (t) => {
  let dripped = 0;
  const { world } = await attemptAgainst(t, async (_response, _received, { socket }) => {
    for (const byte of `HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(4_000)}`) {
      if (socket.destroyed) return;
      socket.write(byte);
      dripped += 1;
      await delay(10);
    }
  });
  await eventually(() => dripped > 3 || undefined, 'the first bytes');
  await world.clock.advance(15_000);
  const delivery = await world.deliveryAfter(1);
  assert.equal(delivery.state, 'pending');
  assert.match(delivery.attempts[0]?.error ?? '', /^timeout/);
});

test('a receiver that answers 200 after our time-out gets a duplicate with the same id', async (t) => {
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
  const { receiver, world, secret } = await attemptAgainst(t, async (response) => {
    await mayAnswer;
    response.writeHead(200).end();
  });
  await eventually(() => receiver.received.length === 1 || undefined, 'the request');
  await world.clock.advance(15_000);
  await world.deliveryAfter(1);
  letAnswer();
  await world.pass(5_000);
  const delivery = await world.deliveryAfter(2);
  assert.equal(delivery.state, 'delivered');
  const [first, second] = receiver.received;
  assert.ok(first && second);
  assert.equal(first.headers['webhook-id'], second.headers['webhook-id']);
  assert.deepEqual(first.body, second.body);
  verified(second, secret);
});

test('a receiver that closes the connection without an answer is tried again', async (t) => {
  const { world } = await attemptAgainst(t, (_response, _received, { socket }) => {
    socket.destroy();
  });
  const delivery = await world.deliveryAfter(1);
  assert.equal(delivery.state, 'pending');
  assert.match(delivery.attempts[0]?.error ?? '', /^interrupted/);
});

test('of an endless answer only the beginning is read', async (t) => {
  let sentBytes = 0;
  const { promise: closed, resolve: noteClosed } = Promise.withResolvers<void>();
  const { world } = await attemptAgainst(t, (response) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(64 * 1024);
    const pour = () => {
      while (!response.destroyed && response.write(chunk)) sentBytes += chunk.length;
    };
    response.on('drain', pour);
    response.on('close', noteClosed);
    pour();
  });
  const delivery = await world.deliveryAfter(1);
  assert.equal(delivery.state, 'delivered');
  await closed;
  // What was read is 64 KiB; the rest stood in the buffers of two sockets.
  assert.ok(sentBytes < 16 * 1024 * 1024, `${sentBytes} bytes were taken`);
});

test('an answer with huge headers is a failure', async (t) => {
  const { world } = await attemptAgainst(t, (_response, _received, { socket }) => {
    socket.write(`HTTP/1.1 200 OK\r\nx-huge: ${'x'.repeat(1024 * 1024)}\r\ncontent-length: 0\r\n\r\n`);
  });
  const delivery = await world.deliveryAfter(1);
  assert.equal(delivery.state, 'pending');
  assert.match(delivery.attempts[0]?.error ?? '', /^bad_answer/);
});

test('an answer that is not HTTP is a failure', async (t) => {
  const { world } = await attemptAgainst(t, (_response, _received, { socket }) => {
    socket.end('SSH-2.0-OpenSSH_9.6\r\n');
  });
  const delivery = await world.deliveryAfter(1);
  assert.equal(delivery.state, 'pending');
  assert.match(delivery.attempts[0]?.error ?? '', /^bad_answer/);
});

test('a cookie that a receiver sets never comes back to it', async (t) => {
  const { receiver, world } = await attemptAgainst(t, answerWith(500, { 'set-cookie': 'session=1; Path=/' }));
  await world.deliveryAfter(1);
  receiver.answer = acknowledge;
  await world.pass(5_000);
  await world.deliveryAfter(2);
  assert.equal(receiver.received[1]?.headers.cookie, undefined);
});

test('a certificate that nobody vouches for is a failure, and no event is sent', async (t) => {
  const receiver = await openReceiver(t, { tls: true });
  const world = await openWorld(t, { allow: [receiver.target] });
  const accountId = await world.account();
  await world.subscribe(accountId, receiver.url);
  world.startDispatcher();
  await world.endJob(accountId);
  const delivery = await world.deliveryAfter(1);
  assert.match(delivery.attempts[0]?.error ?? '', /^tls: /);
  assert.equal(receiver.received.length, 0);
});

/** Leads connections to public addresses to a server of this test; everything else is dialled as it is. */
function dialTo(port: number, dialled: string[]): Dial {
  return async (address) => {
    dialled.push(address);
    const socket: Socket = connect({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    return { socket, peerAddress: address };
  };
}

test('a receiver that does not take the connection is left after 5 s', async (t) => {
  const world = await openWorld(t, {
    resolve: async () => ['93.184.215.14'],
    dial: (_address, _port, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  const accountId = await world.account();
  await world.subscribe(accountId, 'https://hooks.example.com/');
  world.startDispatcher();
  await world.endJob(accountId);
  await eventually(
    async () => (await world.deliveries())[0]?.state === 'sending' || undefined,
    'the attempt',
  );
  await world.clock.advance(5_000);
  const delivery = await world.deliveryAfter(1);
  assert.match(delivery.attempts[0]?.error ?? '', /^timeout/);
});

test('a certificate for another name is a failure, and no event is sent', async (t) => {
  const receiver = await openReceiver(t, { tls: true });
  const port = Number(receiver.target.split(':')[1]);
  const world = await openWorld(t, {
    trustedCertificates: testCertificate,
    resolve: async () => ['93.184.215.14'],
    dial: dialTo(port, []),
  });
  const accountId = await world.account();
  await world.subscribe(accountId, 'https://hooks.example.net/');
  world.startDispatcher();
  await world.endJob(accountId);
  const delivery = await world.deliveryAfter(1);
  assert.match(delivery.attempts[0]?.error ?? '', /^tls: /);
  assert.equal(receiver.received.length, 0);
});

const rebindTargets = [
  '127.0.0.1',
  '10.0.0.7',
  '169.254.169.254',
  '100.64.0.1',
  '::1',
  '::ffff:127.0.0.1',
  'fd00::1',
];

for (const target of rebindTargets) {
  test(`a name that turns to ${target} between attempts is not followed there`, async (t) => {
    const receiver = await openReceiver(t, { tls: true, answer: answerWith(503, { connection: 'close' }) });
    const port = Number(receiver.target.split(':')[1]);
    const dialled: string[] = [];
    let addresses = ['93.184.215.14'];
    const world = await openWorld(t, {
      trustedCertificates: testCertificate,
      resolve: async () => addresses,
      dial: dialTo(port, dialled),
    });
    const accountId = await world.account();
    await world.subscribe(accountId, 'https://hooks.example.com/');
    world.startDispatcher();
    await world.endJob(accountId);
    await world.deliveryAfter(1);
    assert.equal(receiver.received.length, 1);
    addresses = ['93.184.215.14', target];
    await world.pass(5_000);
    const delivery = await world.deliveryAfter(2);
    assert.match(delivery.attempts[1]?.error ?? '', /^blocked: /);
    assert.deepEqual(dialled, ['93.184.215.14']);
    assert.equal(receiver.received.length, 1);
  });
}
