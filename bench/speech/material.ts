/** Sound for the speech benchmarks: long recordings with known text, and long stretches in which nobody speaks. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { bytesPerSample } from '../../src/timeline/pcm-samples.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import { wavHeader, wavHeaderBytes } from '../../src/timeline/wav-header.ts';
import { seeded } from '../stage/seeded.ts';
import { decoded } from './decoded.ts';
import type { Recording } from './recordings.ts';

/** Clips one after the other with pauses of 0.4 to 4 s between them, every third of which is filled with noise. */
export function longRecording(clips: readonly Recording[], minutes: number, file: string): Recording {
  const sounds = clips.map((clip) => ({ audio: decoded(clip.file), text: clip.text }));
  const random = seeded(11);
  const output = openSync(file, 'w');
  const texts: string[] = [];
  let bytes = 0;
  const write = (part: Buffer) => {
    writeSync(output, part);
    bytes += part.length;
  };
  write(wavHeader(0)); // Written again when the length is known.
  for (let i = 0; bytes < minutes * 60 * sampleRate * bytesPerSample; i++) {
    const sound = sounds[i % sounds.length];
    if (!sound) throw new Error('there are no recordings');
    write(sound.audio);
    write(pause(0.4 + 3.6 * random(), i % 3 === 0 ? 300 : 0, random));
    texts.push(sound.text);
  }
  writeSync(output, wavHeader(bytes - wavHeaderBytes), 0, wavHeaderBytes, 0);
  closeSync(output);
  return { file, text: texts.join(' ') };
}

const nonSpeech: [source: string, filter: string][] = [
  ['anoisesrc=c=white:a=0.1:r=16000', 'anull'],
  ['anoisesrc=c=brown:a=0.5:r=16000', 'tremolo=f=13:d=0.2'],
  ['anoisesrc=c=brown:a=0.6:r=16000', 'tremolo=f=0.3:d=0.8'],
  ["aevalsrc='0.4*sin(2*PI*425*t)*lt(mod(t,6),2)':s=16000", 'anull'],
  [
    "aevalsrc='(random(0)-0.5)*0.8*exp(-90*mod(t,0.17+0.05*sin(t)))*gt(sin(7*t)+sin(3.1*t),-0.5)':s=16000",
    'anull',
  ],
  [
    "aevalsrc='(random(0)-0.5)*(0.3+0.7*pow(random(1),6))*(0.5+0.5*sin(2*PI*0.05*t))':s=16000",
    'bandpass=f=1500:w=1500',
  ],
  [
    "aevalsrc='0.2*sin(2*PI*220*t*(1+mod(floor(t*2),5)/12))*exp(-2*mod(t,0.5))+0.1*sin(2*PI*110*t)':s=16000",
    'anull',
  ],
  [
    "aevalsrc='0.25*sin(2*PI*(261.63*pow(2,mod(floor(t*3)*7,12)/12))*t+3*sin(2*PI*5.5*t))*(0.6+0.4*sin(2*PI*1.5*t))':s=16000",
    'anull',
  ],
  ["aevalsrc='0.4*(mod(t*30*(1+0.2*sin(0.5*t)),1)-0.5)':s=16000", 'lowpass=f=400'],
  ["aevalsrc='0':s=16000", 'anull'],
];

/** Hiss, fan, wind, hold tone, keyboard, applause, plucked and bowed music, engine, silence: the same time of each. */
export function nonSpeechRecording(minutes: number, file: string): string {
  const each = String((minutes * 60) / nonSpeech.length);
  const inputs = nonSpeech.flatMap(([source]) => ['-f', 'lavfi', '-t', each, '-i', source]);
  const filters = nonSpeech.map(([, filter], i) => `[${i}:a]${filter}[s${i}]`).join(';');
  const joined = `${nonSpeech.map((_, i) => `[s${i}]`).join('')}concat=n=${nonSpeech.length}:v=0:a=1`;
  execFileSync('ffmpeg', [
    '-v',
    'error',
    '-y',
    ...inputs,
    '-filter_complex',
    `${filters};${joined}`,
    '-ac',
    '1',
    file,
  ]);
  return file;
}

function pause(seconds: number, loudness: number, random: () => number): Buffer {
  const samples = new Int16Array(Math.round(seconds * sampleRate));
  if (loudness > 0)
    for (let i = 0; i < samples.length; i++) samples[i] = Math.round((random() - 0.5) * 2 * loudness);
  return Buffer.from(samples.buffer);
}
