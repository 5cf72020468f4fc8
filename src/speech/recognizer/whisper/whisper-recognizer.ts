import { sampleRate } from '../../../timeline/sample-rate.ts';
import { type RecognisedUtterance, voicedSeconds } from '../../../timeline/utterance.ts';
import { utterancesWithWords } from '../../../transcript/utterances-with-words.ts';
import { type AlignedWord, alignedWords } from '../decoding/aligned-words.ts';
import { biasTo } from '../decoding/keyword-bias.ts';
import type { LanguageDetector, LanguageGuess, Recognizer, RecognizerInput } from '../recognizer.ts';
import { spokenText } from '../spoken-text.ts';
import { withPausePunctuation } from './pause-punctuation.ts';
import { SpokenWindow } from './spoken-window.ts';
import {
  type DecodedWindow,
  decodeWindow,
  noSpeechProbabilityMax,
  type StartedDecoding,
  startDecoding,
} from './whisper-decoding.ts';
import { WhisperModel } from './whisper-model.ts';

/**
 * Where nobody speaks, text below this is hallucinated. Whisper's own threshold is -1; of several sequences the likeliest
 * is likelier, "You" in music -0.9.
 */
const averageLogProbabilityMin = -0.6;
/** Below this the text is wrong in any case. */
const averageLogProbabilityFloor = -1.6;

/** One step of the encoder's output. */
const stepSeconds = 0.02;

/** When Whisper stops before the end of the window, the rest is decoded again. */
const undecodedSecondsMax = 1.5;
const passesMax = 4;

/** The smallest model is there for speed; beams of a larger one take more time than they gain: decision 0172. */
function beamsOf(id: string): number {
  return id === 'whisper-base' ? 5 : 1;
}

/** Enough to tell a language: of noisy English, which is asked for often, all would take Whisper small three times as long. */
const detectedSecondsMax = 10;

export class WhisperRecognizer implements Recognizer, LanguageDetector {
  readonly id: string;
  readonly translates = true;
  readonly #model: WhisperModel;
  readonly #beams: number;
  /** The window whose language was told: mostly its text is asked for next. */
  #started: { samples: Float32Array; decoding: StartedDecoding } | null = null;

  private constructor(id: string, model: WhisperModel) {
    this.id = id;
    this.#model = model;
    this.#beams = beamsOf(id);
  }

  static async load(id: string, directory: string): Promise<WhisperRecognizer> {
    return new WhisperRecognizer(id, await WhisperModel.load(directory));
  }

  release(): Promise<void> {
    return this.#model.release();
  }

  async detectLanguages(input: RecognizerInput): Promise<LanguageGuess[]> {
    const samples = new SpokenWindow(input).samples.subarray(0, detectedSecondsMax * sampleRate);
    const decoding = await this.#start(samples);
    this.#started = { samples, decoding };
    return decoding.languages;
  }

  async recognise(input: RecognizerInput): Promise<RecognisedUtterance[]> {
    const window = new SpokenWindow(input);
    const words: AlignedWord[] = [];
    const bias = biasTo(input.keywords, this.#model.vocabulary.text);
    let { language } = input;
    let fromSeconds = 0;
    const voiced = voicedSeconds(input.chunk.utterances);
    for (let pass = 0; pass < passesMax; pass++) {
      input.signal.throwIfAborted();
      const rest = window.samples.subarray(Math.round(fromSeconds * sampleRate));
      const seconds = rest.length / sampleRate;
      const started = await this.#start(rest);
      const result = await decodeWindow(this.#model, started, {
        ...input,
        language,
        beams: this.#beams,
        bias,
      });
      language = result.language;
      for (const word of this.#spokenWords(result, seconds, voiced)) words.push(shifted(word, fromSeconds));
      const { decodedUntilSeconds } = result;
      if (decodedUntilSeconds === 0 || seconds - decodedUntilSeconds < undecodedSecondsMax) break;
      fromSeconds += decodedUntilSeconds;
    }
    const onTimeline = words.map((word) => window.onTimeline(word));
    return withPausePunctuation(
      utterancesWithWords(input.chunk, onTimeline, input.translate ? 'en' : language),
    );
  }

  /** To encode a window takes longer than to decode it, so the same one is not encoded twice in a row. */
  async #start(samples: Float32Array): Promise<StartedDecoding> {
    const before = this.#started;
    this.#started = null; // It holds 110 MB for Whisper small, which the next one needs.
    const isSame = before && bytesOf(before.samples).equals(bytesOf(samples));
    return isSame ? before.decoding : startDecoding(this.#model, samples);
  }

  #spokenWords(result: DecodedWindow, seconds: number, voiced: number): AlignedWord[] {
    const text = this.#model.vocabulary.textOf(result.tokens).trim();
    const spoken = spokenText(text, voiced);
    if (isHallucinated(result) || spoken === '') return [];
    const words = alignedWords(result, this.#model.vocabulary, { seconds, stepSeconds });
    return spoken === text ? words : words.slice(0, spoken.split(' ').length);
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function shifted(word: AlignedWord, bySeconds: number): AlignedWord {
  const { startSeconds, endSeconds } = word;
  return { ...word, startSeconds: startSeconds + bySeconds, endSeconds: endSeconds + bySeconds };
}

function isHallucinated({ averageLogProbability, noSpeechProbability }: DecodedWindow): boolean {
  if (averageLogProbability < averageLogProbabilityFloor) return true;
  return noSpeechProbability > noSpeechProbabilityMax && averageLogProbability < averageLogProbabilityMin;
}
