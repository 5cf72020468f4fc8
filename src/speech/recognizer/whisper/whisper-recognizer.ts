import { sampleRate } from '../../../timeline/sample-rate.ts';
import { type RecognisedUtterance, voicedSeconds } from '../../../timeline/utterance.ts';
import { utterancesWithWords } from '../../../transcript/words-of-utterances.ts';
import type { HeardChunk, LanguageDetector, LanguageGuess, Recognizer } from '../recognizer.ts';
import { spokenText } from '../spoken-text.ts';
import { SpokenWindow } from './spoken-window.ts';
import { beginListening, decodeWindow, type HeardWindow } from './whisper-decoding.ts';
import { WhisperModel } from './whisper-model.ts';
import { type WindowWord, windowWords } from './whisper-words.ts';

/** Whisper's own figures: above the first and below the second, what it wrote was made up. */
const noSpeechProbabilityMax = 0.6;
const confidenceMin = -1;
/** Below this, text is wrong in any case. */
const confidenceHopeless = -1.6;

/** When Whisper stops before the end, it is asked again from there. */
const unheardSecondsMax = 1.5;
const passesMax = 4;

export class WhisperRecognizer implements Recognizer, LanguageDetector {
  readonly id: string;
  readonly #model: WhisperModel;

  private constructor(id: string, model: WhisperModel) {
    this.id = id;
    this.#model = model;
  }

  static async load(id: string, directory: string): Promise<WhisperRecognizer> {
    return new WhisperRecognizer(id, await WhisperModel.load(directory));
  }

  release(): Promise<void> {
    return this.#model.release();
  }

  async detectLanguage(heard: HeardChunk): Promise<LanguageGuess> {
    const { languages } = await beginListening(this.#model, new SpokenWindow(heard).samples);
    return languages[0] ?? { language: 'en', probability: 0 };
  }

  async recognise(heard: HeardChunk): Promise<RecognisedUtterance[]> {
    const window = new SpokenWindow(heard);
    const words: WindowWord[] = [];
    let { language } = heard;
    let fromSeconds = 0;
    const voiced = voicedSeconds(heard.chunk.utterances);
    for (let pass = 0; pass < passesMax; pass++) {
      heard.signal.throwIfAborted();
      const rest = window.samples.subarray(Math.round(fromSeconds * sampleRate));
      const seconds = rest.length / sampleRate;
      const result = await decodeWindow(this.#model, await beginListening(this.#model, rest), language);
      language = result.language;
      for (const word of this.#spokenWords(result, seconds, voiced)) words.push(later(word, fromSeconds));
      const { heardUntilSeconds } = result;
      if (heardUntilSeconds === 0 || seconds - heardUntilSeconds < unheardSecondsMax) break;
      fromSeconds += heardUntilSeconds;
    }
    return utterancesWithWords(
      heard.chunk,
      words.map((word) => window.placed(word)),
      language,
    );
  }

  #spokenWords(result: HeardWindow, seconds: number, voiced: number): WindowWord[] {
    const text = this.#model.vocabulary.textOf(result.tokens).trim();
    const spoken = spokenText(text, voiced);
    if (isInvented(result) || spoken === '') return [];
    const words = windowWords(result, this.#model.vocabulary, seconds);
    return spoken === text ? words : words.slice(0, spoken.split(' ').length);
  }
}

function later({ text, startSeconds, endSeconds }: WindowWord, bySeconds: number): WindowWord {
  return { text, startSeconds: startSeconds + bySeconds, endSeconds: endSeconds + bySeconds };
}

function isInvented({ confidence, noSpeechProbability }: HeardWindow): boolean {
  if (confidence < confidenceHopeless) return true;
  return noSpeechProbability > noSpeechProbabilityMax && confidence < confidenceMin;
}
