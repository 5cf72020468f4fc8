/** Whether ffprobe and ffmpeg work here exactly as a job uses them: sandbox, limits, flags and all. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScratchDirectory } from '../platform/disk/scratch-directory.ts';
import { bytesPerSample } from '../timeline/pcm-samples.ts';
import { sampleRate } from '../timeline/sample-rate.ts';
import { wavHeader } from '../timeline/wav-header.ts';
import { decode } from './decode.ts';
import { type MediaPrograms, type Probed, probe } from './probe.ts';

const samples = sampleRate / 10;

/** Silence of a tenth of a second. */
const wav = Buffer.concat([wavHeader(samples * bytesPerSample), Buffer.alloc(samples * bytesPerSample)]);

const wavProbed: Probed = {
  container: 'wav',
  durationSeconds: samples / sampleRate,
  audio: { index: 0, codec: 'pcm_s16le', sampleRate, channels: 1, durationSeconds: samples / sampleRate },
  audioStreams: [],
  hasVideo: false,
};

/** Rejects when ffprobe cannot read a recording. */
export function tryProbe(programs: MediaPrograms, scratch: ScratchDirectory): Promise<void> {
  return withRecording(scratch, async (file) => {
    await probe(programs, file);
  });
}

/** Rejects when ffmpeg cannot decode a recording. */
export function tryDecode(programs: MediaPrograms, scratch: ScratchDirectory): Promise<void> {
  return withRecording(scratch, async (file) => {
    const { audio, finished } = decode(programs, file, { durationSecondsMax: 1, probed: wavProbed });
    for await (const _samples of audio) {
      // Only the end matters.
    }
    if ((await finished).samples !== samples) throw new Error('the samples are not those of the recording');
  });
}

function withRecording(scratch: ScratchDirectory, work: (file: string) => Promise<void>): Promise<void> {
  return scratch.use(async (directory) => {
    const file = join(directory, 'trial.wav');
    await writeFile(file, wav);
    await work(file);
  });
}
