/** Whisper's encoder and decoder, run step by step. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { floatConvolutions } from '../../../onnx/float-convolutions.ts';
import { singleThread } from '../../../onnx/single-thread.ts';
import { DecoderState } from '../decoder-state.ts';
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
      encoder: await InferenceSession.create(
        floatConvolutions(await readFile(join(directory, 'encoder.onnx'))),
        encoderOptions,
      ),
      decoder: await InferenceSession.create(join(directory, 'decoder.onnx'), singleThread),
    };
    return new WhisperModel(await WhisperVocabulary.load(directory), networks);
  }

  async release(): Promise<void> {
    await this.#encoder.release();
    await this.#decoder.release();
  }

  /** After the first tokens, in one row. */
  async decoderAfter(samples: Float32Array, tokens: readonly number[]): Promise<DecoderState> {
    const input = new Tensor('float32', logMel(samples, windowFrames), [1, bands, windowFrames]);
    // Only this output: the encoder's attentions are 400 MB that nobody needs.
    const { last_hidden_state } = await this.#encoder.run({ input_features: input }, ['last_hidden_state']);
    const encoded = last_hidden_state as Tensor;
    const decoder = { network: this.#decoder, encoded, heads: this.vocabulary.alignmentHeads };
    return DecoderState.start(decoder, tokens);
  }
}
