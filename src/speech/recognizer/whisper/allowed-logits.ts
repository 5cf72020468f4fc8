/** The rules by which Whisper was taught to write: marks of time stand in pairs around words and never go back. */
import type { WhisperVocabulary } from './vocabulary.ts';

/** Speech begins within the first second of a window: its start was found by voice activity. */
const firstMarkSecondsMax = 1;

/** The logits with everything forbidden at this place set to minus infinity. Changes and returns its argument. */
export function allowedLogits(
  logits: Float32Array,
  tokens: readonly number[],
  vocabulary: WhisperVocabulary,
): Float32Array {
  for (const id of vocabulary.suppressed) logits[id] = Number.NEGATIVE_INFINITY;
  // Languages, tasks and the mark for "no times": they stand between the end and the first mark of time.
  forbid(logits, vocabulary.end + 1, vocabulary.firstTime);
  if (tokens.length === 0) {
    for (const id of vocabulary.suppressedAtStart) logits[id] = Number.NEGATIVE_INFINITY;
    forbid(logits, 0, vocabulary.firstTime);
    forbid(logits, vocabulary.timeAt(firstMarkSecondsMax) + 1, logits.length);
    return logits;
  }
  const last = tokens.at(-1) ?? vocabulary.end;
  const beforeLast = tokens.at(-2);
  const lastIsTime = vocabulary.isTime(last);
  const opened = lastIsTime && (beforeLast === undefined || vocabulary.isTime(beforeLast));
  if (opened) forbid(logits, vocabulary.firstTime, logits.length);
  else if (lastIsTime) forbid(logits, 0, vocabulary.end);
  const lastMark = tokens.findLast((token) => vocabulary.isTime(token)) ?? vocabulary.firstTime;
  forbid(logits, vocabulary.firstTime, lastIsTime ? lastMark : lastMark + 1);
  if (!opened && timesOutweighWords(logits, vocabulary)) forbid(logits, 0, vocabulary.end);
  return logits;
}

/** When all marks of time together are likelier than any word, it is time for one. */
function timesOutweighWords(logits: Float32Array, vocabulary: WhisperVocabulary): boolean {
  let bestWord = Number.NEGATIVE_INFINITY;
  for (let id = 0; id < vocabulary.firstTime; id++) bestWord = Math.max(bestWord, logits[id] ?? 0);
  let times = 0;
  for (let id = vocabulary.firstTime; id < logits.length; id++)
    times += Math.exp((logits[id] ?? 0) - bestWord);
  return times > 1;
}

function forbid(logits: Float32Array, from: number, to: number): void {
  logits.fill(Number.NEGATIVE_INFINITY, from, to);
}
