/** An object on S3 that is replaced after its job was created: the job ends and says so. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { createTestBucket, s3Environment, skipWithoutS3 } from '../support/s3-server.ts';
import { runService, temporaryDataDir } from '../support/service.ts';
import { answerText, openSpeechEndpoint } from '../support/speech-endpoint.ts';

const path = '/api/v1/transcriptions';
const fixtures = join(import.meta.dirname, '..', 'fixtures');
const sentence =
  'The uploaded file was replaced after this job was created, so it was not transcribed. Upload it again and create a new job.';
/** One after the other, so that the second job waits until its object was replaced. */
const plans = {
  pro: {
    file_bytes_max: 1e9,
    media_seconds_max: 3600,
    daily_transcriptions_max: 100,
    running_transcriptions_max: 1,
    speaker_diarization: true,
  },
};

test('a job whose object on S3 was replaced fails with upload_changed, and no word of the new one comes out', {
  skip: skipWithoutS3,
}, async (t) => {
  const endpoint = await openSpeechEndpoint(t);
  const gate = Promise.withResolvers<void>();
  endpoint.answer = async (response) => {
    await gate.promise;
    answerText(response);
  };
  const plansFile = join(await temporaryDataDir(t), 'plans.json');
  await writeFile(plansFile, JSON.stringify(plans));
  const service = await runService(t, {
    ...s3Environment(await createTestBucket(t)),
    ...endpoint.settings,
    LONGHAND_EGRESS_ALLOW: endpoint.target,
    LONGHAND_PLANS: plansFile,
  });
  const client = await newClient(service);
  const [first, second] = await Promise.all(
    ['austen-880.flac', 'austen-930.flac'].map((name) => readFile(join(fixtures, name))),
  );
  assert.ok(first && second);
  // Of the same length, so that the signed URL takes it.
  const other = Buffer.alloc(first.length);
  second.copy(other);

  const holding = await client.post(path, { upload: await client.upload('first.flac', first) });
  await eventually(() => endpoint.requests > 0, 'the first job at the recognizer');
  const prepared = await client.post('/api/v1/uploads', { filename: 'talk.flac', size: first.length });
  const { key, storage, content_type, upload } = prepared.body.data;
  const put = async (body: Buffer<ArrayBuffer>) =>
    assert.equal((await fetch(upload.url, { method: 'PUT', headers: upload.headers, body })).status, 200);
  await put(first);
  const reference = { filename: 'talk.flac', key, storage, size: first.length, content_type };
  const replaced = await client.post(path, { upload: reference });
  assert.equal(replaced.status, 202);
  await put(other);
  gate.resolve();

  assert.equal((await client.ended(holding.body.data.id)).body.data.status, 'completed');
  const { status, error, text, segments } = (await client.ended(replaced.body.data.id)).body.data;
  assert.deepEqual(
    { status, error, text, segments },
    { status: 'failed', error: sentence, text: null, segments: null },
  );
  const requests = endpoint.requests;
  assert.equal(requests, 1, 'the replaced recording was never sent to the recognizer');
});
