import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chunk } from '../../timeline/chunk-plan.ts';
import { sampleRate } from '../../timeline/sample-rate.ts';
import type { SpeechSpan } from '../../timeline/span.ts';
import type { RecognisedUtterance, Utterance } from '../../timeline/utterance.ts';
import { languagePieces } from './language/language-pieces.ts';
import { type LanguageEngines, recogniseByLanguage } from './recognise-by-language.ts';
import type { LanguageGuess, RecognizerInput } from './recognizer.ts';

const span = (from: number, to: number): SpeechSpan => ({
  startSample: from * sampleRate,
  endSample: to * sampleRate,
});

function utterance(...spans: SpeechSpan[]): Utterance {
  return { startSample: spans[0]?.startSample ?? 0, endSample: spans.at(-1)?.endSample ?? 0, spans };
}

/** What is spoken when; one letter of text for a twelfth of a second. */
interface Talk extends SpeechSpan {
  language: string;
}

const talk = (from: number, to: number, language: string): Talk => ({ ...span(from, to), language });

/** Engines that know the truth, but English is all that the English one hears, with little confidence in the rest. */
function enginesOf(talks: readonly Talk[], asked: string[] = []): LanguageEngines {
  const at = ({ startSample, endSample }: SpeechSpan) =>
    talks.find((one) => one.startSample <= startSample && endSample <= one.endSample)?.language ?? 'en';
  const guess = (kind: string) => async (input: RecognizerInput) => {
    const [first] = input.chunk.utterances;
    const language = first ? at(first) : 'en';
    asked.push(`${kind} ${language}`);
    return [{ language, probability: 0.9 }] satisfies LanguageGuess[];
  };
  return {
    quick: guess('quick'),
    thorough: guess('thorough'),
    secondOpinion: async () => null,
    recognizerOf: async (wanted) => ({
      id: wanted,
      recognise: async ({ chunk }) =>
        chunk.utterances.map((own): RecognisedUtterance => {
          const words = own.spans.map((one) => ({
            ...one,
            text: ` ${'a'.repeat(Math.round(((one.endSample - one.startSample) / sampleRate) * 12))}`,
            confidence: at(one) === wanted ? 0.95 : 0.3,
          }));
          return { ...own, text: words.map(({ text }) => text).join(''), language: wanted, words };
        }),
    }),
  };
}

function inputOf(utterances: Utterance[], language: string): RecognizerInput & { language: string } {
  const chunk: Chunk = { index: 0, ...span(0, 30), utterances };
  return {
    samples: new Float32Array(30 * sampleRate),
    chunk,
    language,
    signal: AbortSignal.any([]),
  };
}

const heard = (results: readonly RecognisedUtterance[]) =>
  results.map(({ language, startSample, endSample }) => [
    language,
    startSample / sampleRate,
    endSample / sampleRate,
  ]);

test('English that its engine is sure of is asked for no language', async () => {
  const asked: string[] = [];
  const input = inputOf([utterance(span(0, 4), span(4.5, 8)), utterance(span(10, 14))], 'en');
  const results = await recogniseByLanguage(input, enginesOf([], asked));
  assert.deepEqual(heard(results), [
    ['en', 0, 8],
    ['en', 10, 14],
  ]);
  assert.deepEqual(asked, []);
});

test('another language inside an English utterance is cut out and recognised by itself', async () => {
  const engines = enginesOf([talk(3.4, 7.6, 'zh')]);
  const input = inputOf([utterance(span(0, 3), span(3.5, 7.5), span(8, 11))], 'en');
  assert.deepEqual(heard(await recogniseByLanguage(input, engines)), [
    ['en', 0, 3],
    ['zh', 3.5, 7.5],
    ['en', 8, 11],
  ]);
});

test('English inside another language is given to the English engine, at the cut between utterances too', async () => {
  const engines = enginesOf([talk(0, 9, 'fr'), talk(16, 30, 'fr')]);
  const input = inputOf([utterance(span(1, 8)), utterance(span(9.5, 15)), utterance(span(17, 22))], 'fr');
  assert.deepEqual(heard(await recogniseByLanguage(input, engines)), [
    ['fr', 1, 8],
    ['en', 9.5, 15],
    ['fr', 17, 22],
  ]);
});

test('a word too short to tell its language goes with the speech near it; in doubt not with the English', async () => {
  const talks = [talk(8, 20, 'ru')];
  const heardWith = async (pauseAfter: number) => {
    const word = utterance(span(8, 8.5));
    const russian = utterance(span(8.5 + pauseAfter, 14));
    const input = inputOf([utterance(span(0, 6)), word, russian], 'en');
    return heard(await recogniseByLanguage(input, enginesOf(talks)))[1];
  };
  assert.deepEqual(await heardWith(2.2), ['ru', 8, 8.5]);
  assert.deepEqual(await heardWith(3.8), ['en', 8, 8.5]);
});

test('speech that the English engine leaves out of its text is asked for its language', async () => {
  const engines = enginesOf([talk(3.4, 9, 'zh')]);
  const silentAboutOthers: LanguageEngines = {
    ...engines,
    recognizerOf: async (language) => {
      const recognizer = await engines.recognizerOf(language);
      return {
        id: language,
        recognise: async (input) =>
          ((await recognizer?.recognise(input)) ?? []).map((one) => ({
            ...one,
            words: one.words?.filter(({ confidence }) => (confidence ?? 0) > 0.5) ?? [],
          })),
      };
    },
  };
  const results = await recogniseByLanguage(
    inputOf([utterance(span(0, 3), span(3.5, 8))], 'en'),
    silentAboutOthers,
  );
  assert.deepEqual(
    results.map(({ language }) => language),
    ['en', 'zh'],
  );
});

test('a language whose model is missing gets no text', async () => {
  const engines = enginesOf([talk(9, 20, 'de')]);
  const english: LanguageEngines = {
    ...engines,
    thorough: null,
    recognizerOf: async (language) => (language === 'en' ? engines.recognizerOf('en') : null),
  };
  const input = inputOf([utterance(span(1, 8)), utterance(span(10, 15))], 'en');
  assert.deepEqual(heard(await recogniseByLanguage(input, english)), [['en', 1, 8]]);
});

test('an utterance is cut at its longest pauses, and never into pieces too short to tell a language', () => {
  const pieces = languagePieces(utterance(span(0, 2), span(2.1, 4), span(5, 5.5), span(5.6, 8)));
  assert.deepEqual(
    pieces.map(({ spans }) => spans.length),
    [1, 1, 2],
  );
});
