import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { acceptedExtensions } from '../../src/media/accepted-media.ts';
import { decode } from '../../src/media/decode.ts';
import { magicBytesWanted, mediaKind } from '../../src/media/magic.ts';
import { probe } from '../../src/media/probe.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { fixtureExtensions, type MediaFolder, mediaFolder, secondsOfWav } from '../fixtures/media-files.ts';

const programs = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', clock: systemClock };
let folder: MediaFolder;
let wholeSeconds = 0;

before(async () => {
  folder = await mediaFolder();
  wholeSeconds = await secondsOfWav(folder.speech);
});
after(() => folder[Symbol.asyncDispose]());

async function samplesOf(file: string, durationSecondsMax = 600): Promise<{ samples: number; loud: number }> {
  const decoded = decode(programs, file, { durationSecondsMax });
  let loud = 0;
  for await (const chunk of decoded.audio) {
    assert.equal(chunk.length % 2, 0);
    for (let at = 0; at < chunk.length; at += 2) if (Math.abs(chunk.readInt16LE(at)) > 1_000) loud += 1;
  }
  return { samples: (await decoded.finished).samples, loud };
}

async function firstBytes(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(magicBytesWanted), 0, magicBytesWanted, 0);
  return buffer.subarray(0, bytesRead);
}

test('there is a fixture for every accepted extension', () => {
  assert.deepEqual(fixtureExtensions.toSorted(), acceptedExtensions.toSorted());
});

for (const extension of acceptedExtensions) {
  test(`a real .${extension} file is recognised, probed and decoded to its full length`, async () => {
    const file = await folder.encode(extension);
    const bytes = await firstBytes(file);
    assert.ok(mediaKind(bytes), 'not recognised by its first bytes');
    assert.ok(mediaKind(bytes.subarray(0, 4096)), 'not recognised by its first 4 KiB');
    const probed = await probe(programs, file);
    assert.ok(probed.audio.sampleRate >= 8_000);
    const { samples, loud } = await samplesOf(file);
    assert.ok(Math.abs(samples / 16_000 - wholeSeconds) <= 0.1, `${samples / 16_000} s of ${wholeSeconds} s`);
    assert.ok(loud > 16_000, 'the sentence is not audible');
  });
}

const odd: Record<string, string[]> = {
  '8 kHz in one channel.wav': ['-ar', '8000', '-ac', '1'],
  '11.025 kHz.mp3': ['-ar', '11025'],
  '96 kHz with 24 bits.flac': ['-ar', '96000', '-sample_fmt', 's32'],
  'six channels.m4a': ['-ac', '6', '-c:a', 'aac'],
  'float samples.wav': ['-c:a', 'pcm_f32le'],
  'a-law.wav': ['-ar', '8000', '-c:a', 'pcm_alaw'],
  'a late start.mkv': ['-af', 'adelay=0', '-output_ts_offset', '5'],
};
for (const [name, flags] of Object.entries(odd)) {
  test(`${name} decodes to its full length`, async () => {
    const { samples } = await samplesOf(await folder.ffmpeg('-i', folder.speech, ...flags, name));
    const late = name.startsWith('a late') ? 5 : 0;
    const seconds = samples / 16_000;
    assert.ok(
      Math.abs(seconds - wholeSeconds) <= 0.1 || Math.abs(seconds - wholeSeconds - late) <= 0.1,
      `${seconds} s`,
    );
  });
}

test('a picture of variable frame rate does not change the sound', async () => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=30'];
  const frames = ['-vf', 'select=not(mod(n\\,7))+lt(random(0)\\,0.2)', '-vsync', 'vfr', '-shortest'];
  for (const name of ['variable.mp4', 'variable.mkv']) {
    const { samples } = await samplesOf(
      await folder.ffmpeg(...picture, '-i', folder.speech, ...frames, name),
    );
    assert.ok(Math.abs(samples / 16_000 - wholeSeconds) <= 0.1, `${name}: ${samples / 16_000} s`);
  }
});
