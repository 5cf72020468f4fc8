import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { newSigningSecret, signature, signingKey } from './signature.ts';

const libraryVector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1_614_265_330,
} as const;

/**
 * What the reference libraries hold their own `sign` against, and the example of Svix's documentation. The example in
 * the text of the Standard Webhooks specification names no secret, so nobody can compute it.
 */
const publishedVectors = [
  {
    of: 'the standardwebhooks and svix libraries',
    ...libraryVector,
    body: '{"test": 2432232314}',
    expected: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  {
    of: 'the svix libraries for 256 KiB less one byte',
    ...libraryVector,
    body: 'a'.repeat(256 * 1024 - 1),
    expected: 'v1,NTItnqyWMoFhk2Bbe5V/BMdcFRWgcSQaTgqLHX7FC7c=',
  },
  {
    of: 'the svix libraries for 256 KiB',
    ...libraryVector,
    body: 'a'.repeat(256 * 1024),
    expected: 'v1,Mw4Pe2WgApuT7NSqnSq0PQPV9gbLdggCl9B865x5Xh0=',
  },
  {
    of: 'the svix libraries for 1 MiB',
    ...libraryVector,
    body: 'a'.repeat(1024 * 1024),
    expected: 'v1,txpEUxqWZJ5nteTnymUVa+7C4NHpBeXJ6CsBAW0c3/A=',
  },
  {
    of: "Svix's documentation",
    secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
    eventId: 'msg_loFOjxBNrRLzqYUf',
    timestampSeconds: 1_731_705_121,
    body: '{"event_type":"ping","data":{"success":true}}',
    expected: 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  },
] as const;

for (const vector of publishedVectors) {
  test(`the published vector of ${vector.of} gives its published signature`, () => {
    const { expected, body, secret, eventId, timestampSeconds } = vector;
    const key = signingKey(secret);
    assert.equal(signature({ key, eventId, timestampSeconds, body: Buffer.from(body) }), expected);
  });
}

const bodies = {
  'plain text': '{"a":1}',
  'letters beyond ASCII': '{"filename":"Gespräch – 会議 🎙.mp3"}',
  empty: '',
  'a body with line ends': '{\r\n\t"a": "b\\n"\n}\n',
};

for (const [name, body] of Object.entries(bodies)) {
  test(`both reference libraries make the same signature: ${name}`, () => {
    const secret = newSigningSecret();
    const timestampSeconds = 1_700_000_000;
    const ours = signature({
      key: signingKey(secret),
      eventId: 'evt',
      timestampSeconds,
      body: Buffer.from(body),
    });
    const at = new Date(timestampSeconds * 1000);
    assert.equal(ours, new StandardWebhook(secret).sign('evt', at, body));
    assert.equal(ours, new SvixWebhook(secret).sign('evt', at, body));
  });
}

test('the signature covers raw bytes, also those that are no text', () => {
  const attempt = { key: signingKey(newSigningSecret()), eventId: 'evt', timestampSeconds: 1 };
  const a = signature({ ...attempt, body: Buffer.from([0xff]) });
  const b = signature({ ...attempt, body: Buffer.from([0xfe]) });
  assert.notEqual(a, b); // As strings both would have become the same replacement character.
});

test('a new secret has 32 random bytes after its prefix and is never the same', () => {
  const secrets = new Set(Array.from({ length: 100 }, newSigningSecret));
  assert.equal(secrets.size, 100);
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32);
  }
});

test('a secret without its prefix and a broken timestamp are refused', () => {
  const body = Buffer.from('');
  assert.throws(() => signingKey('abc'), /whsec_/);
  assert.throws(
    () => signature({ key: signingKey(newSigningSecret()), eventId: 'e', timestampSeconds: 1.5, body }),
    /whole seconds/,
  );
});
