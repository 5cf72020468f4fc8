/** The same speech as bad rooms and microphones give it: noise, babble, reverberation, clipping. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { floatSamples, fullScale } from '../../src/timeline/pcm-samples.ts';
import { wavHeader } from '../../src/timeline/wav-header.ts';
import { seeded } from '../stage/seeded.ts';
import { decoded } from './decoded.ts';
import type { Recording } from './recordings.ts';

const noiseDirectory = join(import.meta.dirname, '../../../shared/audio/noise');
const signalToNoiseDb = 5;
const babbleVoices = 6;
const overdrive = 12;

export interface NoisyRecording extends Recording {
  name: string;
}

/** `clips`: the voices of the babble. The recording itself is 16 kHz mono. */
export function noisyRecordings(
  clean: Recording,
  clips: readonly Recording[],
  directory: string,
): NoisyRecording[] {
  const speech = floatSamples(decoded(clean.file));
  const noises = [2, 3, 4, 5].map((number) =>
    floatSamples(decoded(join(noiseDirectory, `noise${number}.flac`))),
  );
  const voices = clips.slice(0, babbleVoices).map((clip) => floatSamples(decoded(clip.file)));
  const random = seeded(5);
  const white = speech.map(() => random() - 0.5);
  const made: [name: string, samples: Float32Array][] = [
    [`real noise at ${signalToNoiseDb} dB`, mixed(speech, inTurns(noises, speech.length))],
    [`babble of ${babbleVoices} at ${signalToNoiseDb} dB`, mixed(speech, together(voices, speech.length))],
    [`white noise at ${signalToNoiseDb} dB`, mixed(speech, white)],
    ['clipping', speech.map((sample) => Math.max(-1, Math.min(1, sample * overdrive)) * 0.5)],
  ];
  const files = made.map(([name, samples], index) => {
    const file = join(directory, `noisy-${index}.wav`);
    writeFileSync(file, wav(samples));
    return { name, file, text: clean.text };
  });
  return [...files, { name: 'a reverberant room', file: reverberant(clean, directory), text: clean.text }];
}

/** Played in the room whose impulse response is given. */
function reverberant(clean: Recording, directory: string): string {
  const file = join(directory, 'reverberant.wav');
  const room = join(noiseDirectory, 'room2.flac');
  const filter = '[0:a][1:a]afir=dry=10:wet=10,loudnorm=I=-23,aresample=16000';
  execFileSync('ffmpeg', [
    '-v',
    'error',
    '-y',
    '-i',
    clean.file,
    '-i',
    room,
    '-lavfi',
    filter,
    '-ac',
    '1',
    file,
  ]);
  return file;
}

/** The noise as loud as asked beside the parts of the recording in which somebody speaks. */
function mixed(speech: Float32Array, noise: Float32Array): Float32Array {
  const loud = speech.filter((sample) => Math.abs(sample) > 0.01);
  const gain = rms(loud) / rms(noise) / 10 ** (signalToNoiseDb / 20);
  return speech.map((sample, i) => (sample + (noise[i] ?? 0) * gain) * 0.5);
}

function inTurns(sounds: readonly Float32Array[], length: number): Float32Array {
  const result = new Float32Array(length);
  for (let at = 0, turn = 0; at < length; turn += 1) {
    const sound = sounds[turn % sounds.length] ?? new Float32Array(1);
    const level = rms(sound);
    for (let i = 0; i < sound.length && at < length; i += 1, at += 1) result[at] = (sound[i] ?? 0) / level;
  }
  return result;
}

/** Each from another place of its clip, again and again. */
function together(voices: readonly Float32Array[], length: number): Float32Array {
  const result = new Float32Array(length);
  for (const [index, voice] of voices.entries()) {
    const level = rms(voice);
    const offset = index * 16_000;
    for (let at = 0; at < length; at += 1)
      result[at] = (result[at] ?? 0) + (voice[(at + offset) % voice.length] ?? 0) / level;
  }
  return result;
}

function rms(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, samples.length)) || 1;
}

function wav(samples: Float32Array): Buffer {
  const pcm = Int16Array.from(samples, (sample) => Math.max(-1, Math.min(1, sample)) * (fullScale - 1));
  return Buffer.concat([wavHeader(pcm.byteLength), Buffer.from(pcm.buffer)]);
}
