import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transcript } from '../../src/transcript/transcript.ts';
import { madeSamples, silence } from '../support/audio.ts';
import { chunksOf, recognised, speechPool } from '../support/speech.ts';

/** Sound without speech, made by formula: [what it sounds like, ffmpeg source, filter]. */
const sounds: [string, string, string?][] = [
  ['hiss', 'anoisesrc=c=white:a=0.1:r=16000'],
  ['a fan', 'anoisesrc=c=brown:a=0.5:r=16000', 'tremolo=f=13:d=0.2'],
  ['wind', 'anoisesrc=c=brown:a=0.6:r=16000', 'tremolo=f=0.3:d=0.8'],
  ['mains hum', "aevalsrc='0.3*sin(2*PI*50*t)+0.1*sin(2*PI*150*t)':s=16000"],
  ['a hold tone', "aevalsrc='0.4*sin(2*PI*425*t)*lt(mod(t,6),2)':s=16000"],
  ['a ringing telephone', "aevalsrc='0.4*sin(2*PI*1200*t)*sin(2*PI*20*t)*lt(mod(t,6),2)':s=16000"],
  [
    'a keyboard',
    "aevalsrc='(random(0)-0.5)*0.8*exp(-90*mod(t,0.17+0.05*sin(t)))*gt(sin(7*t)+sin(3.1*t),-0.5)':s=16000",
  ],
  [
    'applause',
    "aevalsrc='(random(0)-0.5)*(0.3+0.7*pow(random(1),6))*(0.5+0.5*sin(2*PI*0.05*t))':s=16000",
    'bandpass=f=1500:w=1500',
  ],
  [
    'clapping in time',
    "aevalsrc='(random(0)-0.5)*exp(-30*mod(t,0.23))+0.7*(random(1)-0.5)*exp(-25*mod(t+0.1,0.31))':s=16000",
  ],
  [
    'plucked music',
    "aevalsrc='0.2*sin(2*PI*220*t*(1+mod(floor(t*2),5)/12))*exp(-2*mod(t,0.5))+0.1*sin(2*PI*110*t)':s=16000",
  ],
  [
    'bowed music',
    "aevalsrc='0.25*sin(2*PI*(261.63*pow(2,mod(floor(t*3)*7,12)/12))*t+3*sin(2*PI*5.5*t))*(0.6+0.4*sin(2*PI*1.5*t))':s=16000",
  ],
  ['an engine', "aevalsrc='0.4*(mod(t*30*(1+0.2*sin(0.5*t)),1)-0.5)':s=16000", 'lowpass=f=400'],
];

test('what is no speech gives no words, by either engine', async (t) => {
  const speech = speechPool(t);
  const made = await Promise.all(
    sounds.map(async ([name, source, filter]) => ({ name, samples: await madeSamples(source, 15, filter) })),
  );
  for (const { name, samples } of [{ name: 'silence', samples: silence(15) }, ...made]) {
    const chunks = await chunksOf(speech, samples);
    for (const engine of chunks.length === 0 ? [] : ['moonshine', 'whisper']) {
      const results = await recognised(speech, samples, chunks, engine);
      assert.deepEqual(
        transcript(results.flatMap((result) => result.utterances)),
        { text: '', segments: [], words: [], language: null, unclear: [] },
        `${engine} hears words in ${name}`,
      );
    }
  }
});
