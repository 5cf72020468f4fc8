/** Text of low confidence is recognised again by another engine, and left out where neither is confident enough. */
import type { RecognisedUtterance } from '../../timeline/utterance.ts';
import { meanConfidence } from '../../timeline/word.ts';

/** Clear speech stands well above, and so does English of a noisy room, where hearing all of it twice would take too long. */
const confidenceUnsure = 0.4;
/** Below this text has little to do with what is spoken. A program's voice that is recognised well may stand at 0.19. */
const confidenceFloor = 0.15;
/** A word whose language was guessed from what is said beside it: 0.33 and more where that was right, 0.16 and 0.24 where not. */
const confidenceFloorGuessed = 0.3;

/** `hearAgain` gives what another engine hears in the same utterance; null where there is none. */
export async function confidentUtterance(
  heard: RecognisedUtterance,
  { isLanguageGuessed }: { isLanguageGuessed: boolean },
  hearAgain: () => Promise<RecognisedUtterance | null>,
): Promise<RecognisedUtterance> {
  const floor = isLanguageGuessed ? confidenceFloorGuessed : confidenceFloor;
  const confidence = confidenceOf(heard);
  if (confidence === undefined || confidence >= confidenceUnsure) return heard;
  const again = await hearAgain();
  const confidenceAgain = again ? (confidenceOf(again) ?? 0) : 0;
  if (again && confidenceAgain > confidence && confidenceAgain >= floor) return again;
  if (confidence >= floor) return heard;
  return { ...heard, text: '', words: [], isUnclear: true };
}

/** By words, which all engines tell alike. */
function confidenceOf({ words, confidence }: RecognisedUtterance): number | undefined {
  return words && words.length > 0 ? meanConfidence(words) : confidence;
}
