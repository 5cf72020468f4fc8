/** When each word of a line is said. The machine's words are fetched where somebody looks or listens. */
import { editedWords } from '../../../src/transcript/edited-words.ts';
import type { Line } from './line.ts';
import type { HeardWord, TranscriptRequests } from './transcript-requests.ts';

export interface PlacedWord {
  /** Where it stands in the text of its line. */
  from: number;
  to: number;
  startMs: number;
  endMs: number;
  /** How sure the machine is, from 0 to 1, where it tells. */
  confidence: number | undefined;
}

const windowMs = 300_000;
/** Of five minutes each; two hours of words are enough to have at hand. */
const windowsMax = 24;

const nothing: readonly HeardWord[] = [];

export class WordTimes {
  readonly #requests: TranscriptRequests;
  readonly #windows = new Map<number, readonly HeardWord[] | Promise<void>>();
  /** A line that did not change is the same object. */
  readonly #placed = new WeakMap<Line, { heard: readonly HeardWord[]; words: PlacedWord[] }>();

  constructor(requests: TranscriptRequests) {
    this.#requests = requests;
  }

  /** Fetches the words around a time. Without them the words of a line share its time by their letters. */
  async load(ms: number): Promise<void> {
    const number = Math.floor(Math.max(0, ms) / windowMs);
    const known = this.#windows.get(number);
    if (known) return known instanceof Promise ? known : undefined;
    const loading = this.#fetch(number);
    this.#windows.set(number, loading);
    await loading;
  }

  /** What was fetched while the transcript was made: the words are known only at its end. */
  forget(): void {
    this.#windows.clear();
  }

  of(line: Line): readonly PlacedWord[] {
    const heard = this.#heard(line.startMs);
    const known = this.#placed.get(line);
    if (known?.heard === heard) return known.words;
    const words = placed(line, heard);
    this.#placed.set(line, { heard, words });
    return words;
  }

  #heard(ms: number): readonly HeardWord[] {
    const heard = this.#windows.get(Math.floor(ms / windowMs));
    return heard === undefined || heard instanceof Promise ? nothing : heard;
  }

  async #fetch(number: number): Promise<void> {
    try {
      // Some seconds more, for the line that lies across the edge.
      const words = await this.#requests.words(number * windowMs, (number + 1) * windowMs + 30_000);
      this.#windows.set(number, words);
      const [oldest] = this.#windows.keys();
      if (this.#windows.size > windowsMax && oldest !== undefined) this.#windows.delete(oldest);
    } catch {
      this.#windows.delete(number);
    }
  }
}

function placed(line: Line, heard: readonly HeardWord[]): PlacedWord[] {
  let from = 0;
  return editedWords(line, heard).flatMap(([text, startMs, endMs, , confidence]) => {
    const word = text.trim();
    const at = line.text.indexOf(word, from);
    if (at < 0) return [];
    from = at + word.length;
    return [{ from: at, to: from, startMs, endMs, confidence }];
  });
}

/** The word that is said at a time, or was said last. */
export function wordAt(words: readonly PlacedWord[], ms: number): PlacedWord | undefined {
  return words.findLast(({ startMs }) => startMs <= ms) ?? words[0];
}

/** The word at a place of the text. */
export function wordAtOffset(words: readonly PlacedWord[], offset: number): PlacedWord | undefined {
  return words.findLast(({ from }) => from <= offset) ?? words[0];
}
