/** Who speaks when, from the embeddings of one chunk or of all. */

import type { Chunk } from '../../timeline/chunk-plan.ts';
import type { SpeakerTurn } from '../../timeline/turn.ts';
import type { SpeakerEmbeddings, SpeakerEvidence, SpeakerWindow } from '../chunk-result.ts';
import type { SpeakerCount } from './cluster/speaker-clusters.ts';
import { cutAtTurns } from './turn/cut-at-turns.ts';
import { type EmbeddedWindow, localTurns, speakerTurns } from './turn/speaker-turns.ts';
import { embeddingOf } from './voiceprint/embedding-text.ts';

export function joinedSpeakers(
  { windows, overlapping }: SpeakerEmbeddings,
  count: SpeakerCount,
): SpeakerTurn[] {
  return speakerTurns(embedded(windows), count, overlapping);
}

/** Inside one chunk speakers are told apart roughly, so that no utterance mixes two of them. */
export function cutAtSpeakerChanges(chunk: Chunk, speakers: SpeakerEvidence | undefined): Chunk {
  if (!speakers || 'fault' in speakers) return chunk;
  return cutAtTurns(chunk, localTurns(embedded(speakers.windows)));
}

function embedded(windows: readonly SpeakerWindow[]): EmbeddedWindow[] {
  return windows.map(({ voice, ...span }) => ({ ...span, embedding: embeddingOf(voice) }));
}
