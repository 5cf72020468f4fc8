/** Whisper's encoder and decoder, run step by step. */
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { singleThread } from '../../../onnx/single-thread.ts';
import { CachedDecoder } from '../cached-decoder.ts';
import { bands, logMel } from './log-mel.ts';
import { WhisperVocabulary } from './whisper-vocabulary.ts';

/** The encoder needs half a gigabyte to work in; without an arena that is given back after each window. */
const encoderOptions: InferenceSession.SessionOptions = { ...singleThread, enableCpuMemArena: false };
/** 30 s: the length of audio that Whisper was trained on. */
const windowFrames = 3000;

export class WhisperModel {
  readonly vocabulary: WhisperVocabulary;
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;

  private constructor(
    vocabulary: WhisperVocabulary,
    networks: { encoder: InferenceSession; decoder: InferenceSession },
  ) {
    this.vocabulary = vocabulary;
    this.#encoder = networks.encoder;
    this.#decoder = networks.decoder;
  }

  static async load(directory: string): Promise<WhisperModel> {
    const networks = {
      encoder: await InferenceSession.create(join(directory, 'encoder.onnx'), encoderOptions),
      decoder: await InferenceSession.create(join(directory, 'decoder.onnx'), singleThread),
    };
    return new WhisperModel(await WhisperVocabulary.load(directory), networks);
  }

  async release(): Promise<void> {
    await this.#encoder.release();
    await this.#decoder.release();
  }

  async encode(samples: Float32Array): Promise<CachedDecoder> {
    const input = new Tensor('float32', logMel(samples, windowFrames), [1, bands, windowFrames]);
    // Only this output: the encoder's attentions are 400 MB that nobody needs.
    const { last_hidden_state } = await this.#encoder.run({ input_features: input }, ['last_hidden_state']);
    return new CachedDecoder(this.#decoder, last_hidden_state as Tensor, this.vocabulary.alignmentHeads);
  }
}
