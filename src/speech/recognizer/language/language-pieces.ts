/** Where the language may change inside an utterance, and whether English text fits what is spoken there. */

import { unspacedScript } from '../../../timeline/unspaced-script.ts';
import type { RecognisedUtterance, Utterance } from '../../../timeline/utterance.ts';
import { voicedSeconds } from '../../../timeline/utterance.ts';
import { meanConfidence } from '../../../timeline/word.ts';

/** Less voice than this tells no language. */
const voicedSecondsMin = 1.5;
/** Clean English stands above 0.75, English of a noisy room above 0.5; other languages given to Moonshine stay below 0.55. */
const confidenceSure = 0.65;
const confidenceLikely = 0.45;
/** People say ten to twenty letters in a second, or three to eight signs; with fewer, speech was left out of the text. */
const lettersPerSecondMin = 4;
const signsPerSecondMin = 1.5;

/** An utterance cut at its longest pauses, as often as both sides keep enough voice to tell a language. */
export function languagePieces(utterance: Utterance): Utterance[] {
  const { spans } = utterance;
  let cut: number | undefined;
  let longest = 0;
  for (let i = 1; i < spans.length; i++) {
    const pause = (spans[i]?.startSample ?? 0) - (spans[i - 1]?.endSample ?? 0);
    if (pause <= longest) continue;
    const [before, after] = [utteranceOf(spans.slice(0, i)), utteranceOf(spans.slice(i))];
    if (voicedSeconds([before]) < voicedSecondsMin || voicedSeconds([after]) < voicedSecondsMin) continue;
    longest = pause;
    cut = i;
  }
  if (cut === undefined) return [utterance];
  return [utteranceOf(spans.slice(0, cut)), utteranceOf(spans.slice(cut))].flatMap(languagePieces);
}

export function utteranceOf(spans: Utterance['spans']): Utterance {
  return { startSample: spans[0]?.startSample ?? 0, endSample: spans.at(-1)?.endSample ?? 0, spans };
}

/** Whether the text of the utterance is surely what is spoken in this piece of it. */
export function isSure(heard: RecognisedUtterance, piece: Utterance): boolean {
  return fits(heard, piece, confidenceSure);
}

/** Whether it well may be. */
export function isLikely(heard: RecognisedUtterance, piece: Utterance): boolean {
  return fits(heard, piece, confidenceLikely);
}

function fits({ text, words, confidence }: RecognisedUtterance, piece: Utterance, least: number): boolean {
  if (!words) return (confidence ?? 1) >= least && speaksAll(text, piece);
  const own = words.filter(({ startSample, endSample }) => {
    const middle = (startSample + endSample) / 2;
    return middle >= piece.startSample && middle < piece.endSample;
  });
  if ((meanConfidence(own) ?? 0) < least) return false;
  return speaksAll(own.map((word) => word.text).join(''), piece);
}

/** Whether a text is as long as the speech of which it is. */
export function speaksAll(text: string, utterance: Utterance): boolean {
  const seconds = voicedSeconds([utterance]);
  const perSecond = unspacedScript.test(text) ? signsPerSecondMin : lettersPerSecondMin;
  return seconds < voicedSecondsMin || letterCount(text) >= perSecond * seconds;
}

export function letterCount(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
