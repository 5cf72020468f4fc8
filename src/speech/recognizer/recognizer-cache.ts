/** The recognizers of one speech process: loaded when first needed, kept until the process ends. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChunkResult, RecogniseOptions } from '../chunk-result.ts';
import { engineUsesLanguage, englishModel, isEnglishOnly, languageModel, modelOfEngine } from '../engine.ts';
import { cannotTranslate, ModelMissing } from '../speech.ts';
import { MoonshineRecognizer } from './moonshine/moonshine-recognizer.ts';
import { type LanguageEngines, recogniseByLanguage } from './recognise-by-language.ts';
import type { LanguageDetector, LanguageGuess, Recognizer, RecognizerInput } from './recognizer.ts';
import { SherpaRecognizer } from './sherpa/sherpa-recognizer.ts';
import { WhisperLanguageDetector } from './whisper/whisper-language-detector.ts';
import { WhisperRecognizer } from './whisper/whisper-recognizer.ts';

/** Below this the larger model decides. */
const probabilitySure = 0.8;
const chunksWithoutOthersMax = 4;

export class RecognizerCache {
  readonly #modelsDirectory: string;
  readonly #otherLanguages: string;
  readonly #loaded = new Map<string, Promise<Recognizer>>();
  #languageDetector: Promise<WhisperLanguageDetector> | null = null;
  /** English chunks since the model for other languages was last used. */
  #chunksWithoutOthers = 0;

  /** `otherLanguages`: the model for all but English with the engine `auto`. */
  constructor(modelsDirectory: string, otherLanguages: string) {
    this.#modelsDirectory = modelsDirectory;
    this.#otherLanguages = otherLanguages;
  }

  /** `auto`: English by the model made for it, all else by Whisper, each stretch in its own language. */
  async recognise(
    { engine, otherLanguages }: Pick<RecogniseOptions, 'engine' | 'otherLanguages'>,
    input: RecognizerInput,
  ): Promise<Pick<ChunkResult, 'engine' | 'utterances'>> {
    if (engine !== 'auto') return this.#recogniseBy(modelOfEngine(engine), input);
    const language = input.language ?? (await this.detectLanguage(input)).language;
    const chosen = language === 'en' ? englishModel : this.#otherLanguages;
    if (input.language !== null && !otherLanguages) {
      await this.#releaseDetectors(chosen);
      return recognisedBy(await this.#get(chosen), input);
    }
    // What the job needs must be there; what only a stretch of it needs may be missing.
    await this.#get(chosen);
    const utterances = await recogniseByLanguage({ ...input, language }, await this.#languageEngines());
    await this.#releaseUnneeded(chosen);
    return { engine: chosen, utterances };
  }

  async #recogniseBy(
    id: string,
    input: RecognizerInput,
  ): Promise<Pick<ChunkResult, 'engine' | 'utterances'>> {
    const recognizer = await this.#get(id);
    if (!isEnglishOnly(id) || input.language !== null || input.translate)
      return recognisedBy(recognizer, input);
    // It writes English whatever it hears: what is surely another language gets no text.
    const engines: LanguageEngines = {
      quick: async (spoken) => (await this.#smallDetector())?.detectLanguages(spoken) ?? [],
      thorough: null,
      recognizerOf: async (language) => (language === 'en' ? recognizer : null),
      secondOpinion: async () => null,
    };
    return { engine: id, utterances: await recogniseByLanguage({ ...input, language: 'en' }, engines) };
  }

  /** Loads what a job will need. A job whose language is not known is most likely English. */
  async warmUp(engine: string, language: string | null, detector: boolean): Promise<void> {
    if (detector && engineUsesLanguage(engine)) await this.#smallDetector();
    if (engine !== 'auto') {
      await this.#get(modelOfEngine(engine));
      return;
    }
    await this.#get(language === null || language === 'en' ? englishModel : this.#otherLanguages);
  }

  async #languageEngines(): Promise<LanguageEngines> {
    const hasOthers = await isPresent(join(this.#modelsDirectory, this.#otherLanguages));
    const thorough = hasOthers
      ? async (input: RecognizerInput) => (await this.#others()).detectLanguages(input)
      : null;
    return {
      quick: async (input) => {
        const detector = await this.#smallDetector();
        return (detector ? detector.detectLanguages(input) : thorough?.(input)) ?? [];
      },
      thorough,
      recognizerOf: async (language) => {
        if (language === 'en') return this.#get(englishModel);
        return hasOthers ? this.#others() : null;
      },
      secondOpinion: async () => (hasOthers ? this.#others() : null),
    };
  }

  /** Without a model that can tell languages apart, everything is English. */
  async detectLanguage(input: RecognizerInput): Promise<LanguageGuess> {
    const small = await this.#smallDetector();
    const [guess] = (await small?.detectLanguages(input)) ?? [];
    if (guess && guess.probability >= probabilitySure && guess.language === 'en') return guess;
    const large = await this.#largeDetector();
    const [surer] = (await large?.detectLanguages(input)) ?? [];
    return surer ?? guess ?? { language: 'en', probability: 0 };
  }

  /** The model for other languages holds half a gigabyte: English that does not ask for it for a while gives it back. */
  async #releaseUnneeded(chosen: string): Promise<void> {
    if (chosen === this.#otherLanguages) return;
    this.#chunksWithoutOthers += 1;
    if (this.#chunksWithoutOthers < chunksWithoutOthersMax) return;
    await this.#release(this.#otherLanguages);
  }

  /** Once the language of a job is known, the models that detected it would hold half a gigabyte for nothing. */
  async #releaseDetectors(chosen: string): Promise<void> {
    const small = this.#languageDetector;
    this.#languageDetector = null;
    await (await small?.catch(() => null))?.release();
    if (chosen === this.#otherLanguages) return;
    await this.#release(this.#otherLanguages);
  }

  async #release(id: string): Promise<void> {
    const loaded = this.#loaded.get(id);
    this.#loaded.delete(id);
    await (await loaded?.catch(() => null))?.release?.();
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
    if (!(await isPresent(join(this.#modelsDirectory, this.#otherLanguages)))) return null;
    return this.#others();
  }

  /** Noisy English asks for it in nearly every chunk, and loading takes longer than the answer: what is used stays. */
  async #others(): Promise<WhisperRecognizer> {
    this.#chunksWithoutOthers = 0;
    return (await this.#get(this.#otherLanguages)) as WhisperRecognizer;
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

async function recognisedBy(
  recognizer: Recognizer,
  input: RecognizerInput,
): Promise<Pick<ChunkResult, 'engine' | 'utterances'>> {
  if (input.translate && input.language !== 'en' && !recognizer.translates)
    throw cannotTranslate(recognizer.id);
  return { engine: recognizer.id, utterances: await recognizer.recognise(input) };
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
