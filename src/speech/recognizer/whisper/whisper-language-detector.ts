/** Tells in which language somebody speaks, and nothing else: a third of a window, one step. Its files are made for it when they are installed. */
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { shortWindowFrames } from '../../../model/half-length-encoder.ts';
import { firstLanguageMark } from '../../../model/language-decoder.ts';
import { singleThread } from '../../../onnx/single-thread.ts';
import type { HeardChunk, LanguageDetector, LanguageGuess } from '../recognizer.ts';
import { languageMarks, readGeneration } from './generation.ts';
import { bands, logMel } from './log-mel.ts';
import { SpokenWindow } from './spoken-window.ts';
import { likeliestLanguages } from './whisper-decoding.ts';

export class WhisperLanguageDetector implements LanguageDetector {
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;
  /** With the place of each in what the decoder writes. */
  readonly #languages: ReadonlyMap<string, number>;

  private constructor(
    encoder: InferenceSession,
    decoder: InferenceSession,
    languages: ReadonlyMap<string, number>,
  ) {
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#languages = languages;
  }

  static async load(directory: string): Promise<WhisperLanguageDetector> {
    const languages = languageMarks(await readGeneration(directory));
    return new WhisperLanguageDetector(
      await InferenceSession.create(join(directory, 'encoder.onnx'), singleThread),
      await InferenceSession.create(join(directory, 'decoder.onnx'), singleThread),
      new Map([...languages].map(([language, mark]) => [language, mark - firstLanguageMark])),
    );
  }

  async release(): Promise<void> {
    await this.#encoder.release();
    await this.#decoder.release();
  }

  async detectLanguage(heard: HeardChunk): Promise<LanguageGuess> {
    const { samples } = new SpokenWindow(heard);
    const input = new Tensor('float32', logMel(samples, shortWindowFrames), [1, bands, shortWindowFrames]);
    const { last_hidden_state } = await this.#encoder.run({ input_features: input }, ['last_hidden_state']);
    const { logits } = await this.#decoder.run({
      input_ids: new Tensor('int64', BigInt64Array.of(0n), [1, 1]),
      encoder_hidden_states: last_hidden_state as Tensor,
    });
    const [likeliest] = likeliestLanguages(logits?.data as Float32Array, this.#languages);
    return likeliest ?? { language: 'en', probability: 0 };
  }
}
