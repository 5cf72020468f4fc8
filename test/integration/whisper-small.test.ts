import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { transcript } from '../../src/transcript/transcript.ts';
import { spokenSamples } from '../support/audio.ts';
import { heardIn, modelsDirectory, speechPool } from '../support/speech.ts';

const model = 'whisper-small';
const skip =
  !existsSync(join(modelsDirectory, model, '.verified.json')) && `${model} is not installed: ./setup --tests`;

test('at the level exact another language is found and written by Whisper small', { skip }, async (t) => {
  const speech = speechPool(t, { otherLanguages: model });
  const samples = await spokenSamples(
    'es',
    'Buenos días a todos. Hoy vamos a hablar de la casa nueva, de los niños y del tiempo en la ciudad.',
  );
  const results = await heardIn(speech, samples);
  const utterances = results.flatMap((result) => result.utterances);
  assert.deepEqual([results.at(-1)?.engine, utterances.at(-1)?.language], [model, 'es']);
  assert.match(transcript(utterances).text, /buenos días a todos.*vamos a hablar de la casa nueva/is);
});
