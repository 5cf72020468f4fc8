import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chunk } from '../../../timeline/chunk-plan.ts';
import { sampleRate } from '../../../timeline/sample-rate.ts';
import { languageBeyondDoubt, languageByVote, votingChunks } from './language-vote.ts';

const vote = (language: string, probability = 0.95) => ({ language, probability });

function chunk(index: number, voicedSeconds: number): Chunk {
  const startSample = index * 28 * sampleRate;
  const endSample = startSample + voicedSeconds * sampleRate;
  const span = { startSample, endSample };
  return { index, ...span, utterances: [{ ...span, spans: [span] }] };
}

test('the language that most chunks agree on wins, and doubtful ones do not count against it', () => {
  assert.equal(languageByVote([vote('en'), vote('en'), vote('cy', 0.4)]), 'en');
  assert.equal(languageByVote([vote('es'), vote('pt', 0.5), vote('es', 0.6)]), 'es');
});

test('a recording that begins in English and goes on in Spanish has no one language', () => {
  assert.equal(languageByVote([vote('en'), vote('es'), vote('es'), vote('es')]), null);
});

test('without votes nothing is known', () => {
  assert.equal(languageByVote([]), null);
  assert.equal(languageByVote([vote('en', 0), vote('en', 0)]), null);
});

test('the chunks that vote are spread over the whole recording and have the most speech of their stretch', () => {
  const chunks = Array.from({ length: 120 }, (_, i) => chunk(i, i % 7 === 3 ? 27 : 5));
  const voting = votingChunks(chunks);
  assert.equal(voting.length, 4);
  assert.ok((voting[0]?.index ?? 99) < 30 && (voting.at(-1)?.index ?? 0) >= 90);
  for (const each of voting) assert.equal(each.index % 7, 3);
});

test('a short recording has three votes, or as many as it has chunks; an empty one none', () => {
  assert.equal(votingChunks([chunk(0, 3)]).length, 1);
  assert.deepEqual(
    votingChunks([chunk(0, 20), chunk(1, 20)]).map(({ index }) => index),
    [0, 1],
  );
  assert.equal(votingChunks(Array.from({ length: 5 }, (_, i) => chunk(i, 20))).length, 3);
  assert.deepEqual(votingChunks([]), []);
});

test('a beginning has a language only where every place is sure of the same one', () => {
  assert.equal(languageBeyondDoubt([vote('de'), vote('de', 0.85)]), 'de');
  assert.equal(languageBeyondDoubt([vote('de'), vote('de', 0.7)]), undefined);
  assert.equal(languageBeyondDoubt([vote('de'), vote('en')]), undefined);
  assert.equal(languageBeyondDoubt([vote('en', 0), vote('en', 0)]), null);
});
