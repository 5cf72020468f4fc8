/** The first minutes of a long recording are recognised while the rest is still decoded. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { DiskBudget, spaceOf } from '../../src/platform/disk/disk-budget.ts';
import { ScratchDirectory } from '../../src/platform/disk/scratch-directory.ts';
import type { Speech } from '../../src/speech/speech.ts';
import { uploadKey, workPrefixOf } from '../../src/storage/object-key.ts';
import { bytesPerSample } from '../../src/timeline/pcm-samples.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import { wavHeader } from '../../src/timeline/wav-header.ts';
import { fail } from '../../src/transcription/end-job.ts';
import { JobFeed } from '../../src/transcription/feed/job-feed.ts';
import { progressStore } from '../../src/transcription/progress-store.ts';
import { type DecodeDeps, decodeMedia } from '../../src/transcription/step/decode.ts';
import { finish } from '../../src/transcription/step/finish.ts';
import { recognise } from '../../src/transcription/step/recognise.ts';
import type { CompletedTranscription } from '../../src/transcription/transcription.ts';
import { transcriptionStore } from '../../src/transcription/transcription-store.ts';
import { fixtureSamples, silence } from '../support/audio.ts';
import { onCleanup } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { openJobWorld } from '../support/job-world.ts';
import { speechPool } from '../support/speech.ts';

const hooks = { after };
const patience = () => systemClock.timeout(400_000);
const world = await openJobWorld(hooks);
const { db } = world;
const { queue } = world.deps.admission;
const speech = speechPool(hooks, { processes: 2, niceness: 0 });
const folder = await mkdtemp(join(tmpdir(), 'longhand-opening-'));
onCleanup(hooks, () => rm(folder, { recursive: true, force: true }));
const disk = new DiskBudget({ space: () => spaceOf([folder]), reserveBytes: 0 });
const programs = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', clock: systemClock };
const deps = {
  ...world.deps,
  queue,
  speech,
  programs,
  engine: 'auto',
  scratch: new ScratchDirectory(folder, disk),
} satisfies DecodeDeps;
const store = deps.stores.current;
const accountId = await world.account();

/** A sentence every 25 s for nearly three minutes, then a silence: a long recording that costs the recogniser little. */
async function recording(): Promise<Buffer> {
  const sentence = await fixtureSamples('austen-870.flac');
  const pause = silence(18);
  const parts: Buffer[] = [];
  const spokenBytes = 170 * sampleRate * bytesPerSample;
  for (let bytes = 0; bytes < spokenBytes; bytes += sentence.length + pause.length)
    parts.push(sentence, pause);
  const samples = Buffer.concat([...parts, silence(450)]);
  return Buffer.concat([wavHeader(samples.length), samples]);
}

const media = await recording();

async function newJob(): Promise<string> {
  const key = uploadKey(accountId, crypto.randomUUID());
  await store.write(key, media);
  return await world.job(accountId, { kind: 'upload', storage: 'local', key, sizeBytes: media.length });
}

/** The decoder is held at five minutes until the gate opens. */
function heldSpeech(gate: Promise<void>): Speech {
  async function* held(audio: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const part of audio) {
      if (bytes > 300 * sampleRate * bytesPerSample) await gate;
      bytes += part.length;
      yield part;
    }
  }
  return new Proxy(speech, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name === 'findSpeech')
        return ((audio, ...rest) => speech.findSpeech(held(audio), ...rest)) satisfies Speech['findSpeech'];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function chunkTasks(id: string): Promise<number[]> {
  const tasks = await world.tasks('recognise');
  return tasks.flatMap((task) => (task.transcriptionId === id ? [task.index ?? -1] : []));
}

async function openingTasks(id: string): Promise<number[]> {
  return await eventually(async () => {
    const indexes = await chunkTasks(id);
    return indexes.length > 0 ? indexes : undefined;
  }, 'the tasks of the opening');
}

async function completed(id: string, indexes: readonly number[]): Promise<CompletedTranscription> {
  for (const index of indexes) await recognise(deps, { transcriptionId: id, index }, patience());
  await finish(deps, { transcriptionId: id }, patience());
  const job = await transcriptionStore.findOwned(db, accountId, id);
  assert.equal(job?.status, 'completed');
  return job;
}

let undisturbed: CompletedTranscription;

test('the first words are told while the recording is still decoded; the totals are right at the end', async () => {
  const id = await newJob();
  const gate = Promise.withResolvers<void>();
  const task = { transcriptionId: id };
  const decoding = decodeMedia({ ...deps, speech: heldSpeech(gate.promise) }, task, patience());
  const opening = await openingTasks(id);
  await recognise(deps, { transcriptionId: id, index: 0 }, patience());
  const feed = new JobFeed({ db, clock: systemClock }, { accountId, id });
  const left = new AbortController();
  let told = 0;
  for await (const event of feed.events(0, left.signal)) {
    if (event.kind !== 'text') continue;
    told = event.sequence;
    break;
  }
  feed.close();
  assert.ok(told > 0);
  const during = await progressStore.find(db, id);
  assert.equal(during?.stage, 'decoding');
  assert.equal(during?.audioSecondsTotal, null);

  gate.resolve();
  await decoding;
  const [row] = await db.query<{ chunks_total: number; chunks_left: number }>(
    'select chunks_total, chunks_left from transcription where id = $1',
    [id],
  );
  const all = await chunkTasks(id);
  assert.deepEqual(all, [...all.keys()], 'each chunk has one task');
  assert.ok(opening.length < all.length);
  assert.deepEqual(row, { chunks_total: all.length, chunks_left: all.length - 1 });
  undisturbed = await completed(id, all);
  assert.match(undisturbed.text, /\w/);
  assert.deepEqual(await Array.fromAsync(store.list(workPrefixOf(id))), []);
});

test('a recording whose decoding is broken off after its opening is gone on with; the text is the same', async () => {
  const id = await newJob();
  const task = { transcriptionId: id };
  const crash = new AbortController();
  const gate = Promise.withResolvers<void>();
  const decoding = decodeMedia({ ...deps, speech: heldSpeech(gate.promise) }, task, crash.signal);
  const opening = await openingTasks(id);
  await recognise(deps, { transcriptionId: id, index: 0 }, patience());
  crash.abort(new Error('the worker was ended'));
  gate.resolve();
  await assert.rejects(decoding, /the worker was ended/);
  assert.deepEqual(await chunkTasks(id), opening);

  // Whatever is left of the opening may be done before the second attempt has decoded the rest, and after it.
  await recognise(deps, { transcriptionId: id, index: 1 }, patience());
  await decodeMedia(deps, task, patience());
  await decodeMedia(deps, task, patience());
  const all = await chunkTasks(id);
  assert.deepEqual(all, [...all.keys()], 'each chunk has one task');
  const { text, segments, durationSeconds } = await completed(id, all);
  assert.equal(text, undisturbed.text);
  assert.deepEqual(segments, undisturbed.segments);
  assert.equal(durationSeconds, undisturbed.durationSeconds);
});

test('a job that is ended while its opening is recognised leaves nothing behind', async () => {
  const id = await newJob();
  const gate = Promise.withResolvers<void>();
  const task = { transcriptionId: id };
  const decoding = decodeMedia({ ...deps, speech: heldSpeech(gate.promise) }, task, patience());
  await openingTasks(id);
  await fail(deps, id, { code: 'cancelled', sentence: 'It was cancelled.', isOurs: false });
  gate.resolve();
  await decoding;
  assert.deepEqual(await Array.fromAsync(store.list(workPrefixOf(id))), []);
  const chunks = await db.query('select from chunk where transcription_id = $1', [id]);
  assert.equal(chunks.length, 0);
});
