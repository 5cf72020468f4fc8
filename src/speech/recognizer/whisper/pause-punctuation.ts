/** Commas and full stops at pauses, for Chinese and Japanese, in which Whisper often writes none at all. */
import { sampleRate } from '../../../timeline/sample-rate.ts';
import type { RecognisedUtterance } from '../../../timeline/utterance.ts';
import type { TimedWord } from '../../../timeline/word.ts';

const fullStop = '。';
const commas: Readonly<Record<string, string>> = { zh: '，', yue: '，', ja: '、' };
/** Shorter ones lie inside a clause. */
const pauseSamplesOfComma = 0.3 * sampleRate;
const pauseSamplesOfStop = 0.7 * sampleRate;
const punctuation = /\p{P}/u;

interface Pause {
  middleSample: number;
  mark: string;
}

/** The utterances of a chunk, in order. Text that has any punctuation of its own stays as it is. */
export function withPausePunctuation(utterances: readonly RecognisedUtterance[]): RecognisedUtterance[] {
  return utterances.map((utterance, i) => {
    const comma = commas[utterance.language ?? ''];
    if (comma === undefined || !utterance.words || punctuation.test(utterance.text)) return utterance;
    const after = utterances[i + 1]?.startSample ?? Number.POSITIVE_INFINITY;
    const words = marked(utterance.words, [
      ...pausesInside(utterance, comma),
      { middleSample: Number.POSITIVE_INFINITY, mark: markOf(after - utterance.endSample, comma) ?? comma },
    ]);
    const text = words
      .map((word) => word.text)
      .join('')
      .trim();
    return { ...utterance, words, text };
  });
}

function pausesInside({ spans }: RecognisedUtterance, comma: string): Pause[] {
  return spans.slice(1).flatMap((span, i) => {
    const { endSample = 0 } = spans[i] ?? {};
    const mark = markOf(span.startSample - endSample, comma);
    return mark === undefined ? [] : [{ middleSample: (endSample + span.startSample) / 2, mark }];
  });
}

function markOf(pauseSamples: number, comma: string): string | undefined {
  if (pauseSamples >= pauseSamplesOfStop) return fullStop;
  return pauseSamples >= pauseSamplesOfComma ? comma : undefined;
}

/** Each pause marks the last word before it; of two pauses after one word the later counts. */
function marked(words: readonly TimedWord[], pauses: readonly Pause[]): TimedWord[] {
  const marks = new Map<TimedWord | undefined, string>();
  for (const { middleSample, mark } of pauses) {
    const last = words.findLast(({ startSample, endSample }) => (startSample + endSample) / 2 < middleSample);
    marks.set(last, mark);
  }
  return words.map((word) => ({ ...word, text: word.text + (marks.get(word) ?? '') }));
}
