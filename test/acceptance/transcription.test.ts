import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { ApiClient, newClient } from '../support/api-client.ts';
import { assertError } from '../support/assert-answer.ts';
import { fixtureSamples, silence, spokenSamples } from '../support/audio.ts';
import { longhand, runService, temporaryDataDir } from '../support/service.ts';
import { wavBytes, wavOf } from '../support/wav-bytes.ts';

const service = await runService({ after });
const client = await newClient(service);
const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const path = '/api/v1/transcriptions';

test('a file becomes text: prepare, PUT, create, poll, read', async () => {
  const upload = await client.uploadFile(austen);
  const created = await client.post(path, { upload });
  assert.equal(created.status, 202);
  const { id, created_at } = created.body.data;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(created.body, {
    data: { id, filename: 'austen-880.flac', status: 'processing', created_at },
  });
  assert.equal(new Date(created_at).toISOString(), created_at);
  assert.equal(created.headers.get('location'), `${path}/${id}`);

  const { status, body } = await client.ended(id);
  assert.equal(status, 200);
  const { text, segments, duration_seconds, ...rest } = body.data;
  assert.deepEqual(rest, { id, filename: 'austen-880.flac', status: 'completed', created_at, error: null });
  assert.match(text, /not an ill[- ]disposed young man/i);
  assert.equal(duration_seconds, 2.99);
  assert.ok(segments.length >= 1);
  for (const { start, end, text: words, ...others } of segments) {
    assert.ok(start >= 0 && end > start && end <= duration_seconds);
    assert.ok(words.length > 0);
    assert.deepEqual(others, {});
  }

  const listed = await client.get(path);
  assert.deepEqual(listed.body.data[0], {
    id,
    filename: 'austen-880.flac',
    status: 'completed',
    created_at,
    duration_seconds: 3,
    text: null,
    segments: null,
    error: null,
  });
});

test('a recording that goes from English to Spanish becomes text in both', async () => {
  const english = await fixtureSamples('austen-870.flac');
  const spanish = await spokenSamples(
    'es',
    'Buenos días a todos. Hoy vamos a hablar de la casa nueva, de los niños y del tiempo en la ciudad.',
  );
  // Each long enough, and far enough from the other, for chunks of its own.
  const parts = [english, english, english, silence(9), spanish];
  const upload = await client.upload('both.wav', wavOf(Buffer.concat(parts)));
  const created = await client.post(path, { upload });
  const { body } = await client.ended(created.body.data.id);
  assert.equal(body.data.status, 'completed');
  assert.match(body.data.text, /prudently in his power.*buenos días a todos.*la ciudad/is);
});

test('silence completes with empty text and no segments', async () => {
  const upload = await client.upload('quiet.wav', wavBytes(3, 0));
  const created = await client.post(path, { upload });
  const { body } = await client.ended(created.body.data.id);
  const { status, text, segments, duration_seconds, error } = body.data;
  assert.deepEqual(
    { status, text, segments, duration_seconds, error },
    { status: 'completed', text: '', segments: [], duration_seconds: 3, error: null },
  );
});

test('a recording that was cut off gives the text of what is there', async () => {
  const directory = await temporaryDataDir({ after });
  const long = join(import.meta.dirname, '..', 'fixtures', 'austen-870.flac');
  for (const extension of ['wav', 'mp3']) {
    const file = join(directory, `whole.${extension}`);
    await promisify(execFile)('ffmpeg', ['-v', 'error', '-i', long, file]);
    const whole = await readFile(file);
    for (const share of [0.37, 0.62]) {
      const upload = await client.upload(`cut.${extension}`, whole.subarray(0, whole.length * share));
      const created = await client.post(path, { upload });
      const { body } = await client.ended(created.body.data.id);
      const { status, text, error } = body.data;
      assert.deepEqual([status, error], ['completed', null]);
      assert.match(text, /john dashwood/i);
      assert.doesNotMatch(text, /to do for them/i);
    }
  }
});

test('media that cannot be decoded fails with a sentence, and text and segments stay null', async () => {
  const header = wavBytes(1).subarray(0, 44);
  const broken = [
    {
      name: 'cut.mp3',
      bytes: Buffer.concat([Buffer.from('ID3\x04\x00\x00\x00\x00\x00\x00', 'latin1'), Buffer.alloc(2000, 7)]),
    },
    { name: 'empty.wav', bytes: header },
  ];
  for (const { name, bytes } of broken) {
    const upload = await client.upload(name, bytes);
    const created = await client.post(path, { upload });
    assert.equal(created.status, 202);
    const { body } = await client.ended(created.body.data.id);
    assert.equal(body.data.status, 'failed', name);
    assert.match(body.data.error, /^[A-Z].*\.$/, name);
    assert.deepEqual([body.data.text, body.data.segments], [null, null]);
  }
});

test('the newest job is listed first, and limit is an integer from 1 to 100', async () => {
  const upload = await client.upload('list.wav', wavBytes(1, 0));
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.unshift((await client.post(path, { upload })).body.data.id);
  const listed = await client.get(`${path}?limit=3`);
  assert.deepEqual(
    listed.body.data.map((job: { id: string }) => job.id),
    ids,
  );
  assert.equal((await client.get(`${path}?limit=1`)).body.data.length, 1);
  assert.equal((await client.get(`${path}?limit=100`)).status, 200);
  for (const limit of [
    '0',
    '101',
    '-1',
    '1.5',
    'x',
    '',
    '1e1',
    '%00',
    '９',
    'null',
    '99999999999999999999',
    '1&limit=2',
  ]) {
    assertError(await client.get(`${path}?limit=${limit}`), { status: 400, code: 'invalid_limit' });
  }
});

test('a job that is unknown, of another account, or no uuid is the same not_found', async () => {
  const upload = await client.upload('mine.wav', wavBytes(1, 0));
  const { id } = (await client.post(path, { upload })).body.data;
  const other = await newClient(service);
  const bodies = new Set<string>();
  for (const unknown of [
    id,
    '5b7cf6a5-1d3f-4a43-9a4c-4a6f2b0d5a55',
    'abc',
    '%00',
    `${'a'.repeat(300)}`,
    '5b7cf6a5',
  ]) {
    const answer = await other.get(`${path}/${unknown}`);
    assertError(answer, { status: 404, code: 'not_found' });
    bodies.add(JSON.stringify(answer.body));
  }
  assert.equal(bodies.size, 1);
  assert.deepEqual((await other.get(path)).body, { data: [] });
  assert.equal((await client.get(`${path}/${id.toUpperCase()}`)).status, 200);
});

test('exactly one source is taken', async () => {
  const upload = await client.upload('a.wav', wavBytes(1, 0));
  for (const body of [
    {},
    { source_url: null },
    { upload: null },
    { source_url: 'https://example.com/a.mp3', upload },
    { source_url: '', upload: 5 },
  ]) {
    assertError(await client.post(path, body), { status: 400, code: 'invalid_source' });
  }
});

test('source_url must be a public http or https URL without credentials', async () => {
  const refused = [
    '',
    ' ',
    'example.com/a.mp3',
    'ftp://example.com/a.mp3',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://',
    'https://user:pass@example.com/a.mp3',
    'http://127.0.0.1/a.mp3',
    'http://127.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://169.254.169.254/latest',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://localhost/',
    7,
    true,
    {},
    [],
    ['https://example.com/a.mp3'],
    `https://example.com/${'a'.repeat(9000)}`,
  ];
  for (const source_url of refused) {
    assertError(await client.post(path, { source_url }), { status: 400, code: 'invalid_source_url' });
  }
});

test('an upload reference with a missing or wrong field is invalid_upload', async () => {
  const good = await client.upload('a.wav', wavBytes(1, 0));
  const wrong: Record<string, unknown>[] = [];
  for (const field of ['filename', 'key', 'size', 'storage']) {
    const { [field]: _left, ...without } = good as unknown as Record<string, unknown>;
    wrong.push(without);
    for (const value of [null, '', {}, [], true, 'x'.repeat(2000)]) wrong.push({ ...good, [field]: value });
  }
  for (const size of [0, -1, 1.5, '1', 1e30, good.size + 1, good.size - 1]) wrong.push({ ...good, size });
  wrong.push({ ...good, content_type: 5 }, { ...good, filename: 7 }, { ...good, key: 7 });
  for (const upload of [...wrong, 'text', 5, true, []]) {
    const answer = await client.post(path, { upload });
    assert.equal(answer.status, 400, JSON.stringify(upload));
    assertError(answer, { status: 400, code: 'invalid_upload' });
  }
});

test('speaker_diarization that is not a boolean is invalid_request, and needs the Pro plan', async () => {
  const upload = await client.upload('a.wav', wavBytes(1, 0));
  for (const speaker_diarization of ['true', 1, null, {}, []]) {
    assertError(await client.post(path, { upload, speaker_diarization }), {
      status: 400,
      code: 'invalid_request',
    });
  }
  const free = await newClient(service, 'free');
  const mine = await free.upload('a.wav', wavBytes(1, 0));
  assertError(await free.post(path, { upload: mine, speaker_diarization: true }), {
    status: 403,
    code: 'pro_required',
  });
  assertError(await free.post('/api/v1/uploads', { filename: 'a.wav', size: 5, speaker_diarization: true }), {
    status: 403,
    code: 'pro_required',
  });
  assert.equal((await free.post(path, { upload: mine, speaker_diarization: false })).status, 202);
});

test("another account's upload is upload_not_owned, and one that is gone is upload_not_found", async () => {
  const other = await newClient(service);
  const upload = await client.upload('a.wav', wavBytes(1, 0));
  assertError(await other.post(path, { upload }), { status: 403, code: 'upload_not_owned' });
  const { body } = await client.post('/api/v1/uploads', { filename: 'never.wav', size: 100 });
  const never = { filename: 'never.wav', size: 100, key: body.data.key, storage: body.data.storage };
  assertError(await client.post(path, { upload: never }), { status: 404, code: 'upload_not_found' });
});

test('stored bytes that are not media are unsupported_type, whatever their name says', async () => {
  for (const content of [
    '#EXTM3U\nhttp://127.0.0.1/x.ts\n',
    '<!doctype html><p>hello',
    'just some text, long enough to be a file',
  ]) {
    const upload = await client.upload('song.mp3', Buffer.from(content));
    assertError(await client.post(path, { upload }), { status: 415, code: 'unsupported_type' });
  }
});

test('the daily allowance is counted with the job, refused with Retry-After, and only looked at by prepare', async () => {
  const free = await newClient(service, 'free');
  const upload = await free.upload('a.wav', wavBytes(1, 0));
  const statuses = await Promise.all(
    Array.from({ length: 14 }, async () => (await free.post(path, { upload })).status),
  );
  assert.deepEqual(statuses.toSorted(), [...Array(10).fill(202), ...Array(4).fill(429)]);
  const refused = await free.post(path, { upload });
  assertError(refused, { status: 429, code: 'daily_limit_reached' });
  const wait = Number(refused.headers.get('retry-after'));
  assert.ok(wait > 0 && wait <= 86_400);
  assertError(await free.post('/api/v1/uploads', { filename: 'a.wav', size: 5 }), {
    status: 429,
    code: 'daily_limit_reached',
  });
  assert.equal((await free.get(path)).body.data.length, 10);
});

test('a refused request stores no job and costs no allowance', async () => {
  const free = await newClient(service, 'free');
  for (let count = 0; count < 15; count += 1) await free.post(path, { source_url: 'http://10.0.0.1/' });
  for (let count = 0; count < 15; count += 1) await free.post(path, {});
  assert.deepEqual((await free.get(path)).body, { data: [] });
  const upload = await free.upload('a.wav', wavBytes(1, 0));
  assert.equal((await free.post(path, { upload })).status, 202);
});

test('an Idempotency-Key makes a repeated create give the same job, and another body 422', async () => {
  const upload = await client.upload('a.wav', wavBytes(1, 0));
  const headers = { 'idempotency-key': 'order-1' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => client.post(path, { upload }, headers)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [202, 202, 202, 202, 202],
  );
  assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1);
  const [first] = answers;
  assert.ok(first);
  await client.ended(first.body.data.id);
  const later = await client.post(path, { upload }, headers);
  assert.deepEqual(later.body, first.body);
  const reused = await client.post(path, { upload: { ...upload, filename: 'b.wav' } }, headers);
  assertError(reused, { status: 422, code: 'idempotency_key_reused' });
  const other = await newClient(service);
  const theirs = await other.post(path, { upload: await other.upload('a.wav', wavBytes(1, 0)) }, headers);
  assert.notEqual(theirs.body.data.id, first.body.data.id);
  assertError(await client.post(path, { upload }, { 'idempotency-key': 'x'.repeat(256) }), {
    status: 400,
    code: 'invalid_request',
  });
});

test('a filename of any script is kept as a label, without path and control characters', async () => {
  for (const [given, label] of [
    ['会议录音 №1.wav', '会议录音 №1.wav'],
    ['../../etc/pass\u0000wd.wav', 'passwd.wav'],
    ['a\nb\u202egnp.wav', 'abgnp.wav'],
    [`${'ü'.repeat(236)}.wav`, `${'ü'.repeat(236)}.wav`],
  ] as const) {
    const upload = await client.upload(given, wavBytes(1, 0));
    const created = await client.post(path, { upload });
    assert.equal(created.body.data.filename, label);
  }
});

test('a revoked key stops at the next request, and an expired one is refused', async () => {
  const list = JSON.parse((await longhand(service.environment, 'account', 'list', '--json')).stdout);
  const account = list.accounts.at(-1).id;
  const made = JSON.parse(
    (
      await longhand(
        service.environment,
        'key',
        'create',
        '--account',
        account,
        '--name',
        'laptop',
        '--expires',
        '1h',
        '--json',
      )
    ).stdout,
  );
  assert.deepEqual(Object.keys(made).toSorted(), ['expires_at', 'id', 'key', 'name']);
  const caller = new ApiClient(service.url, made.key);
  assert.equal((await caller.get(path)).status, 200);
  const keys = JSON.parse(
    (await longhand(service.environment, 'key', 'list', '--account', account, '--json')).stdout,
  ).keys;
  const used = keys.find((key: { id: string }) => key.id === made.id);
  assert.ok(used.last_used_at !== null && used.revoked_at === null);
  assert.equal((await longhand(service.environment, 'key', 'revoke', made.id)).code, 0);
  assertError(await caller.get(path), { status: 401, code: 'invalid_api_key' });
});
