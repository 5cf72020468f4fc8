/** The windows of speech that a voice is taken from. */
import { type SpeechSpan, sampleRate } from '../chunk-plan.ts';

/** Long enough for a voice to show, short enough to lie inside one turn. */
export const windowSamples = 1.5 * sampleRate;
export const stepSamples = 0.75 * sampleRate;
/** Less speech says too little about a voice. */
const spanSamplesMin = 0.3 * sampleRate;

/** Windows that cover each span; the last one is moved back to end with the speech. A short span is one window. */
export function speakerWindows(speech: readonly SpeechSpan[]): SpeechSpan[] {
  const windows: SpeechSpan[] = [];
  for (const { startSample, endSample } of speech) {
    if (endSample - startSample < spanSamplesMin) continue;
    let start = startSample;
    for (; start + windowSamples < endSample; start += stepSamples) {
      windows.push({ startSample: start, endSample: start + windowSamples });
    }
    windows.push({ startSample: Math.max(startSample, endSample - windowSamples), endSample });
  }
  return windows;
}
