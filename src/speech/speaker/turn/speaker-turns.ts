/** From the windows of a whole recording to turns: who speaks when. */

import { sampleRate } from '../../../timeline/sample-rate.ts';
import type { SpeakerTurn } from '../../../timeline/turn.ts';
import {
  centroids,
  type SpeakerCount,
  speakerClusters,
  unknownCount,
  windowsForSpectral,
} from '../cluster/speaker-clusters.ts';
import { dot, type Embedding } from '../voiceprint/embedding.ts';
import { type EmbeddedWindow, smoothedEmbeddings } from './smoothed-embeddings.ts';
import { stepSamples } from './speaker-windows.ts';

/** How much more similar another speaker must be, summed over windows, before a turn changes within running speech. */
const changeCost = 0.3;
/** Across a pause of this length the speaker before says nothing about the one after. */
const forgetSamples = 2 * sampleRate;

/** The best sequence of labels (Viterbi): each window scores by its similarity to the centroid, and every change costs. */
function smoothedLabels(windows: readonly EmbeddedWindow[], centres: readonly Embedding[]): number[] {
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
        (changes ? (scores[best] as number) - cost : score) +
        dot(window.embedding, centres[state] as Embedding)
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

/** Less than this between two turns of one person is a pause in one turn; annotators of meetings hear it so, too. */
const pauseSamplesMax = 0.44 * sampleRate;

/** Each moment of speech belongs to the window whose middle is nearest; neighbouring windows of one speaker are one turn. */
function turnsOf(windows: readonly EmbeddedWindow[], labels: readonly number[]): SpeakerTurn[] {
  const turns: SpeakerTurn[] = [];
  windows.forEach((window, index) => {
    const speaker = labels[index] as number;
    const before = windows[index - 1];
    const last = turns.at(-1);
    const pause = window.startSample - (before?.endSample ?? 0);
    if (last?.speaker === speaker && pause < pauseSamplesMax) {
      last.endSample = Math.max(last.endSample, window.endSample);
    } else if (!before || !last || pause > 0) {
      turns.push({ startSample: window.startSample, endSample: window.endSample, speaker });
    } else {
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
function turnsOfStretches(windows: readonly EmbeddedWindow[], labels: readonly number[]): SpeakerTurn[] {
  return windows.map(({ startSample, endSample }, index) => ({
    startSample,
    endSample,
    speaker: labels[index] as number,
  }));
}

/** Windows in order of time. `overlapping`: they are turns already, and two people may speak at once. */
export function speakerTurns(
  windows: readonly EmbeddedWindow[],
  count: SpeakerCount = unknownCount,
  overlapping = false,
): SpeakerTurn[] {
  const embeddings = windows.map((window) => window.embedding);
  if (overlapping) {
    const weights = windows.map((window) => (window.endSample - window.startSample) / stepSamples);
    return turnsOfStretches(windows, speakerClusters(embeddings, count, { weights }));
  }
  const areSmoothed = windows.length >= windowsForSpectral;
  const clustered = areSmoothed ? smoothedEmbeddings(windows) : embeddings;
  const labels = speakerClusters(clustered, count, { areSmoothed });
  const centres = [...centroids(embeddings, labels).values()];
  return turnsOf(windows, smoothedLabels(windows, centres));
}
