/** Whisper's encoder and decoder, run step by step. */
import { join } from 'node:path';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { editedNetwork } from '../../../onnx/edited-network.ts';
import { singleThread } from '../../../onnx/single-thread.ts';
import { sampleRate } from '../../../timeline/sample-rate.ts';
import { DecoderState } from '../decoding/decoder-state.ts';
import { decoderEdits } from './decoder-graph.ts';
import { encoderEdits, encoderOutput } from './encoder-graph.ts';
import { bands, logMel } from './log-mel.ts';
import { WhisperVocabulary } from './whisper-vocabulary.ts';

/** The encoder works in a quarter of a gigabyte; without an arena that is given back after each window. */
const encoderOptions: InferenceSession.SessionOptions = { ...singleThread, enableCpuMemArena: false };
const framesPerSecond = 100;
/** Two frames become one position. */
const framesPerPosition = 2;
/** 30 s: the length of audio that Whisper was trained on. */
const windowFramesMax = 30 * framesPerSecond;
/** With less, words go wrong: decision 0171 has the figures. */
const windowFramesMin = 10 * framesPerSecond;
/** Silence after the speech, without which Whisper does not know that it has ended. */
const silentFramesMin = 2 * framesPerSecond;

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
    const [decoder, encoder, vocabulary] = await Promise.all([
      // Also where one beam is followed: speech that may hold terms is searched with several.
      editedNetwork(join(directory, 'decoder.onnx'), decoderEdits, singleThread),
      editedNetwork(join(directory, 'encoder.onnx'), encoderEdits, encoderOptions),
      WhisperVocabulary.load(directory),
    ]);
    return new WhisperModel(vocabulary, { encoder, decoder });
  }

  async release(): Promise<void> {
    await this.#encoder.release();
    await this.#decoder.release();
  }

  /** After the first tokens, in one row. */
  async decoderAfter(samples: Float32Array, tokens: readonly number[]): Promise<DecoderState> {
    const frames = windowFrames(samples.length);
    const input = new Tensor('float32', logMel(samples, frames), [1, bands, frames]);
    const { [encoderOutput]: encoded } = await this.#encoder.run({ input_features: input });
    const heads = this.vocabulary.alignmentHeads;
    return DecoderState.start({ network: this.#decoder, encoded: encoded as Tensor, heads }, tokens);
  }
}

/** The encoder takes more than twice the time for twice the audio, so it gets no more silence than it needs. */
function windowFrames(sampleCount: number): number {
  const spoken = (sampleCount / sampleRate) * framesPerSecond;
  const positions = Math.ceil((spoken + silentFramesMin) / framesPerPosition);
  return Math.min(windowFramesMax, Math.max(windowFramesMin, positions * framesPerPosition));
}
