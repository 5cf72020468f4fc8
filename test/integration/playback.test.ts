/** What browsers show and play of a recording: made from its samples, kept as long as promised, on both storages. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eraseJobs } from '../../src/erasure/erase-jobs.ts';
import { eraseTargets } from '../../src/erasure/erase-objects.ts';
import { type Probed, probe } from '../../src/media/probe.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { playbackKey } from '../../src/storage/object-key.ts';
import { type Playback, PlaybackMaker } from '../../src/transcription/audio/playback.ts';
import type { Source } from '../../src/transcription/transcription.ts';
import { sweep } from '../../src/upload/sweep.ts';
import { fixtureSamples, inPieces } from '../support/audio.ts';
import { completedJob } from '../support/completed-job.ts';
import { principalOf } from '../support/principal.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { onBothStorages, type StorageContext } from '../support/storage-suite.ts';

const programs = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', clock: systemClock };
const link: Source = { kind: 'url', url: 'https://example.com/a.wma' };
const day = 24 * 3_600_000;
const samples = await fixtureSamples('austen-880.flac');

function probed(container: string, codec: string): Probed {
  const audio = { index: 0, codec, sampleRate: 16_000, channels: 1, durationSeconds: undefined };
  return { container, durationSeconds: undefined, audio, audioStreams: [audio], hasVideo: false };
}

async function made(
  { stores }: StorageContext,
  job: { id: string; source: Source; probed: Probed },
): Promise<Playback> {
  const signal = new AbortController().signal;
  const maker = await PlaybackMaker.start({ programs, stores, logger: silentLogger }, job, signal);
  for await (const piece of inPieces(samples, 65_536)) await maker.add(piece);
  return await maker.finish();
}

async function bytesOf({ store }: StorageContext, key: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of await store.read(key)) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function jobOf(context: StorageContext): Promise<string> {
  return await completedJob(context.db, principalOf(context.account), []);
}

onBothStorages('playback', (storageCase) => {
  storageCase(
    'a recording that browsers do not play gets a copy in Opus, as long as it is',
    async (context) => {
      const id = await jobOf(context);
      const { media, peaks } = await made(context, { id, source: link, probed: probed('asf', 'wmav2') });
      assert.deepEqual(media && [media.contentType, media.isVideo], ['audio/ogg', false]);
      const folder = await mkdtemp(join(tmpdir(), 'longhand-playback-'));
      try {
        await writeFile(join(folder, 'copy'), await bytesOf(context, media?.key ?? ''));
        const copy = await probe(programs, join(folder, 'copy'));
        assert.equal(copy.audio.codec, 'opus');
        const seconds = samples.length / 32_000;
        assert.ok(
          Math.abs((copy.durationSeconds ?? 0) - seconds) < 0.1,
          `${copy.durationSeconds} of ${seconds} s`,
        );
      } finally {
        await rm(folder, { recursive: true });
      }
      const object = await bytesOf(context, peaks?.key ?? '');
      assert.equal(object.toString('latin1', 0, 4), 'LPK1');
      assert.equal(object.readUInt32LE(12), Math.ceil(samples.length / 3_200));
    },
  );

  storageCase('an upload that browsers play is played itself, without a copy', async (context) => {
    const id = await jobOf(context);
    const source: Source = { kind: 'upload', storage: context.storage, key: 'the-upload', sizeBytes: 1 };
    const { media } = await made(context, { id, source, probed: probed('mp3', 'mp3') });
    assert.deepEqual(media, {
      storage: context.storage,
      key: 'the-upload',
      contentType: 'audio/mpeg',
      isVideo: false,
    });
    assert.equal(await context.store.head(playbackKey(id, 'audio.ogg')), undefined);
  });

  storageCase('an encoder that cannot run costs the copy, not the waveform', async (context) => {
    const id = await jobOf(context);
    const broken = { ...programs, ffmpeg: 'false' };
    const deps = { programs: broken, stores: context.stores, logger: silentLogger };
    const job = { id, source: link, probed: probed('asf', 'wmav2') };
    const maker = await PlaybackMaker.start(deps, job, new AbortController().signal);
    for await (const piece of inPieces(samples, 65_536)) await maker.add(piece);
    const { media, peaks } = await maker.finish();
    assert.equal(media, null);
    assert.ok(peaks);
  });

  storageCase(
    'a browser reads from S3 by a signed URL, with ranges and the type that we say',
    async (context) => {
      const id = await jobOf(context);
      const { media } = await made(context, { id, source: link, probed: probed('asf', 'wmav2') });
      const signed = { key: media?.key ?? '', contentType: 'audio/ogg', expiresInSeconds: 60 };
      const url = await context.store.signGet(signed);
      if (context.storage === 'local') return assert.equal(url, undefined);
      const answer = await fetch(url ?? '', { headers: { range: 'bytes=0-3' } });
      assert.deepEqual(
        [answer.status, answer.headers.get('content-type'), await answer.text()],
        [206, 'audio/ogg', 'OggS'],
      );
    },
  );

  storageCase('the copy goes with the media, the waveform with the job', async (context) => {
    const { db, stores, clock, store } = context;
    const id = await jobOf(context);
    await made(context, { id, source: link, probed: probed('asf', 'wmav2') });
    const kept = async () => ({
      copy: (await store.head(playbackKey(id, 'audio.ogg'))) !== undefined,
      peaks: (await store.head(playbackKey(id, 'peaks'))) !== undefined,
    });
    const deps = { db, stores, clock, logger: silentLogger, retentionDays: 30 };
    clock.skewMs = 29 * day;
    await sweep(deps);
    assert.deepEqual(await kept(), { copy: true, peaks: true });
    clock.skewMs = 31 * day;
    await sweep(deps);
    assert.deepEqual(await kept(), { copy: false, peaks: true });
    clock.skewMs = 0;
    const targets = await db.transaction((tx) => eraseJobs(tx, { stores, now: clock.date() }, [id]));
    assert.ok(await eraseTargets({ db, stores, clock, logger: silentLogger }, targets));
    assert.deepEqual(await kept(), { copy: false, peaks: false });
  });
});
