/** The decoding rules of Whisper's training: timestamp tokens stand in pairs around text and never decrease. */
import type { WhisperVocabulary } from './whisper-vocabulary.ts';

/** Speech begins within the first second of a window: its start was found by voice activity. */
const firstTimestampSecondsMax = 1;

/** The logits with every token that may not come next set to minus infinity. */
export function maskedLogits(
  given: Float32Array,
  tokens: readonly number[],
  vocabulary: WhisperVocabulary,
): Float32Array {
  const logits = given.slice();
  for (const id of vocabulary.suppressed) logits[id] = Number.NEGATIVE_INFINITY;
  // Tokens for languages, tasks and "no timestamps" stand between the end and the first timestamp.
  mask(logits, vocabulary.end + 1, vocabulary.firstTimestamp);
  if (tokens.length === 0) {
    for (const id of vocabulary.suppressedAtStart) logits[id] = Number.NEGATIVE_INFINITY;
    mask(logits, 0, vocabulary.firstTimestamp);
    mask(logits, vocabulary.timestampAt(firstTimestampSecondsMax) + 1, logits.length);
    return logits;
  }
  const last = tokens.at(-1) ?? vocabulary.end;
  const beforeLast = tokens.at(-2);
  const lastIsTimestamp = vocabulary.isTimestamp(last);
  const isOpening = lastIsTimestamp && (beforeLast === undefined || vocabulary.isTimestamp(beforeLast));
  if (isOpening) mask(logits, vocabulary.firstTimestamp, logits.length);
  else if (lastIsTimestamp) mask(logits, 0, vocabulary.end);
  const lastTimestamp =
    tokens.findLast((token) => vocabulary.isTimestamp(token)) ?? vocabulary.firstTimestamp;
  mask(logits, vocabulary.firstTimestamp, lastIsTimestamp ? lastTimestamp : lastTimestamp + 1);
  if (!isOpening && timestampsOutweighText(logits, vocabulary)) mask(logits, 0, vocabulary.end);
  return logits;
}

/** When all timestamps together are likelier than any text token, one has to come. */
function timestampsOutweighText(logits: Float32Array, vocabulary: WhisperVocabulary): boolean {
  let bestText = Number.NEGATIVE_INFINITY;
  for (let id = 0; id < vocabulary.firstTimestamp; id++) bestText = Math.max(bestText, logits[id] ?? 0);
  let timestamps = 0;
  for (let id = vocabulary.firstTimestamp; id < logits.length; id++)
    timestamps += Math.exp((logits[id] ?? 0) - bestText);
  return timestamps > 1;
}

function mask(logits: Float32Array, from: number, to: number): void {
  logits.fill(Number.NEGATIVE_INFINITY, from, to);
}
