/** Tells in which language somebody speaks, and nothing else: a third of a window, one step. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { HeardChunk, LanguageDetector, LanguageGuess } from '../recognizer.ts';
import { firstStepDecoder } from './first-step.ts';
import { languageMarks, readGeneration } from './generation.ts';
import { bands, logMel } from './log-mel.ts';
import { shortWindowEncoder } from './short-window.ts';
import { SpokenWindow } from './spoken-window.ts';
import { likeliestLanguages } from './whisper-decoding.ts';
import { sessionOptions } from './whisper-model.ts';

/** 10 s: as sure of English as 30 s, in a quarter of the time. With 7.5 s, doubts begin. */
const frames = 1000;
const framesPerPosition = 2;

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
    const encoder = await readFile(join(directory, 'encoder.onnx'));
    const decoder = await readFile(join(directory, 'decoder.onnx'));
    const generation = await readGeneration(directory);
    const languages = languageMarks(generation);
    const from = Math.min(...languages.values());
    const marks = { start: generation.decoder_start_token_id, from, to: Math.max(...languages.values()) };
    return new WhisperLanguageDetector(
      await InferenceSession.create(shortWindowEncoder(encoder, frames / framesPerPosition), sessionOptions),
      await InferenceSession.create(firstStepDecoder(decoder, marks), sessionOptions),
      new Map([...languages].map(([language, mark]) => [language, mark - from])),
    );
  }

  async release(): Promise<void> {
    await this.#encoder.release();
    await this.#decoder.release();
  }

  async detectLanguage(heard: HeardChunk): Promise<LanguageGuess> {
    const { samples } = new SpokenWindow(heard);
    const input = new Tensor('float32', logMel(samples, frames), [1, bands, frames]);
    const { last_hidden_state } = await this.#encoder.run({ input_features: input }, ['last_hidden_state']);
    const { logits } = await this.#decoder.run({
      input_ids: new Tensor('int64', BigInt64Array.of(0n), [1, 1]),
      encoder_hidden_states: last_hidden_state as Tensor,
    });
    const [likeliest] = likeliestLanguages(logits?.data as Float32Array, this.#languages);
    return likeliest ?? { language: 'en', probability: 0 };
  }
}
