import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closedAddressReason, closedNameReason } from './address-policy.ts';
import { judgeUrl, nothingAllowed, parseEgressAllow } from './url.ts';

const closed = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255', '127.0.0.1'],
  ...['127.255.255.254', '168.63.129.16', '169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.8'],
  ...[
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.9',
  ],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...[
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
  ],
  ...['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b:1::1', '100::1', 'fc00::1', 'fd12:3456::1', 'fe80::1'],
  ...['fe80::1%eth0', 'fec0::1', 'ff02::1', '2001::1', '2001:0:7f00:1::', '2001:10::1', '2001:db8::1'],
  ...['2002:7f00:1::', '2002:a00:1::1', '3fff::1', '4000::1', '1::1', 'fd00:ec2::254', '::ffff:0:127.0.0.1'],
  ...['', 'localhost', '127.1', '1.2.3', '1.2.3.4.5', '1.2.3.4/8'],
];
for (const address of closed) {
  test(`${address || 'the empty address'} is never reached`, () => assert.ok(closedAddressReason(address)));
}

const open = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.1', '100.63.255.255', '100.128.0.1', '126.255.255.255'],
  ...[
    '128.0.0.1',
    '168.63.129.15',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.1',
    '192.0.1.1',
    '192.167.0.1',
  ],
  ...['192.169.0.1', '198.17.255.255', '198.20.0.1', '223.255.255.255', '2606:4700::1111', '2a00:1450::1'],
  ...['2001:4860:4860::8888', '2003::1', '64:ff9b::808:808', '::ffff:8.8.8.8', '3ffe::1'],
];
for (const address of open) {
  test(`${address} is public`, () => assert.equal(closedAddressReason(address), undefined));
}

test('local names are closed whatever they resolve to, others may be public', () => {
  for (const name of [
    ...[
      'localhost',
      'LOCALHOST',
      'localhost.',
      'a.localhost',
      'printer',
      'printer.',
      'nas.local',
      'x.internal',
    ],
    ...['metadata.google.internal', 'router.home.arpa', 'abc.onion', 'db.localdomain', '', '.'],
  ]) {
    assert.ok(closedNameReason(name), name);
  }
  for (const name of ['example.com', 'example.com.', 'local.example.com', 'internal.co', 'a.b.invalid']) {
    assert.equal(closedNameReason(name), undefined, name);
  }
});

const refusedUrls = [
  ...['http://127.0.0.1/', 'http://127.1/', 'http://0x7f000001/', 'http://0x7f.1/', 'http://2130706433/'],
  ...['http://0177.0.0.1/', 'http://017700000001/', 'http://0/', 'http://0.0.0.0:80/', 'http://127.0.0.1./'],
  ...['http://１２７.０.０.１/', 'http://①②⑦.0.0.1/', 'http://127。0。0。1/', 'http://%31%32%37.0.0.1/'],
  ...['http://[::1]/', 'http://[::]/', 'http://[0:0:0:0:0:0:0:1]/', 'http://[::ffff:127.0.0.1]/'],
  ...[
    'http://[::ffff:7f00:1]/',
    'http://[::7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[fe80::1%25eth0]/',
  ],
  ...['http://[2002:7f00:1::]/', 'http://169.254.169.254/latest/meta-data/', 'http://0xa9fea9fe/'],
  ...[
    'http://localhost/',
    'http://localhost./',
    'http://LOCALHOST/',
    'http://ⓛocalhost/',
    'http://x.localhost/',
  ],
  ...['http://intranet/', 'http://a.internal/', 'http://nas.local/', 'http://user@example.com/'],
  ...['http://user:pass@example.com/', 'http://example.com@127.0.0.1/', 'http://127.0.0.1#@example.com/'],
  ...['http://example.com\\@127.0.0.1/', 'http://127.0.0.1\\.example.com/', 'http:\\\\127.0.0.1/'],
  ...['http://exam\nple.com/', 'http://example.com/\u0000', 'http://example.com/a\tb', 'http:/127.0.0.1/'],
  ...[
    'http:127.0.0.1',
    '//example.com/',
    'example.com',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://x.y/',
  ],
  ...[
    'data:text/plain,hi',
    'javascript:alert(1)',
    'http://',
    'https://',
    'http://:80/',
    'http://example.com:99999/',
  ],
  ...['http://example.com:22/', 'http://example.com:25/', 'http://example.com:6379/', 'http://exa mple.com/'],
  ...[
    'http://[::1',
    'http://1.2.3.4.5/',
    'http://256.256.256.256/',
    'http://[v1.x]/',
    '',
    ' ',
    'http://%00/',
  ],
  `http://example.com/${'a'.repeat(9000)}`,
];
for (const url of refusedUrls) {
  test(`the URL ${JSON.stringify(url.slice(0, 60))} is refused by its text alone`, () => {
    assert.equal(judgeUrl(url, { allow: nothingAllowed }).ok, false);
  });
}

test('public URLs pass, and give host and port without decoration', () => {
  for (const [text, host, port] of [
    ['https://example.com/a?b#c', 'example.com', 443],
    ['  http://Example.COM.:8080/a b.mp3 ', 'example.com', 8080],
    ['https://[2606:4700::1111]/', '2606:4700::1111', 443],
    ['https://1.1.1.1/', '1.1.1.1', 443],
    ['https://münchen.de/ü', 'xn--mnchen-3ya.de', 443],
  ] as const) {
    const verdict = judgeUrl(text, { allow: nothingAllowed });
    assert.ok(verdict.ok, text);
    assert.deepEqual([verdict.host, verdict.port], [host, port]);
  }
});

test('a URL never carries a fragment, nor instructions for a download tool, into the service', () => {
  const verdict = judgeUrl('https://example.com/a?b#c', { allow: nothingAllowed });
  assert.equal(verdict.ok && verdict.url.href, 'https://example.com/a?b');
  for (const smuggled of [
    'https://example.com/#__youtubedl_smuggle=%7B%7D',
    'https://example.com/?u=https%3A%2F%2Fx.org%2F%23__youtubedl_smuggle%3D%7B%7D',
    'https://example.com/?u=%2523%255F%255Fyoutubedl_smuggle',
  ]) {
    assert.equal(judgeUrl(smuggled, { allow: nothingAllowed }).ok, false, smuggled);
  }
});

test('https and port 443 can be demanded', () => {
  const rules = { allow: nothingAllowed, httpsOnly: true, port443Only: true };
  assert.equal(judgeUrl('https://example.com/', rules).ok, true);
  assert.equal(judgeUrl('https://example.com:443/', rules).ok, true);
  assert.equal(judgeUrl('http://example.com/', rules).ok, false);
  assert.equal(judgeUrl('https://example.com:8443/', rules).ok, false);
});

test('the allow list opens exact pairs only, in any spelling of the same address', () => {
  const allow = parseEgressAllow('127.0.0.1:9000, [::1]:9000');
  const rules = { allow, httpsOnly: true, port443Only: true };
  for (const url of [
    'http://127.0.0.1:9000/',
    'https://127.0.0.1:9000/',
    'http://127.1:9000/',
    'http://[::1]:9000/',
  ]) {
    assert.equal(judgeUrl(url, rules).ok, true, url);
  }
  for (const url of [
    'http://127.0.0.1:9001/',
    'http://127.0.0.2:9000/',
    'http://127.0.0.1/',
    'http://localhost:9000/',
  ]) {
    assert.equal(judgeUrl(url, rules).ok, false, url);
  }
  assert.deepEqual(allow.entries, ['127.0.0.1:9000', '[::1]:9000']);
});

test('an allow list that is not made of exact pairs is refused with a sentence', () => {
  for (const text of [
    'localhost:80',
    '127.0.0.1',
    '10.0.0.0/8:80',
    '127.0.0.1:0',
    '::1:80',
    '127.0.0.1:99999',
    '*:80',
  ]) {
    assert.throws(() => parseEgressAllow(text), /is not an exact address and port/, text);
  }
});
