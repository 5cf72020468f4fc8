/** A decoder as published for Whisper and Moonshine: one network for the first step and all others. */
import { type InferenceSession, Tensor } from 'onnxruntime-node';

/** The heads, as layer and index, whose attention follows the audio. */
export type AlignmentHeads = readonly (readonly [layer: number, head: number])[];

export interface DecoderRow {
  /** Of the next token. */
  logits: Float32Array;
  /** The cross-attention of each alignment head for the last token. */
  attentions: Float32Array[];
}

interface Decoder {
  network: InferenceSession;
  encoded: Tensor;
  heads: AlignmentHeads;
}

type Cache = ReadonlyMap<string, Tensor>;

/**
 * After some tokens for one stretch of encoded audio, in one or more rows: the hypotheses that are decoded side by side.
 * It does not change, so that decoding can go on from it more than once.
 */
export class DecoderState {
  readonly rows: readonly DecoderRow[];
  readonly #decoder: Decoder;
  readonly #cache: Cache;

  private constructor(decoder: Decoder, cache: Cache, rows: readonly DecoderRow[]) {
    this.#decoder = decoder;
    this.#cache = cache;
    this.rows = rows;
  }

  /** In one row, after all of these tokens. */
  static start(decoder: Decoder, tokens: readonly number[]): Promise<DecoderState> {
    return DecoderState.#run(decoder, tokens, { rows: 1, cache: new Map() });
  }

  /** One more token for each row; row i goes on from row `parents[i]` of this state. */
  next(tokens: readonly number[], parents: readonly number[]): Promise<DecoderState> {
    const same = parents.length === this.rows.length && parents.every((parent, i) => parent === i);
    const cache = same
      ? this.#cache
      : new Map([...this.#cache].map(([name, tensor]) => [name, this.#regrouped(name, tensor, parents)]));
    return DecoderState.#run(this.#decoder, tokens, { rows: tokens.length, cache });
  }

  /** What comes from the audio is there once for all rows. */
  #regrouped(name: string, tensor: Tensor, parents: readonly number[]): Tensor {
    if (!isOfDecoder(name)) return tensor;
    const data = tensor.data as Float32Array;
    const rowLength = data.length / this.rows.length;
    const regrouped = new Float32Array(rowLength * parents.length);
    for (const [i, parent] of parents.entries())
      regrouped.set(data.subarray(parent * rowLength, (parent + 1) * rowLength), i * rowLength);
    return new Tensor('float32', regrouped, [parents.length, ...tensor.dims.slice(1)]);
  }

  static async #run(
    decoder: Decoder,
    tokens: readonly number[],
    { rows, cache }: { rows: number; cache: Cache },
  ): Promise<DecoderState> {
    const { network, encoded, heads } = decoder;
    const first = cache.size === 0;
    const ids = BigInt64Array.from(tokens, BigInt);
    const feeds: Record<string, Tensor> = {
      input_ids: new Tensor('int64', ids, [rows, tokens.length / rows]),
      encoder_hidden_states: encoded,
      use_cache_branch: new Tensor('bool', Uint8Array.from([first ? 0 : 1]), [1]),
    };
    const cacheNames = network.inputNames.filter((name) => name.startsWith('past_key_values.'));
    for (const name of cacheNames) feeds[name] = cache.get(name) ?? emptyCache(network, name);
    const kept = cacheNames.filter((name) => first || isOfDecoder(name));
    const attentionNames = [...new Set(heads.map(([layer]) => `cross_attentions.${layer}`))];
    const result = await network.run(feeds, ['logits', ...attentionNames, ...kept.map(presentName)]);
    const present = kept.map((name) => [name, result[presentName(name)] as Tensor] as const);
    return new DecoderState(decoder, new Map([...cache, ...present]), decoderRows(result, heads, rows));
  }
}

/** Each row at its last token. */
function decoderRows(
  result: InferenceSession.OnnxValueMapType,
  heads: AlignmentHeads,
  rows: number,
): DecoderRow[] {
  const logits = result.logits as Tensor;
  const [, length = 1, tokens = 0] = logits.dims;
  return Array.from({ length: rows }, (_, row) => {
    const from = (row * length + length - 1) * tokens;
    return {
      logits: (logits.data as Float32Array).subarray(from, from + tokens),
      attentions: heads.map(([layer, head]) => {
        const { data, dims } = result[`cross_attentions.${layer}`] as Tensor;
        const [batch = 1, headCount = 1, , width = 0] = dims;
        // Whisper's edited network has the rows as tokens of one batch, Moonshine's as it was published has a batch of them.
        const at = (batch === 1 ? head * rows + row : row * headCount + head) * length + length - 1;
        return (data as Float32Array).slice(at * width, (at + 1) * width);
      }),
    };
  });
}

function emptyCache(network: InferenceSession, name: string): Tensor {
  const metadata = network.inputMetadata.find((input) => input.name === name);
  const shape = metadata?.isTensor ? metadata.shape : [];
  const [, heads = 8, , width = 64] = shape.map((size) => (typeof size === 'number' ? size : undefined));
  return new Tensor('float32', new Float32Array(0), [1, heads, 0, width]);
}

function isOfDecoder(cacheName: string): boolean {
  return cacheName.includes('.decoder.');
}

function presentName(cacheName: string): string {
  return cacheName.replace('past_key_values.', 'present.');
}
