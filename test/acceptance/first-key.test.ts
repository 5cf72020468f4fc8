/** The key of the first start cannot be lost before it was used. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { ApiClient } from '../support/api-client.ts';
import { onCleanup } from '../support/cleanup.ts';
import { longhand, startService, testEnvironment } from '../support/service.ts';

const shownKey = (output: string) => /lh_[0-9A-Za-z]{36}/.exec(output)?.[0] ?? '';

test('a taken port loses no key, and the key is shown until it is used', async (t) => {
  const environment = await testEnvironment(t);
  const start = async () => {
    const service = await startService(environment);
    onCleanup(t, () => service.stop());
    return service;
  };
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const failed = await longhand({ ...environment, LONGHAND_PORT: String(port) }, 'serve');
  taken.close();
  assert.equal(failed.code, 1);
  assert.match(
    failed.stderr,
    new RegExp(`^longhand: .*127\\.0\\.0\\.1 port ${port}: .*LONGHAND_PORT\\.\\n$`),
  );
  assert.equal(failed.stdout, '');
  assert.deepEqual(JSON.parse((await longhand(environment, 'account', 'list', '--json')).stdout), {
    accounts: [],
  });
  const early = await longhand(environment, 'key', 'create');
  assert.equal(early.code, 2);
  assert.match(early.stderr, /^longhand: There is no account yet\..*\n$/);

  const first = await start();
  const key = shownKey(first.output());
  assert.notEqual(key, '');
  assert.match(first.output(), /\/docs\n/);
  await first.stop();

  const second = await start();
  assert.equal(shownKey(second.output()), key);
  assert.equal((await new ApiClient(second.url, key).get('/api/v1/transcriptions')).status, 200);
  await second.stop();

  const third = await start();
  await third.stop();
  assert.equal(third.output(), `Longhand is ready at ${third.url}\n`);

  const { keys } = JSON.parse((await longhand(environment, 'key', 'list', '--json')).stdout);
  await longhand(environment, 'key', 'revoke', keys[0].id);
  const locked = await start();
  assert.match(locked.output(), /No API key.*npx longhand key create\n/);
  const made = JSON.parse((await longhand(environment, 'key', 'create', '--json')).stdout);
  assert.equal((await new ApiClient(locked.url, made.key).get('/api/v1/transcriptions')).status, 200);

  await longhand(environment, 'account', 'create', 'Ada');
  const ambiguous = await longhand(environment, 'key', 'create');
  assert.equal(ambiguous.code, 2);
  assert.match(ambiguous.stderr, /^longhand: There are several accounts.*--account.*\n$/);
});
