/** Who speaks when, from the embeddings of all chunks. */

import type { SpeakerTurn } from '../../timeline/turn.ts';
import type { SpeakerEmbeddings, SpeakerWindow } from '../chunk-result.ts';
import type { SpeakerCount } from './cluster/speaker-clusters.ts';
import type { EmbeddedWindow } from './turn/smoothed-embeddings.ts';
import { speakerTurns } from './turn/speaker-turns.ts';
import { embeddingOf } from './voiceprint/embedding-text.ts';

export function joinedSpeakers(
  { windows, overlapping }: SpeakerEmbeddings,
  count: SpeakerCount,
): SpeakerTurn[] {
  return speakerTurns(embedded(windows), count, overlapping);
}

function embedded(windows: readonly SpeakerWindow[]): EmbeddedWindow[] {
  return windows.map(({ voice, ...span }) => ({ ...span, embedding: embeddingOf(voice) }));
}
