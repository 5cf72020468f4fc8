/** A decoder as published for Whisper and Moonshine, run token by token: one network for the first step and all others. */
import { type InferenceSession, Tensor } from 'onnxruntime-node';

/** The heads, as layer and index, whose attention follows the audio. */
export type AlignmentHeads = readonly (readonly [layer: number, head: number])[];

/** The logits of the next token, and the cross-attention of each alignment head. */
interface DecoderStep {
  logits: Float32Array;
  attentions: Float32Array[];
}

/** For one stretch of encoded audio; the keys and values of the tokens before are kept. */
export class CachedDecoder {
  readonly #decoder: InferenceSession;
  readonly #encoded: Tensor;
  readonly #heads: AlignmentHeads;
  readonly #attentionNames: string[];
  readonly #cacheNames: string[];
  #cache = new Map<string, Tensor>();

  constructor(decoder: InferenceSession, encoded: Tensor, heads: AlignmentHeads) {
    this.#decoder = decoder;
    this.#encoded = encoded;
    this.#heads = heads;
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
