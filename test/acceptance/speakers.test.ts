import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { type Environment, longhand, startService, testEnvironment } from '../support/service.ts';
import { twoVoices } from '../support/two-voices.ts';

interface Spoken {
  start: number;
  end: number;
  text: string;
  speaker?: number;
}

async function withFile(environment: Environment, name: string, bytes: Buffer): Promise<string> {
  const path = join(environment.LONGHAND_DATA_DIR ?? '', name);
  await writeFile(path, bytes);
  return path;
}

/** As on a machine where the speaker model was never installed: an empty folder keeps the checkout's from being linked. */
async function withoutSpeakerModel(environment: Environment): Promise<void> {
  await mkdir(join(environment.LONGHAND_DATA_DIR ?? '', 'models', 'vosk-spk'), { recursive: true });
}

test('a job with speaker_diarization gives every segment to the one who speaks it, numbered from 0', async () => {
  const service = await startService(await testEnvironment({ after }, { LONGHAND_METRICS: 'true' }));
  try {
    const client = await newClient(service);
    const { wav, turnSeconds } = twoVoices(4);
    const upload = await client.upload('talk.wav', wav);
    const created = await client.post('/api/v1/transcriptions', { upload, speaker_diarization: true });
    const { body } = await client.ended(created.body.data.id);
    assert.equal(body.data.status, 'completed');
    const segments: Spoken[] = body.data.segments;
    assert.ok(segments.length >= 4);
    for (const { start, end, speaker, text } of segments) {
      assert.equal(speaker, Math.floor((start + end) / 2 / turnSeconds) % 2, `${start} ${text}`);
    }
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(metrics, /^longhand_speaker_jobs_total\{outcome="found"\} 1$/m);
  } finally {
    await service.stop();
  }
});

test('without the speaker model the transcript completes without speakers, and the log says why', async () => {
  const environment = await testEnvironment({ after });
  await withoutSpeakerModel(environment);
  const file = await withFile(environment, 'talk.wav', twoVoices(2).wav);
  const { code, stdout, stderr } = await longhand(
    environment,
    'transcribe',
    file,
    '--speakers',
    '--format',
    'json',
  );
  assert.equal(code, 0, stderr);
  const { text, segments }: { text: string; segments: Spoken[] } = JSON.parse(stdout);
  assert.match(text, /young man/i);
  assert.ok(segments.length > 0 && segments.every((segment) => !('speaker' in segment)));
  assert.match(stderr, /no-model/);
  assert.match(stderr, /completed without speakers/);
});

const damagedModels = {
  'vosk-spk': ['final.ext.raw', 'mean.vec', 'transform.mat'],
  'pyannote-segmentation': ['model.onnx'],
  'wespeaker-resnet34': ['model.onnx'],
};

for (const ids of [['vosk-spk'], ['pyannote-segmentation', 'wespeaker-resnet34']] as const) {
  test(`damaged files of ${ids.join(' and ')} cost the speakers and not the transcript`, async () => {
    const environment = await testEnvironment({ after });
    await withoutSpeakerModel(environment);
    for (const id of ids) {
      const directory = join(environment.LONGHAND_DATA_DIR ?? '', 'models', id);
      await mkdir(directory, { recursive: true });
      for (const name of [...damagedModels[id], '.verified.json'])
        await writeFile(join(directory, name), '{}');
    }
    const file = await withFile(environment, 'talk.wav', twoVoices(2).wav);
    const { code, stdout, stderr } = await longhand(environment, 'transcribe', file, '--speakers');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /young man/i);
    assert.match(stderr, /completed without speakers/);
  });
}

test('the command line takes the number of speakers as known, and refuses a number that cannot be', async () => {
  const environment = await testEnvironment({ after });
  const file = await withFile(environment, 'talk.wav', twoVoices(4).wav);
  const one = await longhand(environment, 'transcribe', file, '--speaker-count', '1', '--format', 'json');
  assert.equal(one.code, 0, one.stderr);
  const { segments }: { segments: Spoken[] } = JSON.parse(one.stdout);
  assert.deepEqual([...new Set(segments.map(({ speaker }) => speaker))], [0]);
  for (const count of ['0', '3-2', 'two', '99']) {
    const wrong = await longhand(environment, 'transcribe', file, '--speaker-count', count);
    assert.notEqual(wrong.code, 0);
    assert.match(wrong.stderr, /--speaker-count must be/);
  }
});
