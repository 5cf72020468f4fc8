/** Moonshine's encoder and decoder, and greedy decoding of a stretch of audio. */
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { singleThread } from '../../../onnx/single-thread.ts';
import { sampleRate } from '../../../timeline/sample-rate.ts';
import { type AlignmentHeads, DecoderState } from '../decoding/decoder-state.ts';
import type { KeywordBias } from '../decoding/keyword-bias.ts';
import { keywordSearch } from '../decoding/keyword-search.ts';
import { MoonshineVocabulary } from './moonshine-vocabulary.ts';

/** One step of the encoder's output: 384 samples. */
export const stepSeconds = 384 / sampleRate;
/** People reach six tokens in a second; a decoder that writes more is in a loop. */
const tokensPerSecondMax = 6.5;
const tokensAlwaysAllowed = 8;

/** Found by comparison with the times of Whisper's words on clips of speech: decision 0120 has the figures. */
const alignmentHeads: Readonly<Record<string, AlignmentHeads>> = {
  'moonshine-base': [
    [5, 5],
    [4, 0],
    [6, 1],
    [5, 6],
  ],
  'moonshine-tiny': [
    [4, 3],
    [3, 5],
    [3, 6],
  ],
};

export interface DecodedSpeech {
  tokens: readonly number[];
  /** For each token, the cross-attention of each alignment head; empty for a model whose heads are not known. */
  attentions: readonly Float32Array[][];
  /** The probability of each token. */
  probabilities: number[];
}

export class MoonshineModel {
  readonly vocabulary: MoonshineVocabulary;
  readonly hasWordTimes: boolean;
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;
  readonly #heads: AlignmentHeads;

  private constructor(
    vocabulary: MoonshineVocabulary,
    networks: { encoder: InferenceSession; decoder: InferenceSession; heads: AlignmentHeads },
  ) {
    this.vocabulary = vocabulary;
    this.#encoder = networks.encoder;
    this.#decoder = networks.decoder;
    this.#heads = networks.heads;
    this.hasWordTimes = networks.heads.length > 0;
  }

  static async load(id: string, directory: string): Promise<MoonshineModel> {
    const networks = {
      encoder: await InferenceSession.create(join(directory, 'encoder.onnx'), singleThread),
      decoder: await InferenceSession.create(join(directory, 'decoder.onnx'), singleThread),
      heads: alignmentHeads[id] ?? [],
    };
    return new MoonshineModel(await MoonshineVocabulary.load(directory), networks);
  }

  async release(): Promise<void> {
    await this.#encoder.release();
    await this.#decoder.release();
  }

  async decode(
    samples: Float32Array,
    { bias, signal }: { bias: KeywordBias | undefined; signal: AbortSignal },
  ): Promise<DecodedSpeech> {
    const input = new Tensor('float32', samples, [1, samples.length]);
    const { last_hidden_state } = await this.#encoder.run({ input_values: input });
    const encoded = last_hidden_state as Tensor;
    const decoder = { network: this.#decoder, encoded, heads: this.#heads };
    const start = await DecoderState.start(decoder, [this.vocabulary.start]);
    const tokensMax = Math.max(tokensAlwaysAllowed, (samples.length / sampleRate) * tokensPerSecondMax);
    const rules = { end: this.vocabulary.end, tokensMax, allowed: (logits: Float32Array) => logits };
    const { tokens, attentions, logProbabilities } = await keywordSearch(start, rules, {
      beams: 1,
      bias,
      signal,
    });
    return { tokens, attentions, probabilities: logProbabilities.map(Math.exp) };
  }
}
