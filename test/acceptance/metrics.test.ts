/** What is watched: figures on an address of their own, for API and worker alike, what the rules and the dashboard ask for; and traces. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { onCleanup } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startService, temporaryDataDir, testEnvironment } from '../support/service.ts';
import { answerWith, openReceiver } from '../support/webhook-receiver.ts';

const deploy = join(import.meta.dirname, '..', '..', 'deploy');
const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const [apiPort, workerPort] = [await freePort(), await freePort()];
const hooks = { after };
const collector = await openReceiver(hooks, { answer: answerWith(200) });
const receiver = await openReceiver(hooks);
const recording = await readFile(austen);
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'audio/flac' }).end(recording);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const site = `127.0.0.1:${(server.address() as AddressInfo).port}`;
onCleanup(hooks, async () => {
  server.closeAllConnections();
  server.close();
});
const environment = await testEnvironment(hooks, {
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://${collector.target}`,
  LONGHAND_EGRESS_ALLOW: `${receiver.target},${site}`,
  LONGHAND_METRICS_LISTEN: `127.0.0.1:${apiPort}`,
  LONGHAND_LOG_LEVEL: 'info',
});
const api = await startService(environment, ['--role', 'api']);
onCleanup(hooks, () => api.stop());
const workerEnvironment = { ...environment, LONGHAND_METRICS_LISTEN: `127.0.0.1:${workerPort}` };
const worker = await startService(workerEnvironment, ['--role', 'worker']);
onCleanup(hooks, () => worker.stop());

const textAt = async (port: number, path = '/metrics') =>
  await (await fetch(`http://127.0.0.1:${port}${path}`)).text();

/** The sum of a figure over all its labels that match. */
function figure(text: string, name: string, labels = ''): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines
    .filter((line) => line.includes(labels))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const callerTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerSpan = '00f067aa0ba902b7';

test('a job is counted where it is accepted, where it is worked on and where it ends', async () => {
  const client = await newClient(api);
  const subscription = { url: receiver.url, events: ['transcription.completed'] };
  assert.equal((await client.post('/api/v1/webhook-subscriptions', subscription)).status, 201);
  const created = await client.post(
    '/api/v1/transcriptions',
    { upload: await client.uploadFile(austen) },
    { traceparent: `00-${callerTrace}-${callerSpan}-01` },
  );
  assert.equal(created.status, 202);
  await client.ended(created.body.data.id);

  const ofApi = await textAt(apiPort);
  assert.equal(figure(ofApi, 'longhand_jobs_accepted_total', 'protocol="rest"'), 1);
  assert.equal(figure(ofApi, 'longhand_workers'), 1);
  assert.ok(figure(ofApi, 'longhand_http_requests_total', 'route="/api/v1/transcriptions"') >= 1);
  const ofWorker = await eventually(async () => {
    const text = await textAt(workerPort);
    return figure(text, 'longhand_steps_total', 'step="finish"') === 1 ? text : undefined;
  }, 'the last step is counted');
  assert.equal(figure(ofWorker, 'longhand_jobs_ended_total', 'status="completed"'), 1);
  assert.ok(figure(ofWorker, 'longhand_audio_seconds_total') > 2);
  assert.equal(figure(ofWorker, 'longhand_step_seconds_count', 'step="recognise"'), 1);
  assert.ok(figure(ofWorker, 'longhand_process_memory_bytes', 'kind="resident"') > 1e7);
  assert.ok(figure(ofWorker, 'longhand_disk_bytes', 'kind="free"') > 0);

  assert.equal((await fetch(`${api.url}/metrics`)).status, 404, 'not on the public listener');
  assert.deepEqual(JSON.parse(await textAt(workerPort, '/readyz')), { status: 'ready' });
});

test('one line tells of an accepted and of a completed job, and none of what was said', async () => {
  const accepted = api.log().match(/a job was accepted/g) ?? [];
  assert.equal(accepted.length, 1);
  const completed = await eventually(() => worker.log().match(/a job completed/g) ?? undefined, 'its line');
  assert.equal(completed.length, 1);
  assert.doesNotMatch(api.log() + worker.log(), /young man|austen-880/i);
});

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

/** What the collector was sent, of a caller's trace. */
function spansOf(trace: string): Span[] {
  return collector.received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => JSON.parse(body.toString()).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans as Span[])
    .filter(({ traceId }) => traceId === trace);
}

test('the whole life of a job is one trace, its caller’s, across processes and without content', async () => {
  const request = 'POST /api/v1/transcriptions';
  const parts = [request, 'create', 'decode', 'recognise', 'finish', 'job', 'deliver'];
  const spans = await eventually(() => {
    const told = spansOf(callerTrace);
    return parts.every((part) => told.some(({ name }) => name === part)) ? told : undefined;
  }, 'the spans of all parts');
  const named = (name: string) => spans.find((span) => span.name === name);
  assert.equal(named(request)?.parentSpanId, callerSpan);
  assert.equal(named('create')?.parentSpanId, named(request)?.spanId);
  const ofCreate = spans.filter(({ name }) => name !== request && name !== 'create');
  for (const { name, parentSpanId } of ofCreate) assert.equal(parentSpanId, named('create')?.spanId, name);
  for (const { name, startTimeUnixNano: start, endTimeUnixNano: end } of spans)
    assert.ok(BigInt(end) >= BigInt(start), name);
  const sent = collector.received.map(({ body }) => body.toString()).join();
  assert.doesNotMatch(sent, /young man|austen-880|lh_[0-9a-zA-Z]|hooks|t0p/i);
});

test('the download of a link is a part of its trace, and the link is not', async () => {
  const trace = callerTrace.replaceAll('4', '5');
  const client = await newClient(api);
  const created = await client.post(
    '/api/v1/transcriptions',
    { source_url: `http://${site}/private-talk.flac` },
    { traceparent: `00-${trace}-${callerSpan}-01` },
  );
  assert.equal(created.status, 202);
  const spans = await eventually(() => {
    const told = spansOf(trace);
    return ['create', 'fetch', 'decode'].every((part) => told.some(({ name }) => name === part))
      ? told
      : undefined;
  }, 'the span of the download');
  const named = (name: string) => spans.find((span) => span.name === name);
  assert.equal(named('fetch')?.parentSpanId, named('create')?.spanId);
  assert.ok(BigInt(named('decode')?.endTimeUnixNano ?? 0) >= BigInt(named('fetch')?.endTimeUnixNano ?? 0));
  const sent = collector.received.map(({ body }) => body.toString()).join();
  assert.doesNotMatch(sent, new RegExp(`private-talk|${site}`));
  await client.ended(created.body.data.id);
});

test('an address for metrics that is not one stops the start with a sentence', async (t) => {
  const wrong = {
    ...environment,
    LONGHAND_DATA_DIR: await temporaryDataDir(t),
    LONGHAND_METRICS_LISTEN: '9464',
  };
  await assert.rejects(startService(wrong, ['--role', 'worker']));
});

test('every figure that the rules and the dashboard ask for is there', async () => {
  const known = (await textAt(apiPort)) + (await textAt(workerPort));
  const names = new Set(
    [...known.matchAll(/^(longhand_\w+?)(?:_bucket|_sum|_count)?(?:\{| )/gm)].map(([, name]) => name),
  );
  for (const file of ['prometheus/longhand.rules.yml', 'grafana/longhand.json']) {
    const text = await readFile(join(deploy, file), 'utf8');
    for (const [, name = ''] of text.matchAll(
      /\b(longhand_[a-z_]+?)(?:_bucket|_sum|_count)?\b(?=[\s[{()"])/g,
    )) {
      // There while a job is in progress, or after one with speakers.
      const comesLater = /^longhand_(speaker_jobs_total|queue_\w+|jobs_(processing|oldest_seconds))$/.test(
        name,
      );
      assert.ok(comesLater || names.has(name), `${file} asks for ${name}`);
    }
  }
});

const promtool = spawnSync('promtool', ['--version'], { timeout: 10_000 }).status === 0;
const skip = promtool ? false : 'there is no promtool: ./setup --tests brings it';

test('the alert rules are valid, are silent on a healthy fleet and speak of a sick one', { skip }, () => {
  for (const args of [
    ['check', 'rules', 'longhand.rules.yml'],
    ['test', 'rules', 'longhand.rules.test.yml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, {
      cwd: join(deploy, 'prometheus'),
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.equal(status, 0, stdout + stderr);
  }
});
