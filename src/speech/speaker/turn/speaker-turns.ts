/** From the windows of a whole recording to turns: who speaks when. */

import { sampleRate } from '../../../timeline/sample-rate.ts';
import type { SpeechSpan } from '../../../timeline/span.ts';
import type { SpeakerTurn } from '../../../timeline/turn.ts';
import { agglomerativeClusters } from '../cluster/agglomerative-clustering.ts';
import { centroids, type SpeakerCount, speakerClusters, unknownCount } from '../cluster/speaker-clusters.ts';
import { cosineMatrix, dot, type VoiceVector } from '../voiceprint/voice-vector.ts';
import { stepSamples } from './speaker-windows.ts';

export interface VoiceWindow extends SpeechSpan {
  voice: VoiceVector;
}

/** How much more alike a voice must be, summed over windows, before a turn changes within running speech. */
const changeCost = 0.3;
/** Windows of different stretches of speech this far apart are independent of each other. */
const forgetSamples = 2 * sampleRate;

/** The cheapest sequence of labels: each window likes its nearest voice, and every change costs. */
export function smoothedLabels(windows: readonly VoiceWindow[], centres: readonly VoiceVector[]): number[] {
  let scores = centres.map(() => 0);
  const origins: number[][] = [];
  windows.forEach((window, index) => {
    const gap = index === 0 ? 0 : window.startSample - (windows[index - 1]?.endSample ?? 0);
    const cost = changeCost * Math.max(0, 1 - Math.max(0, gap) / forgetSamples);
    const best = scores.indexOf(Math.max(...scores));
    const origin: number[] = [];
    scores = scores.map((score, state) => {
      const changes = (scores[best] as number) - cost > score;
      origin.push(changes ? best : state);
      return (
        (changes ? (scores[best] as number) - cost : score) + dot(window.voice, centres[state] as VoiceVector)
      );
    });
    origins.push(origin);
  });
  const labels: number[] = [];
  let state = scores.indexOf(Math.max(...scores));
  for (let index = windows.length - 1; index >= 0; index -= 1) {
    labels[index] = state;
    state = origins[index]?.[state] ?? state;
  }
  return labels;
}

/** Each moment of speech belongs to the window whose middle is nearest; neighbouring windows of one voice are one turn. */
function turnsOf(windows: readonly VoiceWindow[], labels: readonly number[]): SpeakerTurn[] {
  const turns: SpeakerTurn[] = [];
  windows.forEach((window, index) => {
    const speaker = labels[index] as number;
    const before = windows[index - 1];
    const last = turns.at(-1);
    if (!before || !last || window.startSample > before.endSample) {
      turns.push({ startSample: window.startSample, endSample: window.endSample, speaker });
    } else if (last.speaker === speaker) last.endSample = Math.max(last.endSample, window.endSample);
    else {
      const boundary = Math.round(
        (before.startSample + before.endSample + window.startSample + window.endSample) / 4,
      );
      last.endSample = boundary;
      turns.push({ startSample: boundary, endSample: window.endSample, speaker });
    }
  });
  return turns;
}

/** Stretches that a model has cut at turns already; two people may speak at once. */
function turnsOfStretches(windows: readonly VoiceWindow[], labels: readonly number[]): SpeakerTurn[] {
  return windows.map(({ startSample, endSample }, index) => ({
    startSample,
    endSample,
    speaker: labels[index] as number,
  }));
}

/** Inside half a minute the same person sounds more alike than over a whole recording: 0.4 and more, others 0.3 and less. */
const cosineMinNearby = 0.35;

/** Turns of a few windows, rather too many than too few: for cutting, not for counting people. */
export function nearbyTurns(windows: readonly VoiceWindow[]): SpeakerTurn[] {
  const voices = windows.map((window) => window.voice);
  const options = { cosineMin: cosineMinNearby, countMin: 1, countMax: voices.length };
  const labels = agglomerativeClusters(cosineMatrix(voices), voices.length, options);
  return turnsOf(windows, smoothedLabels(windows, [...centroids(voices, labels).values()]));
}

/** Windows in order of time. `overlapping`: they are turns already, and two people may speak at once. */
export function speakerTurns(
  windows: readonly VoiceWindow[],
  count: SpeakerCount = unknownCount,
  overlapping = false,
): SpeakerTurn[] {
  const voices = windows.map((window) => window.voice);
  if (overlapping) {
    const weights = windows.map((window) => (window.endSample - window.startSample) / stepSamples);
    return turnsOfStretches(windows, speakerClusters(voices, count, weights));
  }
  const labels = speakerClusters(voices, count);
  const centres = [...centroids(voices, labels).values()];
  return turnsOf(windows, smoothedLabels(windows, centres));
}
