/** Which size of Whisper recognises other languages than English on this machine. */
import { totalmem } from 'node:os';
import type { Config } from '../config.ts';
import type { Accuracy } from '../speech/engine.ts';

/** A speech process with Whisper small and all else has 1.6 GiB at its peak; the rest is for ffmpeg and files. */
const bytesPerWorker = 2 * 2 ** 30;
const serviceBytes = 2 ** 30;

/** The level of `LONGHAND_ACCURACY`; if it is not set, the best for which there is memory in every worker at once. */
export function accuracyOf(
  { accuracy, workers }: Pick<Config, 'accuracy' | 'workers'>,
  memoryBytes = machineBytes(),
): Accuracy {
  if (accuracy !== undefined) return accuracy;
  return memoryBytes >= serviceBytes + workers * bytesPerWorker ? 'exact' : 'balanced';
}

function machineBytes(): number {
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
}
