import type { Chunk } from '../timeline/chunk-plan.ts';
import type { SpeechSpan } from '../timeline/span.ts';
import type { RecognisedUtterance } from '../timeline/utterance.ts';
import { meanConfidence, type TimedWord } from '../timeline/word.ts';

/** Gives each utterance of a chunk the words that were said in it; utterances in which nothing was said fall away. */
export function utterancesWithWords(
  chunk: Chunk,
  words: readonly TimedWord[],
  language: string | null,
): RecognisedUtterance[] {
  const recognised: RecognisedUtterance[] = [];
  let next = 0;
  for (const [i, utterance] of chunk.utterances.entries()) {
    const after = chunk.utterances[i + 1];
    const until = after ? (utterance.endSample + after.startSample) / 2 : Number.POSITIVE_INFINITY;
    const own: TimedWord[] = [];
    for (let word = words[next]; word && middle(word) < until; word = words[++next]) own.push(word);
    if (own.length === 0) continue;
    const text = own
      .map((word) => word.text)
      .join('')
      .trim();
    const confidence = meanConfidence(own);
    recognised.push({
      ...utterance,
      text,
      language,
      words: own,
      ...(confidence !== undefined && { confidence }),
    });
  }
  return recognised;
}

function middle(span: SpeechSpan): number {
  return (span.startSample + span.endSample) / 2;
}
