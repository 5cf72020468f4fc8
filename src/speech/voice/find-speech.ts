/** The spans of speech of a recording that arrives in pieces of any size: block by block, several at once, in bounded memory. */

import { bytesPerSample } from '../../timeline/pcm-samples.ts';
import type { FoundSpeech } from '../speech.ts';
import { SpanFinder } from './span-finder.ts';
import { type BlockActivity, blockSamplesMax, historySamples } from './voice-block.ts';
import { voiceThresholds } from './voice-thresholds.ts';

const historyBytes = historySamples * bytesPerSample;
const blockBytesMax = historyBytes + blockSamplesMax * bytesPerSample;

interface BlockDetector {
  /** Called with a block as `VoiceActivity.detect` takes it. */
  detect(block: Uint8Array): Promise<BlockActivity>;
  blocksAtOnce: number;
  /**
   * Told after each block but a last one that is not full, in order: the spans that have ended, and how much of the
   * recording they were found in.
   */
  heard?: ((soFar: FoundSpeech) => void) | undefined;
}

export async function findSpeech(
  audio: AsyncIterable<Uint8Array>,
  { detect, blocksAtOnce, heard }: BlockDetector,
): Promise<FoundSpeech> {
  const finder = new SpanFinder();
  const inFlight: Promise<void>[] = [];
  let totalSamples = 0;
  /** Blocks are answered in any order and taken in the order of the recording. */
  const take = async (detected: Promise<BlockActivity>, before: Promise<void> | undefined, end: number) => {
    const { probabilities, loudness } = await detected;
    await before;
    finder.thresholds = voiceThresholds(probabilities);
    for (const [i, probability] of probabilities.entries()) finder.accept(probability, loudness[i] ?? 0);
    if (end % blockSamplesMax === 0) heard?.({ spans: finder.ended, totalSamples: end });
    inFlight.shift();
  };
  try {
    for await (const block of blocksOf(audio)) {
      totalSamples += (block.length - historyBytes) / bytesPerSample;
      if (inFlight.length >= blocksAtOnce) await inFlight[0];
      const taken = take(detect(block), inFlight.at(-1), totalSamples);
      taken.catch(() => {}); // Awaited above or below.
      inFlight.push(taken);
    }
    await inFlight.at(-1);
  } finally {
    await Promise.allSettled(inFlight);
  }
  return { spans: finder.end(totalSamples), totalSamples };
}

/** Whole samples; each block begins with the end of the one before, the first with silence. */
async function* blocksOf(audio: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let block = new Uint8Array(blockBytesMax);
  let filled = historyBytes;
  for await (const part of audio) {
    for (let taken = 0; taken < part.length; ) {
      const count = Math.min(part.length - taken, blockBytesMax - filled);
      block.set(part.subarray(taken, taken + count), filled);
      taken += count;
      filled += count;
      if (filled < blockBytesMax) continue;
      yield block;
      const next = new Uint8Array(blockBytesMax);
      next.set(block.subarray(blockBytesMax - historyBytes));
      block = next;
      filled = historyBytes;
    }
  }
  const whole = filled - (filled % bytesPerSample);
  if (whole > historyBytes) yield block.subarray(0, whole);
}
