import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PublicUrl } from './public-url.ts';

const plain = { publicUrl: undefined, host: '127.0.0.1', port: 8080, tls: undefined };

test('the setting wins over host, port and whatever a request says', () => {
  const url = new PublicUrl({ ...plain, publicUrl: 'https://a.example/longhand' });
  assert.equal(url.base, 'https://a.example/longhand');
  assert.equal(url.forHost('evil.example'), 'https://a.example/longhand');
});

test('without it links come from host and the port that was taken', () => {
  const url = new PublicUrl({ ...plain, port: 0 });
  url.listensOn(40123);
  assert.equal(url.base, 'http://127.0.0.1:40123');
  assert.equal(new PublicUrl({ ...plain, host: '::1', tls: {} }).base, 'https://[::1]:8080');
  for (const host of ['0.0.0.0', '::'])
    assert.equal(new PublicUrl({ ...plain, host }).base, 'http://localhost:8080');
});

test('the links of an answer use the name under which its sender reached us', () => {
  const url = new PublicUrl({ ...plain, host: '0.0.0.0' });
  assert.equal(url.forHost('192.168.1.20:8080'), 'http://192.168.1.20:8080');
  assert.equal(url.forHost('media_box.lan'), 'http://media_box.lan');
  assert.equal(url.forHost('[fd00::5]:9000'), 'http://[fd00::5]:9000');
  assert.equal(new PublicUrl({ ...plain, tls: {} }).forHost('a.example'), 'https://a.example');
});

test('a Host that is no host and port is not used', () => {
  const url = new PublicUrl({ ...plain, host: '0.0.0.0' });
  for (const host of [
    undefined,
    '',
    'a.example/path',
    'user@a.example',
    'a.example#x',
    'a.example?x',
    'a b',
    'a.example:99999',
    'a.example:80:80',
    '[::1',
    '[zz]',
    '999.1.1.1',
    '.a',
    'a\\b',
    `${'a'.repeat(300)}.example`,
  ])
    assert.equal(url.forHost(host), 'http://localhost:8080', host);
});
