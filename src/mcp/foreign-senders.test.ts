import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedSenders } from './foreign-senders.ts';

test('on loopback only names of this machine and the public one are right', () => {
  const { hosts, origins } = allowedSenders({ host: '127.0.0.1', publicUrl: 'https://longhand.example' });
  assert.deepEqual([...(hosts ?? [])].toSorted(), ['127.0.0.1', '[::1]', 'localhost', 'longhand.example']);
  assert.deepEqual(origins, hosts);
});

test('elsewhere any name may be a proxy’s, but pages only come from the public address', () => {
  const { hosts, origins } = allowedSenders({ host: '0.0.0.0', publicUrl: 'https://longhand.example' });
  assert.equal(hosts, undefined);
  assert.deepEqual([...origins], ['longhand.example']);
});
