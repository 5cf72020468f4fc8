import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { saveLogin } from './saved-login.ts';
import { serverAddress, serverUrl } from './server-address.ts';

const configDir = await mkdtemp(join(tmpdir(), 'longhand-'));
after(() => rm(configDir, { recursive: true }));
const nowhere = {
  server: undefined,
  key: undefined,
  configDir: join(configDir, 'none'),
  stateDir: configDir,
};
const saved = { url: 'https://saved.example', key: 'saved-key' };
await saveLogin(configDir, saved);

test('the address of a server is the same however it is written', () => {
  for (const text of ['https://a.example', 'https://A.example:443/', ' https://a.example/api/v1/ '])
    assert.equal(serverUrl(text), 'https://a.example');
  assert.equal(serverUrl('http://a.example/longhand/'), 'http://a.example/longhand');
});

test('what was typed goes before the environment, which goes before the saved login', async () => {
  const settings = { ...nowhere, configDir, server: 'http://env.example/', key: 'env-key' };
  const typed = { server: 'http://typed.example', key: 'typed-key' };
  assert.deepEqual(await serverAddress(typed, settings), { url: 'http://typed.example', key: 'typed-key' });
  assert.deepEqual(await serverAddress({}, settings), { url: 'http://env.example', key: 'env-key' });
  assert.deepEqual(await serverAddress({}, { ...nowhere, configDir }), saved);
  assert.equal(await serverAddress({}, nowhere), undefined);
  assert.equal(await serverAddress({ local: true }, settings), undefined);
});

test('a saved key goes to its own server only', async () => {
  const settings = { ...nowhere, configDir };
  assert.deepEqual(await serverAddress({ server: 'https://saved.example/' }, settings), saved);
  await assert.rejects(serverAddress({ server: 'https://other.example' }, settings), /There is no key for/);
});

test('a key in the environment alone changes nothing; one that was typed needs a server', async () => {
  assert.equal(await serverAddress({}, { ...nowhere, key: 'env-key' }), undefined);
  assert.deepEqual(await serverAddress({}, { ...nowhere, configDir, key: 'env-key' }), saved);
  await assert.rejects(serverAddress({ key: 'k' }, nowhere), /--key needs --server/);
});
