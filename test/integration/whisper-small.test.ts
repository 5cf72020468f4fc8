import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { bytesPerSample } from '../../src/timeline/pcm-samples.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import { transcript } from '../../src/transcript/transcript.ts';
import { spokenSamples } from '../support/audio.ts';
import { heardIn, modelsDirectory, patience, speechPool } from '../support/speech.ts';

const model = 'whisper-small';
const skip =
  !existsSync(join(modelsDirectory, model, '.verified.json')) && `${model} is not installed: ./setup --tests`;
const speech = speechPool({ after }, { otherLanguages: model });

test('at the level exact another language is found and written by Whisper small', { skip }, async () => {
  const samples = await spokenSamples(
    'es',
    'Buenos días a todos. Hoy vamos a hablar de la casa nueva, de los niños y del tiempo en la ciudad.',
  );
  const results = await heardIn(speech, samples);
  const utterances = results.flatMap((result) => result.utterances);
  assert.deepEqual([results.at(-1)?.engine, utterances.at(-1)?.language], [model, 'es']);
  assert.match(transcript(utterances).text, /buenos días a todos.*vamos a hablar de la casa nueva/is);
});

test('a term is written with Whisper small, whose five hypotheses share the audio', { skip }, async () => {
  const sentence =
    'El martes viajamos a Barcelona con los niños, y el jueves volvemos a la casa de la abuela.';
  const spoken = await spokenSamples('es', sentence);
  // 531 positions: not to be divided by five, so that hypotheses with a share of the audio each would fail.
  const endSample = 8.62 * sampleRate;
  const audio = Buffer.alloc(endSample * bytesPerSample);
  spoken.copy(audio);
  const whole = { startSample: 0, endSample };
  const chunk = { index: 0, ...whole, utterances: [{ ...whole, spans: [whole] }] };
  const options = { engine: model, language: 'es', speakers: false, keywords: ['Barcelona'] };
  const { utterances } = await speech.recognise(audio, chunk, options, patience());
  assert.match(
    transcript(utterances).text,
    /viajamos a Barcelona con los niños.*volvemos a la casa de la abuela/i,
  );
});
