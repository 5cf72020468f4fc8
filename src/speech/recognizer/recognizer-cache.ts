/** The recognizers of one speech process: loaded when first needed, kept warm until the process ends. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import {
  engineHearsLanguages,
  englishModel,
  languageModel,
  modelOfEngine,
  otherLanguagesModel,
} from '../engine.ts';
import { SpeechError } from '../speech.ts';
import { MoonshineRecognizer } from './moonshine-recognizer.ts';
import type { HeardChunk, LanguageDetector, LanguageGuess, Recognizer } from './recognizer.ts';
import { SherpaRecognizer } from './sherpa-recognizer.ts';
import { WhisperLanguageDetector } from './whisper/whisper-language-detector.ts';
import { WhisperRecognizer } from './whisper/whisper-recognizer.ts';

/** Below this the larger model is asked as well. */
const probabilitySure = 0.8;

export class RecognizerCache {
  readonly #modelsDirectory: string;
  readonly #loaded = new Map<string, Promise<Recognizer>>();
  #quick: Promise<WhisperLanguageDetector> | null = null;

  constructor(modelsDirectory: string) {
    this.#modelsDirectory = modelsDirectory;
  }

  /** `auto`: English by the model made for it, all else by Whisper; a chunk whose language is not known is asked. */
  async choose(
    engine: string,
    heard: HeardChunk,
  ): Promise<{ recognizer: Recognizer; language: string | null }> {
    if (engine !== 'auto') {
      return { recognizer: await this.#get(modelOfEngine(engine)), language: heard.language };
    }
    const language = heard.language ?? (await this.detectLanguage(heard)).language;
    const chosen = language === 'en' ? englishModel : otherLanguagesModel;
    if (heard.language !== null) await this.#releaseDetectors(chosen);
    return { recognizer: await this.#get(chosen), language };
  }

  /** Loads what a job will need. A job whose language is not known is most likely English. */
  async warmUp(engine: string, language: string | null, detector: boolean): Promise<void> {
    if (detector && engineHearsLanguages(engine)) await this.#quickDetector();
    if (engine !== 'auto') {
      await this.#get(modelOfEngine(engine));
      return;
    }
    await this.#get(language === null || language === 'en' ? englishModel : otherLanguagesModel);
  }

  /** Without a model that can tell languages apart, everything is English. */
  async detectLanguage(heard: HeardChunk): Promise<LanguageGuess> {
    const quick = await this.#quickDetector();
    const guess = await quick?.detectLanguage(heard);
    if (guess && guess.probability >= probabilitySure && guess.language === 'en') return guess;
    const thorough = await this.#thoroughDetector();
    return (await thorough?.detectLanguage(heard)) ?? guess ?? { language: 'en', probability: 0 };
  }

  /** Once the language of a job is known, the models that found it out would hold half a gigabyte for nothing. */
  async #releaseDetectors(chosen: string): Promise<void> {
    const quick = this.#quick;
    this.#quick = null;
    await (await quick?.catch(() => null))?.release();
    if (chosen === otherLanguagesModel) return;
    const thorough = this.#loaded.get(otherLanguagesModel);
    this.#loaded.delete(otherLanguagesModel);
    await (await thorough)?.release?.();
  }

  /** Null where it is not installed, or not wholly: then the thorough one answers. */
  async #quickDetector(): Promise<LanguageDetector | null> {
    this.#quick ??= WhisperLanguageDetector.load(join(this.#modelsDirectory, languageModel));
    try {
      return await this.#quick;
    } catch {
      this.#quick = null;
      return null;
    }
  }

  async #thoroughDetector(): Promise<LanguageDetector | null> {
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
  throw new SpeechError(`the model ${id} is not installed; run: longhand models install ${id}`, {
    transient: false,
  });
}

async function isPresent(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
