/**
 * Requests made from the OpenAPI document, fitting and distorted, against the running service. Whatever is sent, the
 * answer is one that the document describes. LONGHAND_FUZZ_SEED repeats a run, LONGHAND_FUZZ_REQUESTS makes it longer.
 */
import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { type ApiClient, newClient } from '../support/api-client.ts';
import { DocumentCheck, type Operation } from '../support/document-check.ts';
import { Random } from '../support/random.ts';
import { distorted, fittingValue, strangeText, strangeValue } from '../support/schema-values.ts';
import { runService } from '../support/service.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const seed = Number(process.env.LONGHAND_FUZZ_SEED ?? randomInt(2 ** 31));
const requests = Number(process.env.LONGHAND_FUZZ_REQUESTS ?? 3_000);
const atOnce = 8;
const answerWithinMs = 60_000;

/** The only place outside to which a link or a webhook can lead: media is never there, deliveries are taken. */
const outside = createServer((request, response) => {
  request.resume();
  response.writeHead(request.method === 'POST' ? 204 : 404).end();
});
await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
after(() => {
  outside.closeAllConnections();
  outside.close();
});
const target = `127.0.0.1:${(outside.address() as AddressInfo).port}`;

const service = await runService({ after }, { LONGHAND_EGRESS_ALLOW: target });
const clients = [await newClient(service, 'pro'), await newClient(service, 'free')];
const check = new DocumentCheck((await clients[0]?.get('/api/v1/openapi.json'))?.body);
const random = new Random(seed);

/** What the service gave out goes into later requests, by the name of its field. */
const known = new Map<string, unknown[]>([
  ['source_url', [`http://${target}/gone.mp3`]],
  ['url', [`http://${target}/hook`]],
  ['filename', ['talk.mp3', 'meeting.wav', 'notes.pdf', 'noextension']],
  ['content_type', ['audio/mpeg', 'application/octet-stream', null, 'text/html']],
  ['size', [1, 5, 32_044, 104_857_600, 600_000_000, 2 ** 52]],
]);

/** Multipart uploads as their client keeps them: values that belong together. */
interface Session {
  client: ApiClient;
  values: Record<string, unknown>;
}
const sessions: Session[] = [];

function rememberSession(client: ApiClient, { key, storage, upload }: Prepared): void {
  if (upload.upload_id) sessions.push({ client, values: { key, storage, upload_id: upload.upload_id } });
}

interface Prepared {
  key: string;
  storage: string;
  upload: { upload_id?: string };
}

function remember(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    remember(inner);
    if (!['id', 'key', 'upload_id', 'storage'].includes(name)) continue;
    const values = known.get(name) ?? [];
    known.set(name, [inner, ...values].slice(0, 20));
  }
}

interface Sent {
  client: ApiClient;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** False where the document forbids the body. */
  fits: boolean;
}

const contentTypes = [
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'json',
  '',
];

const source = { random, known, schemas: check.document.components.schemas };

function nextRequest(method: string, template: string, operation: Operation): Sent {
  const id = random.chance(0.7)
    ? random.pick([...(known.get('id') ?? []), randomUUID()])
    : strangeText(random);
  const path = template.replace('{id}', encodeURIComponent(String(id).toWellFormed()) || 'x');
  const isOfSession = operation.operationId.endsWith('MultipartUpload') && random.chance(0.5);
  const session = isOfSession && sessions.length > 0 ? random.pick(sessions) : undefined;
  const { headers, query } = nextParameters(operation, session?.values ?? {});
  if (random.chance(0.05))
    headers.authorization = random.pick(['', 'Bearer', 'Bearer x', `Bearer lh_${'0'.repeat(36)}`]);
  const schema = check.requestSchema(operation);
  const body = schema && nextBody({ ...(fittingValue(schema, source) as object), ...session?.values });
  if (body !== undefined)
    headers['content-type'] = random.chance(0.9) ? 'application/json' : random.pick(contentTypes);
  const isJson = /^application\/json\s*(;|$)/.test(headers['content-type'] ?? '');
  return {
    client: session?.client ?? random.pick(clients),
    method,
    path: path + query,
    headers,
    body,
    fits: body === undefined ? schema === undefined : isJson && fitsDocument(operation, body),
  };
}

function nextParameters({ parameters = [] }: Operation, session: Record<string, unknown>) {
  const headers: Record<string, string> = {};
  const query = new URLSearchParams();
  for (const { name, in: place, required, schema } of parameters) {
    if (place === 'path' || random.chance(required ? 0.05 : 0.5)) continue;
    const fitting = session[name] ?? (random.chance(0.6) ? fittingValue(schema, source, name) : undefined);
    const value = String(fitting ?? strangeValue(random));
    if (place === 'query') query.append(name, value);
    else headers[name] = value.replace(/[^\x20-\x7e]/g, '~').trim();
  }
  return { headers, query: query.size > 0 ? `?${query}` : '' };
}

function nextBody(fitting: unknown): string | undefined {
  if (random.chance(0.03)) return undefined;
  const value = random.chance(0.5) ? distorted(fitting, random) : fitting;
  const text = JSON.stringify(random.chance(0.05) ? strangeValue(random) : value);
  return random.chance(0.04) ? text.slice(0, random.integer(0, text.length)) : text;
}

function fitsDocument(operation: Operation, text: string): boolean {
  try {
    return check.fitsRequest(operation, JSON.parse(text));
  } catch {
    return false;
  }
}

async function answerTo({ client, method, path, headers, body }: Sent) {
  const response = await fetch(client.url + path, {
    method,
    headers: { authorization: `Bearer ${client.key}`, ...headers },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(answerWithinMs),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}

async function askOnce(statuses: Map<string, number>): Promise<void> {
  const { method, path, operation } = random.pick(check.operations());
  const sent = nextRequest(method, path, operation);
  const answer = await answerTo(sent);
  const what = `seed ${seed}: ${method} ${sent.path} ${JSON.stringify(sent.headers)} ${sent.body?.slice(0, 2_000)} → ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 500)}`;
  assert.notEqual(answer.status, 500, what);
  assert.deepEqual(check.faultsOf(operation, answer), [], what);
  if (!sent.fits) assert.ok(answer.status >= 400, `a body that the document forbids was taken: ${what}`);
  const line = `${operation.operationId} ${answer.status}`;
  statuses.set(line, (statuses.get(line) ?? 0) + 1);
  if (answer.status < 300) remember(answer.body);
  if (operation.operationId === 'prepareUpload' && answer.status === 200)
    rememberSession(sent.client, answer.body.data);
}

test(`${requests} requests made from the document get no answer outside it`, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const [client] = clients;
  assert.ok(client);
  const upload = await client.upload('quiet.wav', wavBytes(1, 0));
  known.set('upload', [upload]);
  for (let count = 0; count < 30; count += 1) {
    const { body } = await client.post('/api/v1/uploads', { filename: 'long.wav', size: 104_857_600 });
    rememberSession(client, body.data);
  }
  const statuses = new Map<string, number>();
  let left = requests;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await askOnce(statuses);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const seen = [...statuses].toSorted().map(([line, count]) => `${line}: ${count}`);
  t.diagnostic(seen.join(', '));
  for (const { operation } of check.operations()) {
    const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
    const isReached = successes.some((status) => statuses.has(`${operation.operationId} ${status}`));
    // Completing needs parts that were really sent; other tests do that.
    if (operation.operationId !== 'completeMultipartUpload' && requests >= 2_000)
      assert.ok(isReached, `seed ${seed}: ${operation.operationId} never succeeded: ${seen.join(', ')}`);
  }
});
