import { contextLimits } from '../../../timeline/chunk-plan.ts';
import { sampleRate } from '../../../timeline/sample-rate.ts';
import type { SpeechSpan } from '../../../timeline/span.ts';
import { type RecognisedUtterance, voicedSeconds } from '../../../timeline/utterance.ts';
import type { TimedWord } from '../../../timeline/word.ts';
import { anchoredSpan } from '../../voice/anchored-span.ts';
import { alignedWords } from '../decoding/aligned-words.ts';
import { biasTo } from '../decoding/keyword-bias.ts';
import { meanProbability } from '../decoding/token-choice.ts';
import type { Recognizer, RecognizerInput } from '../recognizer.ts';
import { spokenText } from '../spoken-text.ts';
import { type DecodedSpeech, MoonshineModel, stepSeconds } from './moonshine-model.ts';

/** Before the steepest rise of an utterance and after its steepest fall: onsets and endings are softer than these. */
const contextSamples = 0.2 * sampleRate;
/** Speech of this length always has words; an empty result is the model's failure. */
const voicedSecondsWithWords = 1;

interface SpokenPlace {
  /** Between what the audio may be taken; the first that gives text. */
  allowed: readonly SpeechSpan[];
  /** The first of the samples in the recording. */
  offset: number;
  /** Seconds of speech. */
  voiced: number;
  decoding: Parameters<MoonshineModel['decode']>[1];
}

export class MoonshineRecognizer implements Recognizer {
  readonly id: string;
  readonly #model: MoonshineModel;

  private constructor(id: string, model: MoonshineModel) {
    this.id = id;
    this.#model = model;
  }

  static async load(id: string, directory: string): Promise<MoonshineRecognizer> {
    return new MoonshineRecognizer(id, await MoonshineModel.load(id, directory));
  }

  release(): Promise<void> {
    return this.#model.release();
  }

  async recognise(input: RecognizerInput): Promise<RecognisedUtterance[]> {
    const { samples, chunk, signal } = input;
    const decoding = { bias: biasTo(input.keywords, this.#model.vocabulary.text), signal };
    const recognised: RecognisedUtterance[] = [];
    const anchored = chunk.utterances.map((utterance) => anchoredSpan(utterance, samples, chunk.startSample));
    const limits = contextLimits(chunk, anchored);
    for (const [i, utterance] of chunk.utterances.entries()) {
      signal.throwIfAborted();
      const { startSample, endSample } = anchored[i] ?? utterance;
      const wanted = { startSample: startSample - contextSamples, endSample: endSample + contextSamples };
      const spoken = await this.#spoken(samples, wanted, {
        // Moonshine sometimes gives no text for speech that it recognises without the context before and after it.
        allowed: [limits[i] ?? chunk, utterance],
        offset: chunk.startSample,
        voiced: voicedSeconds([utterance]),
        decoding,
      });
      if (spoken) recognised.push({ ...utterance, ...spoken, language: 'en' });
    }
    return recognised;
  }

  /** `wanted`: what the recognizer hears, silence where it is not allowed to hear that. */
  async #spoken(
    samples: Float32Array,
    wanted: SpeechSpan,
    { allowed, offset, voiced, decoding }: SpokenPlace,
  ): Promise<Pick<RecognisedUtterance, 'text' | 'words' | 'confidence'> | undefined> {
    for (const limits of allowed) {
      const startSample = Math.max(limits.startSample, wanted.startSample);
      const endSample = Math.min(limits.endSample, wanted.endSample);
      const extent = { startSample, endSample };
      const before = startSample - wanted.startSample;
      const framed = inSilence(samples.subarray(startSample - offset, endSample - offset), {
        before,
        after: wanted.endSample - endSample,
      });
      const decoded = await this.#model.decode(framed, decoding);
      const whole = this.#model.vocabulary.textOf(decoded.tokens).trim();
      const text = spokenText(whole, voiced);
      // What was cut from the text cannot be found again in the words.
      const words = text === whole ? this.#words(decoded, framed.length, { before, extent }) : {};
      if (text !== '') return { text, ...words, confidence: meanProbability(decoded.probabilities) };
      if (voiced < voicedSecondsWithWords) return undefined;
    }
    return undefined;
  }

  /** `before`: samples of silence that were set before the audio. */
  #words(
    decoded: DecodedSpeech,
    length: number,
    { before, extent }: { before: number; extent: SpeechSpan },
  ): { words?: TimedWord[] } {
    if (!this.#model.hasWordTimes) return {};
    const window = { seconds: length / sampleRate, stepSeconds };
    const sampleAt = (seconds: number) => {
      const sample = extent.startSample - before + Math.round(seconds * sampleRate);
      return Math.min(extent.endSample, Math.max(extent.startSample, sample));
    };
    const words = alignedWords(decoded, this.#model.vocabulary, window).map((word) => ({
      text: word.text,
      startSample: sampleAt(word.startSeconds),
      endSample: sampleAt(word.endSeconds),
      confidence: word.confidence,
    }));
    return { words };
  }
}

/** A word without silence before it is misrecognised: "eight" at the very beginning of a recording became "hate". */
function inSilence(
  samples: Float32Array,
  { before, after }: { before: number; after: number },
): Float32Array {
  const framed = new Float32Array(before + samples.length + after);
  framed.set(samples, before);
  return framed;
}
