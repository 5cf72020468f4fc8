/** Names and terms that a recording is likely to hold: their tokens are made likelier, as long as they lead to the whole term. */
import { unspacedScript } from '../../../timeline/unspaced-script.ts';
import { TokenBytes } from './token-bytes.ts';
import { logSumExp } from './token-choice.ts';

/** Added to the log probability of a token for each byte of a term that it gives. */
const bonusPerByte = 1;
/** Longer terms need no more than this in all. */
const bonusMax = 12;
/** With -6 a search for 35 terms was worth while in one of three utterances of clear speech; with -4 a seventh of the terms was missed. */
const beginningLogProbabilityMin = -6;

interface Node {
  children: Map<number, Node>;
  /** Of the whole way here, of the longest term that goes through it. */
  bonus: number;
  endsTerm: boolean;
  /** The tokens that lead on from here, once somebody asked for them. */
  tokens?: readonly number[];
}

/** Where a hypothesis stands among the terms. */
export interface BiasState {
  readonly node: Node;
  /** Of what is written: of whole terms, and of the one that may be under way. */
  readonly bonus: number;
  /** Of whole terms alone. */
  readonly kept: number;
  /** How many terms have been written. */
  readonly terms: number;
  /** The term that ended just before this place or before the term under way. */
  readonly previous: Node | undefined;
}

export class KeywordBias {
  readonly #root: Node = { children: new Map(), bonus: 0, endsTerm: false };
  readonly #vocabulary: TokenBytes;
  readonly #beginnings: readonly number[];
  readonly start: BiasState = { node: this.#root, bonus: 0, kept: 0, terms: 0, previous: undefined };

  constructor(keywords: readonly string[], vocabulary: TokenBytes) {
    this.#vocabulary = vocabulary;
    const terms = keywords.flatMap(spellings).map((spelling) => Buffer.from(spelling));
    for (const term of terms) this.#add(term);
    this.#beginnings = [...new Set(terms.flatMap((term) => this.#beginningsOf(term)))];
  }

  /** The tokens that begin a term or lead on in the one under way. */
  continuations({ node }: BiasState): readonly number[] {
    return node === this.#root ? this.#from(node) : [...this.#from(node), ...this.#from(this.#root)];
  }

  /** Whether a term is likely enough to begin here that it is worth a search. */
  isNear(logits: Float32Array): boolean {
    const least = logSumExp(logits) + beginningLogProbabilityMin;
    return this.#beginnings.some((token) => (logits[token] ?? Number.NEGATIVE_INFINITY) > least);
  }

  after(state: BiasState, token: number): BiasState {
    const bytes = this.#vocabulary.bytesOf(token);
    const onward = state.node === this.#root ? undefined : walk(state.node, bytes);
    if (onward) return { ...state, node: onward, bonus: state.kept + onward.bonus };
    const settled = continuesWord(bytes) ? this.#abandoned(state) : this.ended(state);
    const begun = walk(this.#root, bytes);
    return begun
      ? { ...settled, node: begun, bonus: settled.kept + begun.bonus }
      : { ...settled, previous: undefined };
  }

  /** Where the word under way ends. A term counts when it is whole; a loop of the same one counts once. */
  ended(state: BiasState): BiasState {
    const { node, bonus, terms, previous } = state;
    if (!node.endsTerm) return this.#abandoned(state);
    if (node === previous) return { ...this.#abandoned(state), previous };
    return { node: this.#root, bonus, kept: bonus, terms: terms + 1, previous: node };
  }

  #abandoned({ kept, terms }: BiasState): BiasState {
    return { node: this.#root, bonus: kept, kept, terms, previous: undefined };
  }

  /** A single letter begins many words: it counts for a term that has no longer token. */
  #beginningsOf(term: Buffer): number[] {
    const lengths = Array.from(term.keys(), (i) => term.length - i);
    const tokens = lengths.flatMap((length) => this.#vocabulary.tokenOf(term.subarray(0, length)) ?? []);
    return tokens.filter((token, i) => i === 0 || this.#vocabulary.bytesOf(token).length > 2);
  }

  #add(bytes: Buffer): void {
    const each = Math.min(bonusPerByte, bonusMax / bytes.length);
    let node = this.#root;
    for (const [i, byte] of bytes.entries()) {
      let child = node.children.get(byte);
      if (!child) {
        child = { children: new Map(), bonus: 0, endsTerm: false };
        node.children.set(byte, child);
      }
      child.bonus = Math.max(child.bonus, each * (i + 1));
      node = child;
    }
    node.endsTerm = true;
  }

  /** However the term is cut into tokens. */
  #from(node: Node): readonly number[] {
    node.tokens ??= [...waysDown(node)].flatMap((bytes) => this.#vocabulary.tokenOf(bytes) ?? []);
    return node.tokens;
  }
}

function* waysDown(from: Node, before: readonly number[] = []): Generator<Buffer> {
  for (const [byte, child] of from.children) {
    const bytes = [...before, byte];
    yield Buffer.from(bytes);
    yield* waysDown(child, bytes);
  }
}

/** Undefined where there are no terms. */
export function biasTo(
  keywords: readonly string[] | undefined,
  vocabulary: TokenBytes,
): KeywordBias | undefined {
  return keywords && keywords.length > 0 ? new KeywordBias(keywords, vocabulary) : undefined;
}

export const noBias = new KeywordBias([], new TokenBytes([]));

function walk(from: Node, bytes: Uint8Array): Node | undefined {
  let node: Node | undefined = from;
  for (const byte of bytes) node = node?.children.get(byte);
  return bytes.length > 0 ? node : undefined;
}

/** As it was given and as it stands at the beginning of a sentence; a word begins with a space. */
function spellings(keyword: string): string[] {
  const term = keyword.trim().replace(/\s+/gu, ' ');
  const [first = ''] = term;
  const before = unspacedScript.test(first) ? '' : ' ';
  return [...new Set([term, first.toUpperCase() + term.slice(first.length)])].map((one) => before + one);
}

function continuesWord(bytes: Uint8Array): boolean {
  const [first = ''] = Buffer.from(bytes).toString();
  return /[\p{L}\p{N}]/u.test(first) && !unspacedScript.test(first);
}
