/** Which windows of a recording belong to the same speaker. */

import {
  centred,
  cosineMatrix,
  dot,
  type Embedding,
  meanVector,
  unitLength,
} from '../voiceprint/embedding.ts';
import { agglomerativeClusters } from './agglomerative-clustering.ts';
import { spectralClusters } from './spectral-clustering.ts';

/** How many people speak, as far as it is known. */
export interface SpeakerCount {
  min: number;
  max: number;
}

/** More than this cannot be told apart by 1.5 s of speech each. */
export const speakersMax = 20;
export const unknownCount: SpeakerCount = { min: 1, max: 8 };

/** From here on it is worth subtracting the recording's mean, and the eigenvalues show gaps. */
export const windowsForSpectral = 40;
/** Clustering takes the cube of this in time: 0.2 s. Half as many again changed nothing. */
const sampleMax = 160;
/** Rather too many clusters than too few: similar ones are merged after. Over 157 stretches of half a minute: 3 % confused, 10 % at 0.25. */
const cosineMinSameVoice = 0.36;
/**
 * Two clusters whose centroids are this similar are one speaker. The centroid of a few windows is uncertain, so that two
 * halves of one speaker may be less similar: measured 0.57 for ten windows, while of 132 pairs of different people 13
 * were above 0.49 and the most similar reached 0.66.
 */
const cosineMergeUncertain = 0.5;
const cosineMergeCertain = 0.68;
/** The centroids of one person are more similar where each window was averaged with its neighbours. */
const cosineMergeSmoothed = 0.75;
const windowsForCertainCentroid = 25;
/** Fewer windows than two seconds of speech hold are chance, not a speaker. */
const windowsMin = 3;

/** Evenly spread, at most `limit`. */
function evenSample(size: number, limit: number): number[] {
  const count = Math.min(size, limit);
  return Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * size) / count));
}

export function centroids(vectors: readonly Embedding[], labels: readonly number[]): Map<number, Embedding> {
  const groups = Map.groupBy(vectors, (_, index) => labels[index] as number);
  return new Map([...groups].map(([label, members]) => [label, unitLength(meanVector(members))]));
}

function nearestCentroid(vector: Embedding, centres: ReadonlyMap<number, Embedding>): number {
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (const [label, centre] of centres) {
    const cosine = dot(vector, centre);
    if (cosine > most) {
      most = cosine;
      best = label;
    }
  }
  return best;
}

interface ClusterOptions {
  /** How many windows of the usual kind each stands for; 1 if not given. */
  weights?: readonly number[];
  /** They were averaged with their neighbours. */
  areSmoothed?: boolean;
}

interface Sample {
  vectors: readonly Embedding[];
  /** How many windows each stands for. */
  weights: readonly number[];
  /** From which cosine on the centroids of many windows are one speaker. */
  cosineMerge: number;
}

function sizesOf({ weights }: Sample, labels: readonly number[]): Map<number, number> {
  const sizes = new Map<number, number>();
  labels.forEach((label, index) => {
    sizes.set(label, (sizes.get(label) ?? 0) + (weights[index] as number));
  });
  return sizes;
}

/** Gives the members of small clusters to the nearest large one. */
function withoutSmall(sample: Sample, labels: readonly number[], countMin: number): number[] {
  const { vectors } = sample;
  const bySize = [...sizesOf(sample, labels)].sort((a, b) => b[1] - a[1]);
  const kept = new Set(
    bySize
      .filter(([, size], rank) => size >= windowsMin || rank < Math.max(1, countMin))
      .map(([label]) => label),
  );
  const centres = new Map([...centroids(vectors, labels)].filter(([label]) => kept.has(label)));
  return labels.map((label, index) =>
    kept.has(label) ? label : nearestCentroid(vectors[index] as Embedding, centres),
  );
}

function mergeThreshold(windowCount: number, cosineMerge: number): number {
  const certainty = Math.min(1, windowCount / windowsForCertainCentroid);
  return cosineMergeUncertain + (cosineMerge - cosineMergeUncertain) * certainty;
}

/** The two clusters that are most certainly one speaker. */
function mostSimilar(sample: Sample, labels: readonly number[]): [number, number] | undefined {
  const centres = [...centroids(sample.vectors, labels)];
  const sizes = sizesOf(sample, labels);
  let found: [number, number] | undefined;
  let most = 0;
  centres.forEach(([label, centre], index) => {
    for (const [other, otherCentre] of centres.slice(index + 1)) {
      const windowCount = Math.min(sizes.get(label) ?? 0, sizes.get(other) ?? 0);
      const threshold = mergeThreshold(windowCount, sample.cosineMerge);
      const excess = dot(centre, otherCentre) - threshold;
      if (excess > most) {
        most = excess;
        found = [label, other];
      }
    }
  });
  return found;
}

function withoutDuplicates(sample: Sample, labels: readonly number[], countMin: number): number[] {
  let merged = [...labels];
  while (new Set(merged).size > Math.max(1, countMin)) {
    const pair = mostSimilar(sample, merged);
    if (!pair) break;
    const [into, from] = pair;
    merged = merged.map((label) => (label === from ? into : label));
  }
  return merged;
}

/** A label for each window. Long recordings are clustered on a sample; every other window goes to the nearest centroid. */
export function speakerClusters(
  windows: readonly Embedding[],
  count: SpeakerCount = unknownCount,
  { weights, areSmoothed = false }: ClusterOptions = {},
): number[] {
  if (windows.length === 0) return [];
  const chosen = evenSample(windows.length, sampleMax);
  const sample = {
    vectors: chosen.map((index) => windows[index] as Embedding),
    weights: chosen.map((index) => weights?.[index] ?? 1),
    cosineMerge: areSmoothed ? cosineMergeSmoothed : cosineMergeCertain,
  };
  const size = chosen.length;
  const many = size >= windowsForSpectral;
  const cosines = cosineMatrix(many ? centred(sample.vectors, meanVector(sample.vectors)) : sample.vectors);
  const rough = many
    ? spectralClusters(cosines, size, { countMin: count.min, countMax: count.max })
    : agglomerativeClusters(cosines, size, {
        cosineMin: cosineMinSameVoice,
        countMin: count.min,
        countMax: count.max,
      });
  const labels = withoutDuplicates(sample, withoutSmall(sample, rough, count.min), count.min);
  const centres = centroids(sample.vectors, labels);
  const bySample = new Map(chosen.map((index, position) => [index, labels[position] as number]));
  return windows.map((window, index) => bySample.get(index) ?? nearestCentroid(window, centres));
}
