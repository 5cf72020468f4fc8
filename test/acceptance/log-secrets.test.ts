import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { runService } from '../support/service.ts';
import { acknowledge, answerWith, openReceiver } from '../support/webhook-receiver.ts';

const hooks = { after };
const recording = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');

test('the most talkative log of a whole job holds no key, secret, address of a receiver or word of the transcript', async () => {
  const receiver = await openReceiver(hooks);
  const service = await runService(hooks, {
    LONGHAND_LOG_LEVEL: 'trace',
    LONGHAND_EGRESS_ALLOW: receiver.target,
    LONGHAND_WEBHOOK_SCHEDULE: '0,1,1,1,1,1,1',
  });
  const client = await newClient(service);
  const url = `${receiver.url}/private-path?token=private-query`;
  const subscription = await client.post('/api/v1/webhook-subscriptions', {
    url,
    events: ['transcription.completed', 'transcription.failed'],
  });
  assert.equal(subscription.status, 201);
  receiver.answer = answerWith(500);
  const broken = await client.post('/api/v1/transcriptions', {
    source_url: `http://${receiver.target}/private-source.mp3?token=private-query`,
  });
  await client.ended(broken.body.data.id);
  await eventually(() => receiver.received.length > 2 || undefined, 'an attempt and its repetition');
  receiver.answer = acknowledge;
  const upload = await client.uploadFile(recording);
  const created = await client.post('/api/v1/transcriptions', { upload });
  const { text } = (await client.ended(created.body.data.id)).body.data;
  assert.ok(text.length > 20);
  await service.stop();

  const log = service.log();
  assert.match(log, /a job was accepted/);
  assert.match(log, /a job failed/);
  const secret = subscription.body.data.signing_secret;
  const words = text.split(' ').slice(0, 4).join(' ');
  for (const hidden of [
    client.key,
    secret,
    'private-path',
    'private-query',
    upload.key,
    words,
    'signature=',
  ]) {
    assert.ok(hidden && !log.includes(hidden), `"${hidden}" is in the log`);
  }
});
