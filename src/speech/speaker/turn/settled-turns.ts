/**
 * Turns as a reader wants them: an utterance of one person with a short interjection of another stays whole, turns do
 * not overlap, and speakers are numbered from 0 in the order in which their words appear.
 */

import { sampleRate } from '../../../timeline/sample-rate.ts';
import type { SpeechSpan } from '../../../timeline/span.ts';
import type { Speaker, SpeakerTurn } from '../../../timeline/turn.ts';
import type { RecognisedUtterance } from '../../../timeline/utterance.ts';

/** What another person says inside an utterance counts from here on: a word or two, not a "yes". */
const interjectionSamplesMax = 0.8 * sampleRate;
const interjectionShareMax = 0.15;

function overlapSamples(one: SpeechSpan, other: SpeechSpan): number {
  return Math.max(0, Math.min(one.endSample, other.endSample) - Math.max(one.startSample, other.startSample));
}

/** The parts of turns inside a span, none overlapping: where two speak at once the turn that began first goes on. */
function turnsInside(span: SpeechSpan, turns: readonly SpeakerTurn[]): SpeakerTurn[] {
  const inside: SpeakerTurn[] = [];
  for (const turn of turns) {
    const startSample = Math.max(span.startSample, turn.startSample, inside.at(-1)?.endSample ?? 0);
    const endSample = Math.min(span.endSample, turn.endSample);
    if (endSample <= startSample) continue;
    const last = inside.at(-1);
    if (last && last.speaker === turn.speaker) last.endSample = endSample;
    else inside.push({ startSample, endSample, speaker: turn.speaker });
  }
  return inside;
}

function mainSpeaker(turns: readonly SpeakerTurn[]): {
  speaker: Speaker;
  otherSamples: number;
  samples: number;
} {
  const shares = new Map<Speaker, number>();
  let samples = 0;
  for (const turn of turns) {
    const length = turn.endSample - turn.startSample;
    samples += length;
    shares.set(turn.speaker, (shares.get(turn.speaker) ?? 0) + length);
  }
  const [speaker = 0, most = 0] = [...shares].sort((a, b) => b[1] - a[1])[0] ?? [];
  return { speaker, otherSamples: samples - most, samples };
}

/** Both lists in order of time. An utterance that no turn touches has no speaker of its own. */
export function settledTurns(
  utterances: readonly RecognisedUtterance[],
  turns: readonly SpeakerTurn[],
): SpeakerTurn[] {
  const settled: SpeakerTurn[] = [];
  let next = 0;
  for (const utterance of utterances) {
    while (next < turns.length && (turns[next]?.endSample ?? 0) <= utterance.startSample) next += 1;
    const near: SpeakerTurn[] = [];
    for (let at = next; at < turns.length; at += 1) {
      const turn = turns[at];
      if (!turn || turn.startSample >= utterance.endSample) break;
      if (overlapSamples(turn, utterance) > 0) near.push(turn);
    }
    const inside = turnsInside(utterance, near);
    if (inside.length === 0) continue;
    const { speaker, otherSamples, samples } = mainSpeaker(inside);
    const whole = otherSamples <= Math.max(interjectionSamplesMax, interjectionShareMax * samples);
    if (whole) settled.push({ startSample: utterance.startSample, endSample: utterance.endSample, speaker });
    else settled.push(...inside);
  }
  return numbered(settled);
}

function numbered(turns: readonly SpeakerTurn[]): SpeakerTurn[] {
  const numbers = new Map<Speaker, number>();
  return turns.map((turn) => {
    const number = numbers.get(turn.speaker) ?? numbers.size;
    numbers.set(turn.speaker, number);
    return { ...turn, speaker: number };
  });
}
