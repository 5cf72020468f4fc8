/** `longhand webhook listen`: what a developer sees of deliveries on their own machine. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { newClient } from '../support/api-client.ts';
import { type StartedCommand, startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { longhand, runService } from '../support/service.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const hooks = { after };
const port = await freePort();
const service = await runService(hooks, { LONGHAND_EGRESS_ALLOW: `127.0.0.1:${port}` });
const client = await newClient(service);
const environment = { ...service.environment, LONGHAND_SERVER: service.url, LONGHAND_KEY: client.key ?? '' };

function watched({ child }: StartedCommand): (pattern: RegExp) => Promise<RegExpExecArray> {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => {
      said += text;
    });
  return (pattern) => eventually(() => pattern.exec(said) ?? undefined, `${pattern} in ${said}`);
}

const subscriptions = async () => (await client.get('/api/v1/webhook-subscriptions')).body.data as object[];

test('it subscribes by itself, prints what is delivered, and takes the subscription away at the end', async () => {
  const command = startCommand(environment, ['webhook', 'listen', '--port', String(port)]);
  const says = watched(command);
  await says(/^Listening at http:\/\/127\.0\.0\.1:\d+\/\. Ctrl-C ends it\.$/m);
  assert.equal((await subscriptions()).length, 1);
  const upload = await client.uploadFile(austen);
  const { body } = await client.post('/api/v1/transcriptions', { upload });
  assert.equal((await client.ended(body.data.id)).body.data.status, 'completed');
  const [line] = await says(/^.*transcription\.completed.*$/m);
  assert.ok(line.includes('austen-880.flac  3 s') && line.includes(body.data.id), line);
  command.child.kill('SIGINT');
  const { code, stdout, stderr } = await command.result;
  assert.equal(code, 0, stderr);
  assert.deepEqual(await subscriptions(), []);
  assert.ok(!/whsec_|lh_/.test(stdout + stderr), 'a secret was printed');
});

test('with a secret it needs no server; forged, stale and repeated deliveries are told apart', async () => {
  const { LONGHAND_SERVER: _server, LONGHAND_KEY: _key, ...alone } = environment;
  const command = startCommand(alone, ['webhook', 'listen', '--port', '0', '--secret', secret]);
  const says = watched(command);
  const [, address = ''] = await says(/Listening at (\S+)\. /);
  const id = randomUUID();
  const data = {
    id: randomUUID(),
    filename: 'talk.mp3',
    status: 'failed',
    duration_seconds: null,
    resource_url: 'u',
  };
  const body = JSON.stringify({ id, type: 'transcription.failed', created_at: 'now', data });
  const deliver = async (signedAt: Date, sent = body) => {
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, signedAt, body),
    };
    return (await fetch(address, { method: 'POST', headers, body: sent })).status;
  };
  assert.equal(await deliver(new Date()), 204);
  await says(/transcription\.failed {2}talk\.mp3 {2}u$/m);
  assert.equal(await deliver(new Date()), 204);
  await says(/transcription\.failed {2}talk\.mp3 {2}u {2}\(again\)$/m);
  assert.equal(await deliver(new Date(), `${body} `), 400);
  await says(/cannot be trusted: the signature is not right/);
  assert.equal(await deliver(new Date(Date.now() - 400_000)), 400);
  await says(/cannot be trusted: it is too old/);
  assert.equal((await fetch(address, { method: 'POST', body: 'x' })).status, 400);
  assert.equal((await fetch(address)).status, 404);
  command.child.kill('SIGTERM');
  assert.equal((await command.result).code, 0);
});

test('a server that may not reach this machine is named with what to do, and nothing is left', async () => {
  const other = String(await freePort());
  const { code, stderr } = await longhand(environment, 'webhook', 'listen', '--port', other);
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`LONGHAND_EGRESS_ALLOW=127\\.0\\.0\\.1:${other}, or .* --url`));
  assert.deepEqual(await subscriptions(), []);
});

test('what was typed wrong ends with 2', async () => {
  const { LONGHAND_SERVER: _server, LONGHAND_KEY: _key, ...alone } = environment;
  for (const [args, sentence] of [
    [[], /Give --secret, or a server/],
    [['--secret', 'abc'], /begins with whsec_/],
    [['--port', 'x'], /--port must be/],
    [['--secret', secret, '--url', 'https://a.example/'], /leave out --secret/],
  ] as [string[], RegExp][]) {
    const { code, stderr } = await longhand(alone, 'webhook', 'listen', ...args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, sentence);
  }
});
