import type { Chunk } from '../../timeline/chunk-plan.ts';
import type { SpeakerWindow } from '../chunk-result.ts';

/** The seam behind which every speaker model stands. */
export interface SpeakerListener {
  /** The windows are turns that it found, and may overlap where it hears two people at once. */
  readonly overlapping: boolean;
  /** Stretches of one voice each, in order of time. */
  windows(samples: Float32Array, chunk: Chunk): Promise<SpeakerWindow[]>;
}
