/** Whisper's encoder and decoder, run step by step. */
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { singleThread } from '../../../onnx/single-thread.ts';
import { bands, logMel } from './log-mel.ts';
import { WhisperVocabulary } from './whisper-vocabulary.ts';

/** 30 s: the length of audio that Whisper was trained on. */
const windowFrames = 3000;

/** One step of the decoder: the logits of the next token, and the cross-attention of each alignment head. */
interface DecoderStep {
  logits: Float32Array;
  attentions: Float32Array[];
}

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
      encoder: await InferenceSession.create(join(directory, 'encoder.onnx'), singleThread),
      decoder: await InferenceSession.create(join(directory, 'decoder.onnx'), singleThread),
    };
    return new WhisperModel(await WhisperVocabulary.load(directory), networks);
  }

  async release(): Promise<void> {
    await this.#encoder.release();
    await this.#decoder.release();
  }

  async encode(samples: Float32Array): Promise<WhisperDecoder> {
    const input = new Tensor('float32', logMel(samples, windowFrames), [1, bands, windowFrames]);
    // Only this output: the encoder's attentions are 400 MB that nobody needs.
    const { last_hidden_state } = await this.#encoder.run({ input_features: input }, ['last_hidden_state']);
    return new WhisperDecoder(this.#decoder, last_hidden_state as Tensor, this.vocabulary);
  }
}

/** The decoder for one audio window, with its key-value cache. */
export class WhisperDecoder {
  readonly #decoder: InferenceSession;
  readonly #encoded: Tensor;
  readonly #heads: readonly (readonly [number, number])[];
  readonly #attentionNames: string[];
  readonly #cacheNames: string[];
  #cache = new Map<string, Tensor>();

  constructor(decoder: InferenceSession, encoded: Tensor, vocabulary: WhisperVocabulary) {
    this.#decoder = decoder;
    this.#encoded = encoded;
    this.#heads = vocabulary.alignmentHeads;
    this.#attentionNames = [...new Set(this.#heads.map(([layer]) => `cross_attentions.${layer}`))];
    this.#cacheNames = decoder.inputNames.filter((name) => name.startsWith('past_key_values.'));
  }

  async step(token: number): Promise<DecoderStep> {
    const first = this.#cache.size === 0;
    const feeds: Record<string, Tensor> = {
      input_ids: new Tensor('int64', BigInt64Array.from([BigInt(token)]), [1, 1]),
      encoder_hidden_states: this.#encoded,
      use_cache_branch: new Tensor('bool', Uint8Array.from([first ? 0 : 1]), [1]),
    };
    for (const name of this.#cacheNames) feeds[name] = this.#cache.get(name) ?? this.#emptyCache(name);
    const kept = this.#cacheNames.filter((name) => first || name.includes('.decoder.'));
    const fetched = ['logits', ...this.#attentionNames, ...kept.map(presentName)];
    const result = await this.#decoder.run(feeds, fetched);
    for (const name of kept) {
      const present = result[presentName(name)];
      if (present) this.#cache.set(name, present);
    }
    return { logits: result.logits?.data as Float32Array, attentions: this.#attentions(result) };
  }

  #attentions(result: InferenceSession.OnnxValueMapType): Float32Array[] {
    return this.#heads.map(([layer, head]) => {
      const tensor = result[`cross_attentions.${layer}`] as Tensor;
      const width = tensor.dims.at(-1) ?? 0;
      return (tensor.data as Float32Array).slice(head * width, (head + 1) * width);
    });
  }

  #emptyCache(name: string): Tensor {
    const metadata = this.#decoder.inputMetadata.find((input) => input.name === name);
    const shape = metadata?.isTensor ? metadata.shape : [];
    const [, heads = 8, , width = 64] = shape.map((size) => (typeof size === 'number' ? size : undefined));
    return new Tensor('float32', new Float32Array(0), [1, heads, 0, width]);
  }
}

function presentName(cacheName: string): string {
  return cacheName.replace('past_key_values.', 'present.');
}
