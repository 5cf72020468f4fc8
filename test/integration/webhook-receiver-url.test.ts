import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEgress } from '../../src/egress/egress.ts';
import { nothingAllowed, parseEgressAllow } from '../../src/egress/url.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { receiverUrlCheck } from '../../src/webhook/receiver-url.ts';
import { attackedNames, receiverUrlAttacks } from '../fixtures/receiver-url-attacks.ts';

function checkWith(allow = nothingAllowed) {
  return receiverUrlCheck(
    createEgress({
      allow,
      clock: systemClock,
      resolve: async (name) => {
        const addresses = attackedNames[name];
        if (!addresses) throw new Error('ENOTFOUND');
        return addresses;
      },
      dial: () => Promise.reject(new Error('nothing may be dialled when a url is checked')),
    }),
  );
}

const accepted = [
  'https://hooks.example.com',
  'https://hooks.example.com/',
  'https://hooks.example.com:443/path?query=1&b=%20',
  'HTTPS://HOOKS.EXAMPLE.COM/Path',
  'https://hooks.example.com./',
  'https://v6.example.com/',
  'https://bücher.example/',
  'https://93.184.215.14/',
  'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
  'https://does-not-resolve-yet.example.com/',
  `https://hooks.example.com/${'x'.repeat(2_048 - 'https://hooks.example.com/'.length)}`,
];

for (const url of accepted) {
  test(`accepted: ${url.slice(0, 80)}`, async () => {
    assert.equal(await checkWith()(url), url);
  });
}

for (const [kind, urls] of Object.entries(receiverUrlAttacks)) {
  test(`refused: ${kind}`, async () => {
    const check = checkWith();
    for (const url of urls) assert.equal(await check(url), undefined, JSON.stringify(url));
  });
}

test('an exact pair of the allow list may be plain HTTP on its port; its neighbours may not', async () => {
  const check = checkWith(parseEgressAllow('127.0.0.1:9000'));
  for (const url of ['http://127.0.0.1:9000/x', 'https://127.0.0.1:9000/x', 'http://0x7f.1:9000/']) {
    assert.equal(await check(url), url);
  }
  for (const url of [
    'http://127.0.0.1:9001/',
    'http://127.0.0.2:9000/',
    'https://127.0.0.1/',
    'http://localhost:9000/',
    'http://user@127.0.0.1:9000/',
    'http://127.0.0.1:9000/#x',
    'http://hooks.example.com/',
  ]) {
    assert.equal(await check(url), undefined, url);
  }
});
