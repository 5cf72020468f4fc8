/** Rules that hold for every request: what text is, how characters and numbers are counted, which sentence names a fault. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Answer, newClient } from '../support/api-client.ts';
import { assertError } from '../support/assert-answer.ts';
import { runService, withoutNames } from '../support/service.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const service = await runService({ after }, withoutNames);
const client = await newClient(service);
const uploads = '/api/v1/uploads';
const transcriptions = '/api/v1/transcriptions';
const subscriptions = '/api/v1/webhook-subscriptions';
const events = ['transcription.completed'];

function assertMessage(answer: Answer, expected: { status: number; code: string; message: RegExp }): void {
  const { message, ...error } = expected;
  assertError(answer, error);
  assert.match(answer.body.error.message, message);
}

test("half of a surrogate pair is refused with the field's code, wherever it stands", async () => {
  const upload = await client.upload('a.wav', wavBytes(1, 0));
  const broken = '\ud800';
  const cases: [string, unknown, string][] = [
    [uploads, { filename: `a${broken}.wav`, size: 5 }, 'invalid_upload'],
    [uploads, { filename: 'a.wav', size: 5, content_type: `audio/wav${broken}` }, 'invalid_upload'],
    [transcriptions, { source_url: `https://example.com/${broken}` }, 'invalid_source_url'],
    [transcriptions, { source_url: `https://example.com/?q=\udc00a` }, 'invalid_source_url'],
    [transcriptions, { upload: { ...upload, filename: broken } }, 'invalid_upload'],
    [transcriptions, { upload: { ...upload, key: upload.key + broken } }, 'invalid_upload'],
    [transcriptions, { upload: { ...upload, storage: broken } }, 'invalid_upload'],
    [transcriptions, { upload: { ...upload, content_type: broken } }, 'invalid_upload'],
    [subscriptions, { url: `https://example.com/${broken}`, events }, 'invalid_webhook_url'],
    [subscriptions, { url: 'https://example.com/', events: [broken] }, 'invalid_webhook_events'],
    [
      `${uploads}/multipart`,
      { key: broken, storage: 'local', upload_id: 'x', parts: [] },
      'invalid_multipart_upload',
    ],
  ];
  for (const [path, body, code] of cases) {
    assertError(await client.post(path, body), { status: 400, code });
  }
});

test('U+0000 never reaches the database: refused in a URL, left out of a label', async () => {
  assertError(await client.post(transcriptions, { source_url: 'https://example.com/\u0000' }), {
    status: 400,
    code: 'invalid_source_url',
  });
  assertError(await client.post(subscriptions, { url: 'https://example.com/\u0000', events }), {
    status: 400,
    code: 'invalid_webhook_url',
  });
  const upload = await client.upload('a\u0000b.wav', wavBytes(1, 0));
  assert.equal((await client.post(transcriptions, { upload })).body.data.filename, 'ab.wav');
});

test('limits of characters count code points, in URLs and filenames alike', async () => {
  const filename = (microphones: number) => `${'🎙'.repeat(microphones)}.wav`;
  assert.equal((await client.post(uploads, { filename: filename(236), size: 5 })).status, 200);
  assertError(await client.post(uploads, { filename: filename(237), size: 5 }), {
    status: 400,
    code: 'invalid_upload',
  });
  const origin = 'https://longhand-receiver.example/';
  const url = (characters: number) => origin + '🎙'.repeat(characters - origin.length);
  const created = await client.post(subscriptions, { url: url(2_048), events });
  assert.equal(created.status, 201);
  assert.equal(created.body.data.url, url(2_048));
  assertError(await client.post(subscriptions, { url: url(2_049), events }), {
    status: 400,
    code: 'invalid_webhook_url',
  });
  assertError(await client.post(transcriptions, { source_url: url(8_193) }), {
    status: 400,
    code: 'invalid_source_url',
  });
});

test('limit is written in decimal digits as one writes an integer from 1 to 100, and in no other way', async () => {
  for (const limit of ['1', '9', '10', '99', '100']) {
    assert.equal((await client.get(`${transcriptions}?limit=${limit}`)).status, 200, limit);
  }
  for (const limit of [
    '05',
    '00100',
    '01',
    '%2B5',
    '%205',
    '5%20',
    '5.0',
    '1e1',
    '0x5',
    '1_0',
    '5,',
    '-0',
    '5;',
    '٥',
  ]) {
    assertError(await client.get(`${transcriptions}?limit=${limit}`), { status: 400, code: 'invalid_limit' });
  }
});

test('credentials in a URL are refused even when they are empty', async () => {
  for (const authority of ['@', ':@', 'a@', 'a:b@', '/@', '//u@', '@@']) {
    assertError(await client.post(transcriptions, { source_url: `https://${authority}example.com/a.mp3` }), {
      status: 400,
      code: 'invalid_source_url',
    });
    assertError(await client.post(subscriptions, { url: `https://${authority}example.com/a`, events }), {
      status: 400,
      code: 'invalid_webhook_url',
    });
  }
});

test('no answer of the API may be stored by a cache', async () => {
  const paths = ['/api/v1', transcriptions, subscriptions, `${transcriptions}/x`, '/api/v1/nothing', uploads];
  for (const path of paths) {
    assert.equal((await client.get(path)).headers.get('cache-control'), 'no-store', path);
  }
  const prepared = await client.post(uploads, { filename: 'a.wav', size: 5 });
  assert.equal(prepared.headers.get('cache-control'), 'no-store');
});

test('the message names the field that is wrong', async () => {
  const code = 'invalid_upload';
  const good = { filename: 'a.wav', size: 5 };
  const prepares: [object, RegExp][] = [
    [{ ...good, speaker_diarization: 'yes' }, /^speaker_diarization must be true or false\.$/],
    [{ ...good, filename: ' ' }, /^filename must/],
    [{ ...good, filename: 'a'.repeat(241) }, /^filename must .* 240 characters/],
    [{ ...good, size: 0 }, /^size must .* greater than zero\.$/],
    [{ ...good, content_type: 7 }, /^content_type must/],
  ];
  for (const [body, message] of prepares) {
    assertMessage(await client.post(uploads, body), { status: 400, code, message });
  }
  const reference = { filename: 'a.wav', key: 'k', storage: 'local', size: 5 };
  const creates: [object, string, RegExp][] = [
    [{ upload: { ...reference, storage: 'tape' } }, code, /^upload\.storage must/],
    [{ upload: { ...reference, size: '5' } }, code, /^upload\.size must/],
    [{ upload: 5 }, code, /^upload must be an object/],
    [{ upload: reference, speaker_diarization: 1 }, 'invalid_request', /^speaker_diarization must/],
    [[], 'invalid_request', /JSON object .*"Content-Type: application\/json"/],
  ];
  for (const [body, of, message] of creates) {
    assertMessage(await client.post(transcriptions, body), { status: 400, code: of, message });
  }
  assertMessage(await client.post(uploads, '{'), { status: 400, code, message: /JSON object/ });
});

test('a bad Idempotency-Key is named', async () => {
  const body = { source_url: 'https://example.com/a.mp3' };
  for (const key of ['', 'a b', 'ä', 'x'.repeat(256)]) {
    assertMessage(await client.post(transcriptions, body, { 'idempotency-key': key }), {
      status: 400,
      code: 'invalid_request',
      message: /Idempotency-Key must have 1 to 255/,
    });
  }
});

test('unsupported_type lists what is accepted, and file_too_large says the limit and the size', async () => {
  const refused = { status: 415, code: 'unsupported_type' };
  const list = 'mp3, mpga, .*mp4, m4v, .*ogv';
  assertMessage(await client.post(uploads, { filename: 'a.pdf', size: 5 }), {
    ...refused,
    message: new RegExp(`the extension "pdf" and no content_type .*${list}`),
  });
  assertMessage(await client.post(uploads, { filename: 'a.mp3', size: 5, content_type: 'text/html' }), {
    ...refused,
    message: new RegExp(`content_type "text/html" .*${list}`),
  });
  const upload = await client.upload('a.mp3', Buffer.from('this is text, not sound'));
  assertMessage(await client.post(transcriptions, { upload }), {
    ...refused,
    message: new RegExp(`stored bytes are not audio or video.*${list}`),
  });
  const free = await newClient(service, 'free');
  assertMessage(await free.post(uploads, { filename: 'a.mp3', size: 600_000_000 }), {
    status: 413,
    code: 'file_too_large',
    message: /600,000,000 bytes.*524,288,000 bytes/,
  });
});

test('a size that differs from the stored one is told with both numbers', async () => {
  const upload = await client.upload('a.wav', wavBytes(1, 0));
  assertMessage(await client.post(transcriptions, { upload: { ...upload, size: upload.size + 1 } }), {
    status: 400,
    code: 'invalid_upload',
    message: new RegExp(
      `${upload.size.toLocaleString('en')} bytes.*${(upload.size + 1).toLocaleString('en')} bytes`,
    ),
  });
});
