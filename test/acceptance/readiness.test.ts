/** "Ready" is true: what a job needs and is not there is told at the start, by /readyz and by the doctor alike. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApiClient } from '../support/api-client.ts';
import { assertError } from '../support/assert-answer.ts';
import { onCleanup } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { createTestBucket, s3ClientFor, skipWithoutS3 } from '../support/s3-server.ts';
import { longhand, startService, testEnvironment } from '../support/service.ts';
import { mountNamespace, skipWithoutMounts } from '../support/small-disk.ts';
import { openReceiver } from '../support/webhook-receiver.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const path = '/api/v1/transcriptions';
const key = `lh_${'d'.repeat(36)}`;

async function findings(environment: Record<string, string>) {
  const { code, stdout } = await longhand(environment, 'doctor', '--json');
  const { checks } = JSON.parse(stdout) as { checks: { name: string; verdict: string; text: string }[] };
  const byName = Object.fromEntries(checks.map((one) => [one.name, one]));
  return { code, byName };
}

/** The file exists in the namespace of one process only, where it cannot be run. */
const hidden = spawnSync('sh', ['-c', 'command -v ffmpeg']).stdout.toString().trim();

test('without ffmpeg the service starts, says so and refuses jobs; it is ready as soon as ffmpeg is there', {
  skip: skipWithoutMounts,
}, async (t) => {
  const environment = await testEnvironment(t, { LONGHAND_API_KEY: key });
  const script = `mount --bind /dev/null '${hidden}' && exec "$@"`;
  const wrapper = ['unshare', ...mountNamespace, '--', 'sh', '-c', script, 'sh'];
  const service = await startService(environment, [], wrapper);
  onCleanup(t, () => service.stop());
  assert.match(
    service.output(),
    /^What is missing:\n {2}ffmpeg: .*LONGHAND_FFMPEG.*\n {2}worker: .*\nLonghand listens at \S+, but .*\.\n$/,
  );
  const client = new ApiClient(service.url, key);
  const readyz = await client.get('/readyz');
  assert.deepEqual(
    [readyz.status, readyz.body],
    [503, { status: 'not ready', missing: ['ffmpeg', 'worker'] }],
  );
  const upload = await client.uploadFile(austen);
  assertError(await client.post(path, { upload }), { status: 503, code: 'api_processing_unavailable' });

  const inside = ['-t', String(service.process.pid), '--mount'];
  if (process.getuid?.() !== 0) inside.push('--user', '--preserve-credentials');
  assert.equal(spawnSync('nsenter', [...inside, 'umount', hidden]).status, 0);
  await eventually(
    () => service.output().endsWith(`Longhand is ready at ${service.url}\n`) || undefined,
    'ready',
  );
  assert.equal((await client.get('/readyz')).status, 200);
  const created = await client.post(path, { upload });
  assert.equal((await client.ended(created.body.data.id)).body.data.status, 'completed');
});

test('a model that is not installed is named with the command that brings it', async (t) => {
  const environment = await testEnvironment(t, { LONGHAND_ENGINE: 'sense-voice-small' });
  const service = await startService(environment);
  onCleanup(t, () => service.stop());
  assert.match(
    service.output(),
    /\n {2}models: sense-voice-small missing: run "npx longhand models install sense-voice-small"\.\n/,
  );
  const { status, body } = await new ApiClient(service.url).get('/readyz');
  assert.deepEqual([status, body.missing], [503, ['models', 'worker']]);
  const { code, byName } = await findings(environment);
  assert.deepEqual([code, byName.models?.verdict], [1, 'problem']);
});

test('a bucket that does not exist is named, and the service is ready once it is made', {
  skip: skipWithoutS3,
}, async (t) => {
  const s3 = await createTestBucket(t);
  const bucket = `${s3.bucket}-later`;
  const environment = await testEnvironment(t, {
    LONGHAND_STORAGE: 's3',
    LONGHAND_S3_ENDPOINT: s3.endpoint ?? '',
    LONGHAND_S3_BUCKET: bucket,
    LONGHAND_S3_ACCESS_KEY_ID: s3.accessKeyId,
    LONGHAND_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    LONGHAND_S3_FORCE_PATH_STYLE: 'true',
    LONGHAND_LOG_LEVEL: 'error',
  });
  const service = await startService(environment);
  onCleanup(t, () => service.stop());
  const client = new ApiClient(service.url);
  assert.match(service.output(), /\n {2}storage: s3: the bucket does not exist: .*LONGHAND_S3_BUCKET\.\n/);
  assert.deepEqual((await client.get('/readyz')).body.missing, ['storage', 'worker']);
  const wrong = await findings({ ...environment, LONGHAND_S3_SECRET_ACCESS_KEY: 'wrong' });
  assert.match(wrong.byName.storage?.text ?? '', /LONGHAND_S3_SECRET_ACCESS_KEY/);

  const s3Client = s3ClientFor(s3);
  await s3Client.createBucket({ Bucket: bucket });
  onCleanup(t, async () => {
    await service.stop();
    await s3Client.deleteBucket({ Bucket: bucket });
    s3Client.destroy();
  });
  await eventually(
    () => service.output().endsWith(`Longhand is ready at ${service.url}\n`) || undefined,
    'ready',
  );
  assert.equal((await client.get('/readyz')).status, 200);
});

test('a secret key that does not open what is stored stops the start, and the doctor says the same', async (t) => {
  const receiver = await openReceiver(t);
  const environment = await testEnvironment(t, {
    LONGHAND_API_KEY: key,
    LONGHAND_EGRESS_ALLOW: receiver.target,
    LONGHAND_LOG_LEVEL: 'error',
  });
  const service = await startService(environment);
  const subscription = { url: receiver.url, events: ['transcription.completed'] };
  const { status } = await new ApiClient(service.url, key).post(
    '/api/v1/webhook-subscriptions',
    subscription,
  );
  assert.equal(status, 201);
  assert.equal((await findings(environment)).byName['secret key']?.verdict, 'ok');
  await service.stop();

  const other = { ...environment, LONGHAND_SECRET_KEY: Buffer.alloc(32, 2).toString('base64') };
  const { code, byName } = await findings(other);
  assert.deepEqual([code, byName['secret key']?.verdict], [1, 'problem']);
  const start = await longhand(other, 'serve');
  assert.deepEqual([start.code, start.stderr], [1, `longhand: ${byName['secret key']?.text}\n`]);
  assert.match(start.stderr, /LONGHAND_SECRET_KEY/);
});
