import type { Chunk } from '../../timeline/chunk-plan.ts';
import type { SpeakerWindow } from '../chunk-result.ts';

/** What every speaker model implements. */
export interface SpeakerListener {
  /** The windows are turns that it found, and may overlap where two people speak at once. */
  readonly overlapping: boolean;
  /** Stretches of one speaker each, in order of time. */
  windows(samples: Float32Array, chunk: Chunk): Promise<SpeakerWindow[]>;
}
