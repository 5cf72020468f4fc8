/** Detects the language with a Whisper that was reduced to that at installation: 10 s of audio, one decoder step. */
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { firstLanguageToken } from '../../../model/language-decoder.ts';
import { encoderFrames } from '../../../model/ten-second-encoder.ts';
import { singleThread } from '../../../onnx/single-thread.ts';
import type { LanguageDetector, LanguageGuess, RecognizerInput } from '../recognizer.ts';
import { languageTokens, readGenerationConfig } from './generation-config.ts';
import { bands, logMel } from './log-mel.ts';
import { SpokenWindow } from './spoken-window.ts';
import { rankedLanguages } from './whisper-decoding.ts';

export class WhisperLanguageDetector implements LanguageDetector {
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;
  /** With the index of each among the decoder's logits. */
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
    const languages = languageTokens(await readGenerationConfig(directory));
    return new WhisperLanguageDetector(
      await InferenceSession.create(join(directory, 'encoder.onnx'), singleThread),
      await InferenceSession.create(join(directory, 'decoder.onnx'), singleThread),
      new Map([...languages].map(([language, token]) => [language, token - firstLanguageToken])),
    );
  }

  async release(): Promise<void> {
    await this.#encoder.release();
    await this.#decoder.release();
  }

  async detectLanguages(input: RecognizerInput): Promise<LanguageGuess[]> {
    const { samples } = new SpokenWindow(input);
    const features = new Tensor('float32', logMel(samples, encoderFrames), [1, bands, encoderFrames]);
    const { last_hidden_state } = await this.#encoder.run({ input_features: features }, [
      'last_hidden_state',
    ]);
    const { logits } = await this.#decoder.run({
      input_ids: new Tensor('int64', BigInt64Array.of(0n), [1, 1]),
      encoder_hidden_states: last_hidden_state as Tensor,
    });
    return rankedLanguages(logits?.data as Float32Array, this.#languages);
  }
}
