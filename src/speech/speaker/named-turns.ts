/** Which of a recording's speakers are people whose voices are known. */
import type { Speaker, SpeakerTurn } from '../../timeline/turn.ts';
import type { SpeakerEmbeddings, SpeakerWindow } from '../chunk-result.ts';
import { dot, type Embedding, meanVector, unitLength } from './voiceprint/embedding.ts';
import { embeddingOf, embeddingText } from './voiceprint/embedding-text.ts';

export interface KnownVoice {
  name: string;
  /** By `voiceOf`. */
  voice: string;
  model: string;
}

/** Measured: docs/decisions/0081-known-speakers.md. */
export const cosineMinSamePerson = 0.5;

/** One embedding for all windows of somebody who speaks alone. */
export function voiceOf(windows: readonly SpeakerWindow[]): string {
  return embeddingText(centroid(windows.map(({ voice }) => embeddingOf(voice))));
}

/** Turns with the names of those who are known; the others keep their numbers. A name is given once, to the most similar voice. */
export function namedTurns(
  turns: readonly SpeakerTurn[],
  { model, windows }: SpeakerEmbeddings,
  known: readonly KnownVoice[],
): SpeakerTurn[] {
  const speakers = embeddingsOfSpeakers(turns, windows);
  const pairs = known
    .filter((voice) => voice.model === model)
    .flatMap(({ name, voice }) =>
      [...speakers].map(([speaker, embeddings]) => ({
        name,
        speaker,
        cosine: dot(embeddingOf(voice), centroid(embeddings)),
      })),
    )
    .filter(({ cosine }) => cosine >= cosineMinSamePerson)
    .toSorted((a, b) => b.cosine - a.cosine);
  const names = new Map<Speaker, string>();
  const given = new Set<string>();
  for (const { name, speaker } of pairs) {
    if (names.has(speaker) || given.has(name)) continue;
    names.set(speaker, name);
    given.add(name);
  }
  return turns.map((turn) => ({ ...turn, speaker: names.get(turn.speaker) ?? turn.speaker }));
}

/** Both lists in order of time. */
function embeddingsOfSpeakers(
  turns: readonly SpeakerTurn[],
  windows: readonly SpeakerWindow[],
): Map<Speaker, Embedding[]> {
  const embeddings = new Map<Speaker, Embedding[]>();
  let next = 0;
  for (const { startSample, endSample, voice } of windows) {
    const middle = (startSample + endSample) / 2;
    while (next < turns.length && (turns[next]?.endSample ?? 0) <= middle) next += 1;
    const turn = turns[next];
    if (!turn || turn.startSample > middle) continue;
    embeddings.set(turn.speaker, [...(embeddings.get(turn.speaker) ?? []), embeddingOf(voice)]);
  }
  return embeddings;
}

function centroid(embeddings: readonly Embedding[]): Embedding {
  return unitLength(meanVector(embeddings));
}
