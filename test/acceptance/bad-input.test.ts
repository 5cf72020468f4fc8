import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { withConnection } from '../support/empty-database.ts';
import { runService } from '../support/service.ts';

const service = await runService({ after });
const client = await newClient(service);

const uuid = '5b7cf6a5-1d3f-4a43-9a4c-4a6f2b0d5a55';
const key = `uploads/${uuid}/${uuid}`;

interface Operation {
  method: string;
  path: string;
  /** A body whose fields are right but which names nothing that exists. */
  body: Record<string, unknown>;
  /** Fields that may be missing or null. */
  optional: string[];
  codes: string[];
}

const operations: Operation[] = [
  {
    method: 'POST',
    path: '/api/v1/uploads',
    body: { filename: 'a.mp3', size: 10, content_type: 'audio/mpeg', speaker_diarization: false },
    optional: ['content_type', 'speaker_diarization'],
    codes: ['invalid_upload', 'unsupported_type', 'file_too_large'],
  },
  {
    method: 'POST',
    path: '/api/v1/uploads/multipart',
    body: { key, storage: 'local', upload_id: 'x', parts: [{ etag: '"a"', part_number: 1 }] },
    optional: [],
    codes: ['invalid_multipart_upload', 'invalid_multipart_parts'],
  },
  {
    method: 'DELETE',
    path: '/api/v1/uploads/multipart',
    body: { key, storage: 'local', upload_id: 'x' },
    optional: [],
    codes: ['invalid_multipart_upload'],
  },
  {
    method: 'POST',
    path: '/api/v1/transcriptions',
    body: {
      upload: { filename: 'a.mp3', key, size: 10, storage: 'local', content_type: null },
      speaker_diarization: false,
    },
    optional: ['speaker_diarization'],
    codes: ['invalid_request', 'invalid_source', 'invalid_upload', 'upload_not_owned', 'upload_not_found'],
  },
  {
    method: 'POST',
    path: '/api/v1/transcriptions',
    body: { source_url: 'http://10.0.0.1/a.mp3' },
    optional: [],
    codes: ['invalid_request', 'invalid_source', 'invalid_source_url'],
  },
  {
    method: 'POST',
    path: '/api/v1/webhook-subscriptions',
    body: { url: 'https://10.0.0.1/hook', events: ['transcription.completed'] },
    optional: [],
    codes: ['invalid_request', 'invalid_webhook_url', 'invalid_webhook_events'],
  },
];

const strange: unknown[] = [
  null,
  '',
  ' ',
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  true,
  false,
  [],
  {},
  [null],
  [[[[]]]],
  { $ne: null },
  '\u0000',
  'a\u0000b.mp3',
  '\ud800',
  '\u202e\u200b',
  '💥'.repeat(1000),
  "'; drop table account; --",
  '../../../../etc/passwd',
  '%00%0a',
  'x'.repeat(100_000),
  { toString: 'x' },
  JSON.parse('{"__proto__":{"polluted":true}}'),
];

/** The body with one field replaced; a dotted name reaches inside. */
function withField(body: Record<string, unknown>, field: string, value: unknown): Record<string, unknown> {
  const [head = '', ...rest] = field.split('.');
  if (rest.length === 0) return { ...body, [head]: value };
  return { ...body, [head]: withField(body[head] as Record<string, unknown>, rest.join('.'), value) };
}

function fieldsOf(body: Record<string, unknown>): string[] {
  return Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? [name, ...fieldsOf(value as Record<string, unknown>).map((inner) => `${name}.${inner}`)]
      : [name],
  );
}

async function rowCounts(): Promise<Record<string, number>> {
  return withConnection(service.environment.LONGHAND_DATABASE_URL ?? '', async (db) => {
    const counts: Record<string, number> = {};
    for (const table of [
      'transcription',
      'chunk',
      'idempotency_key',
      'daily_usage',
      'webhook_subscription',
    ]) {
      const { rows } = await db.query<{ count: string }>(`select count(*) from ${table}`);
      counts[table] = Number(rows[0]?.count);
    }
    return counts;
  });
}

test('any value in any field of any operation gets a clear answer: never a 500, and nothing is stored', async () => {
  const before = await rowCounts();
  let asked = 0;
  for (const { method, path, body, optional, codes } of operations) {
    for (const field of fieldsOf(body)) {
      for (const value of [undefined, ...strange]) {
        const answer = await client.send(method, path, withField(body, field, value));
        asked += 1;
        const what = `${method} ${path} ${field} = ${JSON.stringify(value)?.slice(0, 60)}`;
        const isHarmless =
          answer.status === 200 && (optional.includes(field) || field === 'filename' || field === 'size');
        if (isHarmless) continue;
        assert.ok(
          codes.includes(answer.body?.error?.code),
          `${what}: ${answer.status} ${JSON.stringify(answer.body)}`,
        );
        assert.ok(answer.status >= 400 && answer.status < 500, what);
        assert.deepEqual(Object.keys(answer.body.error).toSorted(), ['code', 'message'], what);
      }
    }
  }
  assert.ok(asked > 500);
  assert.deepEqual(await rowCounts(), before);
});

test('a body nested a hundred thousand deep, and one with the same field twice, are only bad bodies', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  for (const { method, path, codes } of operations) {
    const answer = await client.send(method, path, deep);
    assert.ok(codes.includes(answer.body?.error?.code), `${path}: ${answer.status}`);
  }
  const twice = await client.send(
    'POST',
    '/api/v1/transcriptions',
    '{"source_url":"https://a.example/","source_url":"http://10.0.0.1/"}',
  );
  assert.equal(twice.body.error.code, 'invalid_source_url');
});

test('strange query strings and headers are no fault of the service', async () => {
  for (const path of [
    '/api/v1/transcriptions?limit[]=1',
    '/api/v1/transcriptions?limit[a]=1',
    `/api/v1/transcriptions?${'a=1&'.repeat(5000)}`,
  ]) {
    assert.ok((await client.get(path)).status < 500, path);
  }
  assert.equal(
    (await client.send('GET', '/api/v1/transcriptions', undefined, { 'x-forwarded-for': '\t"' })).status,
    200,
  );
  assert.ok(
    (await client.send('GET', '/api/v1/transcriptions', undefined, { 'x-long': 'a'.repeat(12_000) })).status <
      500,
  );
});
