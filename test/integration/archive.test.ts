/** What `longhand move` and `longhand restore` make of rows that a whole service hardly brings about. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { move } from '../../src/archive/move.ts';
import { resetRunningJobs } from '../../src/archive/reset-running-jobs.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { DiskBudget, spaceOf } from '../../src/platform/disk/disk-budget.ts';
import { ScratchDirectory } from '../../src/platform/disk/scratch-directory.ts';
import { playbackKey, uploadKey } from '../../src/storage/object-key.ts';
import { S3Store } from '../../src/storage/s3-store.ts';
import { wavHeader } from '../../src/timeline/wav-header.ts';
import { playbackStore } from '../../src/transcription/audio/playback-store.ts';
import { type DecodeDeps, decodeMedia } from '../../src/transcription/step/decode.ts';
import { transcriptionStore } from '../../src/transcription/transcription-store.ts';
import { fixtureSamples } from '../support/audio.ts';
import { completedJob } from '../support/completed-job.ts';
import { openTestDatabase } from '../support/database.ts';
import { openJobWorld } from '../support/job-world.ts';
import { principalOfId } from '../support/principal.ts';
import { createTestBucket, skipWithoutS3 } from '../support/s3-server.ts';
import { temporaryDataDir } from '../support/service.ts';
import { patience, speechPool } from '../support/speech.ts';

const hooks = { after };
const world = await openJobWorld(hooks);
const { db } = world;
const local = world.deps.stores.current;
const accountId = await world.account();

test('what was on S3 before a move can be played after it, and so can what was moved', {
  skip: skipWithoutS3,
}, async () => {
  const s3 = new S3Store({ ...(await createTestBucket(hooks)), clock: systemClock });
  const target = await openTestDatabase(hooks);
  const job = async (storage: 'local' | 's3') => {
    const id = await completedJob(db, principalOfId(accountId), []);
    const peaks = { storage, key: playbackKey(id, 'peaks') };
    const media = { storage, key: playbackKey(id, 'audio.ogg'), contentType: 'audio/ogg', isVideo: false };
    await playbackStore.put(db, id, { peaks, media });
    return { id, peaks, media };
  };
  const [kept, moved, lost] = [await job('s3'), await job('local'), await job('local')];
  for (const { key } of [moved.peaks, moved.media]) await local.write(key, Buffer.from('sound'));

  await move({ from: { db, store: local }, to: { db: target, store: s3 } });
  const { id: _, ...unchanged } = kept;
  assert.deepEqual(await playbackStore.find(target, kept.id), unchanged);
  const arrived = await playbackStore.find(target, moved.id);
  assert.deepEqual([arrived.peaks?.storage, arrived.media?.storage], ['s3', 's3']);
  assert.deepEqual(await playbackStore.find(target, lost.id), { peaks: null, media: null });
});

test('a job that begins again is asked anew for its language; a given one stays given', async () => {
  const samples = await fixtureSamples('austen-880.flac');
  const media = Buffer.concat([wavHeader(samples.length), samples]);
  const folder = await temporaryDataDir(hooks);
  const disk = new DiskBudget({ space: () => spaceOf([folder]), reserveBytes: 0 });
  const deps: DecodeDeps = {
    ...world.deps,
    queue: world.deps.admission.queue,
    speech: speechPool(hooks, { niceness: 0 }),
    programs: { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', clock: systemClock },
    engine: 'auto',
    scratch: new ScratchDirectory(folder, disk),
  };
  const newJob = async (options: { language: string; languageIsFound: boolean }, chunks = 0) => {
    const key = uploadKey(accountId, crypto.randomUUID());
    await local.write(key, media);
    const id = await world.job(accountId, {
      kind: 'upload',
      storage: 'local',
      key,
      sizeBytes: media.length,
    });
    if (chunks > 0) await world.decoded(id, chunks);
    await db.query('update transcription set options = options || $2 where id = $1', [id, options]);
    return id;
  };
  const languageOf = async (id: string) => {
    const { options } = (await transcriptionStore.findProcessing(db, id)) ?? {};
    return [options?.language, options?.languageIsFound];
  };
  const found = await newJob({ language: 'es', languageIsFound: true }, 1);
  const given = await newJob({ language: 'es', languageIsFound: false }, 1);
  await resetRunningJobs(db);
  assert.deepEqual(await languageOf(found), [null, undefined]);
  assert.deepEqual(await languageOf(given), ['es', false]);
  // As a release before this left it.
  const stale = await newJob({ language: 'en', languageIsFound: true });
  for (const id of [found, given, stale]) await decodeMedia(deps, { transcriptionId: id }, patience());
  assert.deepEqual(await languageOf(found), ['en', true]);
  assert.deepEqual(await languageOf(given), ['es', false]);
  assert.deepEqual(await languageOf(stale), ['en', true]);
});
