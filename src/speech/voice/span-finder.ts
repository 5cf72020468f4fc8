/** From one probability of speech for each window of 32 ms to spans of speech. */

import { sampleRate } from '../../timeline/sample-rate.ts';
import type { SpeechSpan } from '../../timeline/span.ts';
import { windowSamples } from './voice-block.ts';
import { clearVoice, type VoiceThresholds } from './voice-thresholds.ts';

const windows = (seconds: number): number => Math.round((seconds * sampleRate) / windowSamples);

/** Silence shorter than this is a plosive's closure inside a word. */
const pauseWindowsMin = windows(0.1);
/** Anything shorter is a click. */
const speechWindowsMin = windows(0.1);
/** What is shorter than this needs the probability of clear speech in one window at least: a breath or a door has not. */
const shortWindowsMax = windows(0.3);
const clearProbability = 0.9;
/** Speech without a pause for this long is cut at its quietest window: no recognizer takes it well in one piece. */
const spanWindowsMax = windows(12);
const spanWindowsMin = windows(3);

export class SpanFinder {
  readonly #spans: SpeechSpan[] = [];
  /** Loudness of each window since the open span began; bounded by spanWindowsMax. */
  #loudness: number[] = [];
  #window = 0;
  #start: number | null = null;
  #quietSince: number | null = null;
  /** The highest probability since the open span began. */
  #peakProbability = 0;
  #thresholds: VoiceThresholds = clearVoice;

  /** For the windows that come from now on. */
  set thresholds(thresholds: VoiceThresholds) {
    this.#thresholds = thresholds;
  }

  /** The spans that have ended so far: what comes does not change them. */
  get ended(): SpeechSpan[] {
    return [...this.#spans];
  }

  accept(probability: number, loudness: number): void {
    const window = this.#window++;
    if (this.#start === null) {
      if (probability < this.#thresholds.speech) return;
      this.#start = window;
      this.#loudness = [];
      this.#peakProbability = 0;
    }
    this.#peakProbability = Math.max(this.#peakProbability, probability);
    this.#loudness.push(loudness);
    if (probability >= this.#thresholds.silence) this.#quietSince = null;
    else this.#quietSince ??= window;
    if (this.#quietSince !== null && window + 1 - this.#quietSince >= pauseWindowsMin) {
      this.#close(this.#start, this.#quietSince);
      this.#start = null;
      this.#quietSince = null;
    } else if (window + 1 - this.#start >= spanWindowsMax) {
      this.#cutAtQuietest(this.#start);
    }
  }

  /** All spans so far; an open one ends where the recording ends. */
  end(totalSamples: number): SpeechSpan[] {
    if (this.#start !== null) this.#close(this.#start, this.#quietSince ?? this.#window);
    return this.#spans
      .map((span) => ({ ...span, endSample: Math.min(span.endSample, totalSamples) }))
      .filter((span) => span.endSample > span.startSample);
  }

  #cutAtQuietest(start: number): void {
    let quietest = spanWindowsMin;
    for (let i = spanWindowsMin; i < this.#loudness.length - 1; i++) {
      if ((this.#loudness[i] ?? 0) < (this.#loudness[quietest] ?? 0)) quietest = i;
    }
    // The quietest window belongs to neither side's words; its middle is the cut.
    const cut = (start + quietest) * windowSamples + windowSamples / 2;
    this.#spans.push({ startSample: this.#firstSample(start), endSample: cut });
    this.#loudness.splice(0, quietest);
    this.#start = start + quietest;
  }

  #firstSample(startWindow: number): number {
    return Math.max(startWindow * windowSamples, this.#spans.at(-1)?.endSample ?? 0);
  }

  #close(startWindow: number, endWindow: number): void {
    const startSample = this.#firstSample(startWindow);
    const endSample = endWindow * windowSamples;
    const continued = this.#spans.at(-1)?.endSample === startSample;
    const length = (endSample - startSample) / windowSamples;
    if (length < speechWindowsMin && !continued) return;
    if (length < shortWindowsMax && this.#peakProbability < clearProbability && !continued) return;
    if (endSample > startSample) this.#spans.push({ startSample, endSample });
  }
}
