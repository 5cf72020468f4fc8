/** A stretch of a recording that is searched for voices in one go, by any process. */

import { sampleRate } from '../../timeline/sample-rate.ts';
/** 32 ms. */
export const windowSamples = 512;
/** The network hears the end of the window before as well. */
export const contextSamples = 64;
export const warmUpWindows = 32;
/** What a block brings along of the sound before it: a second, which settles the network's memory. */
export const historySamples = warmUpWindows * windowSamples + contextSamples;
/** The most that a block holds besides its history. */
export const blockSamplesMax = Math.floor((160 * sampleRate) / windowSamples) * windowSamples;

/** One value of each for every window of a block. */
export interface BlockActivity {
  probabilities: Float32Array;
  loudness: Float32Array;
}
