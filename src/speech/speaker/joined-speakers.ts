/** Who speaks when, from what one chunk or all chunks heard. */

import type { Chunk } from '../../timeline/chunk-plan.ts';
import type { SpeakerTurn } from '../../timeline/turn.ts';
import type { HeardSpeakers, SpeakerEvidence, SpeakerWindow } from '../chunk-result.ts';
import type { SpeakerCount } from './cluster/speaker-clusters.ts';
import { nearbyTurns, speakerTurns, type VoiceWindow } from './turn/speaker-turns.ts';
import { cutAtTurns } from './turn/turn-utterances.ts';
import { voiceOf } from './voiceprint/voice-text.ts';

export function joinedSpeakers({ windows, overlapping }: HeardSpeakers, count: SpeakerCount): SpeakerTurn[] {
  return speakerTurns(withVoices(windows), count, overlapping);
}

/** Inside one chunk the voices are told apart roughly, so that no utterance mixes two of them. */
export function cutAtVoices(chunk: Chunk, speakers: SpeakerEvidence | undefined): Chunk {
  if (!speakers || 'fault' in speakers) return chunk;
  return cutAtTurns(chunk, nearbyTurns(withVoices(speakers.windows)));
}

function withVoices(windows: readonly SpeakerWindow[]): VoiceWindow[] {
  return windows.map(({ voice, ...span }) => ({ ...span, voice: voiceOf(voice) }));
}
