/** The recognizers of one speech process: loaded when first needed, kept until the process ends. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import {
  engineUsesLanguage,
  englishModel,
  languageModel,
  modelOfEngine,
  otherLanguagesModel,
} from '../engine.ts';
import { ModelMissing } from '../speech.ts';
import { MoonshineRecognizer } from './moonshine/moonshine-recognizer.ts';
import type { LanguageDetector, LanguageGuess, Recognizer, RecognizerInput } from './recognizer.ts';
import { SherpaRecognizer } from './sherpa-recognizer.ts';
import { WhisperLanguageDetector } from './whisper/whisper-language-detector.ts';
import { WhisperRecognizer } from './whisper/whisper-recognizer.ts';

/** Below this the larger model decides. */
const probabilitySure = 0.8;

export class RecognizerCache {
  readonly #modelsDirectory: string;
  readonly #loaded = new Map<string, Promise<Recognizer>>();
  #languageDetector: Promise<WhisperLanguageDetector> | null = null;

  constructor(modelsDirectory: string) {
    this.#modelsDirectory = modelsDirectory;
  }

  /** `auto`: English by the model made for it, all else by Whisper; the language of a chunk is detected where it is not known. */
  async choose(
    engine: string,
    input: RecognizerInput,
  ): Promise<{ recognizer: Recognizer; language: string | null }> {
    if (engine !== 'auto') {
      return { recognizer: await this.#get(modelOfEngine(engine)), language: input.language };
    }
    const language = input.language ?? (await this.detectLanguage(input)).language;
    const chosen = language === 'en' ? englishModel : otherLanguagesModel;
    if (input.language !== null) await this.#releaseDetectors(chosen);
    return { recognizer: await this.#get(chosen), language };
  }

  /** Loads what a job will need. A job whose language is not known is most likely English. */
  async warmUp(engine: string, language: string | null, detector: boolean): Promise<void> {
    if (detector && engineUsesLanguage(engine)) await this.#smallDetector();
    if (engine !== 'auto') {
      await this.#get(modelOfEngine(engine));
      return;
    }
    await this.#get(language === null || language === 'en' ? englishModel : otherLanguagesModel);
  }

  /** Without a model that can tell languages apart, everything is English. */
  async detectLanguage(input: RecognizerInput): Promise<LanguageGuess> {
    const small = await this.#smallDetector();
    const guess = await small?.detectLanguage(input);
    if (guess && guess.probability >= probabilitySure && guess.language === 'en') return guess;
    const large = await this.#largeDetector();
    return (await large?.detectLanguage(input)) ?? guess ?? { language: 'en', probability: 0 };
  }

  /** Once the language of a job is known, the models that detected it would hold half a gigabyte for nothing. */
  async #releaseDetectors(chosen: string): Promise<void> {
    const small = this.#languageDetector;
    this.#languageDetector = null;
    await (await small?.catch(() => null))?.release();
    if (chosen === otherLanguagesModel) return;
    const large = this.#loaded.get(otherLanguagesModel);
    this.#loaded.delete(otherLanguagesModel);
    await (await large)?.release?.();
  }

  /** Null where it is not installed, or not wholly: then the large one decides. */
  async #smallDetector(): Promise<LanguageDetector | null> {
    this.#languageDetector ??= WhisperLanguageDetector.load(join(this.#modelsDirectory, languageModel));
    try {
      return await this.#languageDetector;
    } catch {
      this.#languageDetector = null;
      return null;
    }
  }

  async #largeDetector(): Promise<LanguageDetector | null> {
    if (!(await isPresent(join(this.#modelsDirectory, otherLanguagesModel)))) return null;
    return (await this.#get(otherLanguagesModel)) as WhisperRecognizer;
  }

  #get(id: string): Promise<Recognizer> {
    let recognizer = this.#loaded.get(id);
    if (!recognizer) {
      recognizer = this.#load(id);
      this.#loaded.set(id, recognizer);
      recognizer.catch(() => this.#loaded.delete(id));
    }
    return recognizer;
  }

  async #load(id: string): Promise<Recognizer> {
    const directory = await installedDirectory(this.#modelsDirectory, id);
    if (id.startsWith('moonshine-')) return MoonshineRecognizer.load(id, directory);
    if (id.startsWith('whisper-')) return WhisperRecognizer.load(id, directory);
    return SherpaRecognizer.load(id, directory);
  }
}

export async function installedDirectory(modelsDirectory: string, id: string): Promise<string> {
  const directory = join(modelsDirectory, id);
  if (await isPresent(directory)) return directory;
  throw new ModelMissing(id);
}

async function isPresent(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
