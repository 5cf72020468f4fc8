/** A stretch of a recording whose voice activity is detected in one request, by any process. */

import { sampleRate } from '../../timeline/sample-rate.ts';

/** 32 ms. */
export const windowSamples = 512;
/** The network's input begins with the end of the window before. */
export const contextSamples = 64;
export const warmUpWindows = 32;
/** The audio before a block, which settles the state of the network's LSTM: a second. */
export const historySamples = warmUpWindows * windowSamples + contextSamples;
/** The most that a block holds besides its history. */
export const blockSamplesMax = Math.floor((160 * sampleRate) / windowSamples) * windowSamples;

/** One value of each for every window of a block. */
export interface BlockActivity {
  probabilities: Float32Array;
  loudness: Float32Array;
}
