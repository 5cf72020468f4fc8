import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { decode } from '../../src/media/decode.ts';
import { mediaKind } from '../../src/media/magic.ts';
import { MediaFailure } from '../../src/media/media-failure.ts';
import { probe } from '../../src/media/probe.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type HostileFile, hostileFiles, truncatedFiles, unreadable } from '../fixtures/hostile-files.ts';
import { type MediaFolder, mediaFolder, secondsOfWav } from '../fixtures/media-files.ts';
import { eventually } from '../support/eventually.ts';

const programs = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', clock: systemClock };
let folder: MediaFolder;
let hostile: HostileFile[];
let visits = 0;
const victim = createServer((_request, response) => {
  visits += 1;
  response.end();
});

before(async () => {
  folder = await mediaFolder();
  await new Promise<void>((resolve) => victim.listen(0, '127.0.0.1', resolve));
  hostile = await hostileFiles(place());
});
after(async () => {
  victim.close();
  await folder[Symbol.asyncDispose]();
});

const place = () => ({ folder, victimPort: (victim.address() as AddressInfo).port });

async function endOf(path: string): Promise<string> {
  try {
    const decoded = decode(programs, path, { durationSecondsMax: 600 });
    for await (const _samples of decoded.audio);
    const { samples, truncated } = await decoded.finished;
    if (samples === 0) return 'nothing';
    return truncated ? 'truncated' : 'whole';
  } catch (error) {
    if (error instanceof MediaFailure) return error.code;
    throw error;
  }
}

async function wrongEnds(files: readonly HostileFile[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { name, path, ends } of files) {
    const end = await endOf(path);
    if (!(ends as readonly string[]).includes(end))
      wrong.push(`${name}: ${end} instead of ${ends.join(' or ')}`);
  }
  return wrong;
}

test('every hostile file ends with its word; no other file is read and no address is visited', async () => {
  assert.ok(hostile.length >= 40);
  assert.deepEqual(await wrongEnds(hostile), []);
  assert.equal(visits, 0);
});

test('files that are no media at all are refused by their first bytes already', async () => {
  const files = hostile.filter(({ ends }) => ends === unreadable);
  for (const { name, path } of files) {
    const bytes = (await readFile(path)).subarray(0, 65_536);
    // Random bytes behind a real mark look like media until they are decoded.
    if (/behind ID3/.test(name)) continue;
    assert.equal(mediaKind(bytes), undefined, name);
  }
});

test('what is there of a file cut off at its beginning, middle or end is decoded, and the cut is found out where a length is stated', async () => {
  const files = await truncatedFiles(place(), [1, 5, 9]);
  assert.deepEqual(await wrongEnds(files), []);
});

test('a recording that was cut off tells the length it should have had', async () => {
  for (const extension of ['wav', 'mp3']) {
    const whole = await readFile(await folder.encode(extension));
    const wholeSeconds = await secondsOfWav(folder.speech);
    for (const share of [0.37, 0.62]) {
      const path = join(folder.path, `${share}.${extension}`);
      await writeFile(path, whole.subarray(0, Math.round(whole.length * share)));
      const decoded = decode(programs, path, { durationSecondsMax: 600 });
      for await (const _samples of decoded.audio);
      const { durationSeconds, truncated } = await decoded.finished;
      assert.ok(Math.abs(durationSeconds - share * wholeSeconds) < 0.2, `${durationSeconds} s`);
      assert.ok(Math.abs((truncated?.statedSeconds ?? 0) - wholeSeconds) < 0.1);
    }
  }
});

test('a reader that leaves early, or an abort, ends the decoder at once', async () => {
  const long = await folder.ffmpeg('-f', 'lavfi', '-i', 'anullsrc=r=48000:cl=stereo:d=3000', 'long.wav');
  const left = decode(programs, long, { durationSecondsMax: 36_000 });
  for await (const _samples of left.audio) break;
  await assert.rejects(left.finished, /left before the end/);
  const stop = new AbortController();
  const aborted = decode(programs, long, { durationSecondsMax: 36_000, signal: stop.signal });
  await assert.rejects(async () => {
    for await (const _samples of aborted.audio) stop.abort(new Error('the lease is lost'));
  }, /the lease is lost/);
  await eventually(async () => (await processesNaming(folder.path)).length === 0, 'the decoders to end');
});

test('a reader that pauses holds the decoder back instead of filling memory', async () => {
  const long = await folder.ffmpeg('-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono:d=8000', 'paused.wav');
  const decoded = decode(programs, long, { durationSecondsMax: 36_000 });
  const before = process.memoryUsage().rss;
  let bytes = 0;
  for await (const samples of decoded.audio) {
    bytes += samples.length;
    if (bytes < 200_000) await systemClock.sleep(100);
  }
  assert.equal(bytes, 8_000 * 32_000);
  assert.ok(process.memoryUsage().rss - before < 160_000_000, 'the samples were kept in memory');
});

test('the default audio track is chosen among several, and a commentary is not', async () => {
  const tones = ['-f', 'lavfi', '-i', 'sine=440:d=2', '-f', 'lavfi', '-i', 'sine=880:d=3'];
  const mapped = [...tones, '-map', '0', '-map', '1'];
  const second = await folder.ffmpeg(
    ...mapped,
    '-disposition:a:0',
    '0',
    '-disposition:a:1',
    'default',
    'second.mkv',
  );
  assert.equal((await probe(programs, second)).audio.index, 1);
  const comment = ['-disposition:a:0', 'comment', '-disposition:a:1', '0'];
  assert.equal(
    (await probe(programs, await folder.ffmpeg(...mapped, ...comment, 'comment.mkv'))).audio.index,
    1,
  );
});

test('sound that is shorter than its picture is whole, and its length is what was decoded', async () => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=5:d=20'];
  for (const name of ['longer.mp4', 'longer.mkv', 'longer.avi']) {
    const file = await folder.ffmpeg(...picture, '-i', folder.speech, name);
    const decoded = decode(programs, file, { durationSecondsMax: 600 });
    for await (const _samples of decoded.audio);
    const { durationSeconds } = await decoded.finished;
    assert.ok(durationSeconds < 15, `${name}: ${durationSeconds} s`);
  }
});

async function processesNaming(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line.includes('ffmpeg') && line.includes(text)) found.push(pid);
  }
  return found;
}
