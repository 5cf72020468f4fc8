import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../platform/clock.ts';
import { createEgress } from '../platform/egress.ts';
import { nothingAllowed, parseEgressAllow } from '../platform/egress-url.ts';
import { receiverUrlCheck } from './receiver-url.ts';

/** What the name server of this test says; nothing is ever asked or dialled outside. */
const names: Record<string, string[]> = {
  'hooks.example.com': ['93.184.215.14'],
  'xn--bcher-kva.example': ['93.184.215.14'],
  'v6.example.com': ['2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'inside.example.com': ['10.1.2.3'],
  'mixed.example.com': ['93.184.215.14', '127.0.0.1'],
  'metadata.example.com': ['169.254.169.254'],
  'mapped.example.com': ['::ffff:10.0.0.1'],
  'nat64.example.com': ['64:ff9b::a00:1'],
};

function checkWith(allow = nothingAllowed) {
  return receiverUrlCheck(
    createEgress({
      allow,
      clock: systemClock,
      resolve: async (name) => {
        const addresses = names[name];
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

/** Every notation of an address that is not ours to reach, by what it is. */
const attacks: Record<string, unknown[]> = {
  'not a url': [
    undefined,
    null,
    7,
    {},
    [],
    '',
    'hooks.example.com',
    '//hooks.example.com',
    'https://',
    'https:///x',
  ],
  'not https': [
    'http://hooks.example.com/',
    'ftp://hooks.example.com/',
    'ws://hooks.example.com/',
    'file:///etc/passwd',
  ],
  'other schemes': [
    'javascript:alert(1)',
    'data:text/plain,x',
    'gopher://hooks.example.com/',
    'unix:/run/x.sock',
  ],
  'another port': [
    'https://hooks.example.com:8443/',
    'https://hooks.example.com:80/',
    'https://hooks.example.com:0/',
  ],
  'too long': [`https://hooks.example.com/${'x'.repeat(2_049 - 'https://hooks.example.com/'.length)}`],
  credentials: [
    'https://user@hooks.example.com/',
    'https://user:pw@hooks.example.com/',
    'https://:pw@hooks.example.com/',
    'https://@hooks.example.com/',
    'https://hooks.example.com@127.0.0.1/',
  ],
  fragment: ['https://hooks.example.com/#x', 'https://hooks.example.com/#', 'https://hooks.example.com#'],
  'white space and control characters': [
    ' https://hooks.example.com/',
    'https://hooks.example.com/ ',
    'https://hooks.example.com/a b',
    'https://hooks.example.com/\n',
    'ht\ttps://hooks.example.com/',
    'https://hooks.exa\u0000mple.com/',
    'https://hooks.example.com/\u2028',
  ],
  backslashes: ['https:\\\\hooks.example.com\\', 'https://hooks.example.com\\@127.0.0.1/'],
  loopback: [
    'https://127.0.0.1/',
    'https://127.0.0.1:443/',
    'https://127.1/',
    'https://127.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://127.255.255.254/',
    'https://127.0.0.1./',
    'https://１２７.0.0.1/',
    'https://①②⑦.0.0.1/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
  ],
  'this network': ['https://0.0.0.0/', 'https://0/', 'https://0.1.2.3/'],
  private: [
    'https://10.0.0.1/',
    'https://10.255.255.255/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.0.1/',
    'https://0xc0a80001/',
    'https://3232235521/',
    'https://0300.0250.0.1/',
    'https://10.1/',
  ],
  'link-local and metadata': [
    'https://169.254.169.254/latest/meta-data/',
    'https://169.254.170.2/',
    'https://0xa9fea9fe/',
    'https://2852039166/',
    'https://169.254.43518/',
    'https://100.100.100.200/',
    'https://168.63.129.16/',
    'https://[fd00:ec2::254]/',
    'https://metadata.google.internal/',
    'https://metadata/',
    'https://instance-data/',
  ],
  'carrier network': ['https://100.64.0.1/', 'https://100.127.255.255/', 'https://1681915905/'],
  'reserved and documentation': [
    'https://192.0.0.1/',
    'https://192.0.2.1/',
    'https://198.18.0.1/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
    'https://192.88.99.1/',
    'https://240.0.0.1/',
    'https://255.255.255.255/',
  ],
  multicast: ['https://224.0.0.1/', 'https://239.255.255.250/', 'https://[ff02::1]/'],
  'IPv6 loopback and unspecified': [
    'https://[::1]/',
    'https://[::]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[0000:0000:0000:0000:0000:0000:0000:0001]/',
    'https://[::0.0.0.1]/',
  ],
  'IPv6 local': [
    'https://[fe80::1]/',
    'https://[fe80::1%25eth0]/',
    'https://[fec0::1]/',
    'https://[fc00::1]/',
    'https://[fd12:3456:789a::1]/',
  ],
  'IPv4 mapped and compatible': [
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[0:0:0:0:0:ffff:10.0.0.1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:0:127.0.0.1]/',
  ],
  NAT64: [
    'https://[64:ff9b::127.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[64:ff9b:1::1]/',
  ],
  '6to4 and Teredo': [
    'https://[2002:7f00:1::]/',
    'https://[2002:a00:1::1]/',
    'https://[2002:a9fe:a9fe::]/',
    'https://[2001:0:7f00:1::]/',
  ],
  'IPv6 documentation, discard, benchmarking': [
    'https://[2001:db8::1]/',
    'https://[100::1]/',
    'https://[2001:2::1]/',
    'https://[3fff::1]/',
  ],
  'names that are never public': [
    'https://localhost/',
    'https://localhost./',
    'https://LOCALHOST/',
    'https://x.localhost/',
    'https://intranet/',
    'https://printer.local/',
    'https://db.internal/',
    'https://nas.home.arpa/',
    'https://x.onion/',
    'https://ｌｏｃａｌｈｏｓｔ/',
  ],
  'names that lead inside': [
    'https://inside.example.com/',
    'https://mixed.example.com/',
    'https://metadata.example.com/',
    'https://mapped.example.com/',
    'https://nat64.example.com/',
    'https://INSIDE.example.com./',
  ],
};

for (const [kind, urls] of Object.entries(attacks)) {
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
