/** What reading and listening have in common: the place in the text, the sound, and the words in step with it. */
import { signal } from '@preact/signals';
import { mark, rangeIn } from './highlights.ts';
import type { Line } from './line.ts';
import { indexAt } from './line-edits.ts';
import type { LineListHandle } from './line-list.tsx';
import { type Peaks, parsedPeaks } from './peaks.ts';
import { Player } from './player.ts';
import type { TranscriptFacts, TranscriptRequests } from './transcript-requests.ts';
import { WordTimes, wordAt, wordAtOffset } from './word-times.ts';

const placeName = 'longhand-place';

export class Reading {
  readonly player = new Player();
  readonly words: WordTimes;
  readonly peaks = signal<Peaks | undefined>(undefined);
  readonly follows = signal(true);
  /** The line that is being said. */
  readonly saidId = signal<string | undefined>(undefined);
  lines: readonly Line[] = [];
  #list: LineListHandle | undefined;
  #isPlaced = false;
  readonly #id: string;
  readonly #requests: TranscriptRequests;

  constructor(id: string, requests: TranscriptRequests) {
    this.#id = id;
    this.#requests = requests;
    this.words = new WordTimes(requests);
    this.player.watchers.add((ms) => this.#said(ms));
    addEventListener('wheel', this.#wandered, { passive: true });
    addEventListener('touchmove', this.#wandered, { passive: true });
  }

  close(): void {
    removeEventListener('wheel', this.#wandered);
    removeEventListener('touchmove', this.#wandered);
    this.player.close();
    mark('now', []);
    mark('found', []);
  }

  /** What is known of the recording; more of it once its sound is there. */
  know({ duration_seconds: seconds, has_peaks: hasPeaks }: TranscriptFacts): void {
    if (seconds !== null && this.player.durationMs.peek() === 0)
      this.player.durationMs.value = seconds * 1000;
    if (hasPeaks && !this.peaks.peek()) void this.#loadPeaks();
  }

  async #loadPeaks(): Promise<void> {
    const response = await fetch(this.#requests.peaksUrl).catch(() => undefined);
    if (!response?.ok) return;
    const peaks = parsedPeaks(await response.arrayBuffer());
    this.peaks.value = peaks;
    this.player.peaks = peaks;
  }

  readonly listed = (list: LineListHandle): void => {
    this.#list = list;
    this.begin();
  };

  /** Where the address says, or where the reader was. */
  begin(): void {
    if (this.#isPlaced || !this.#list || this.lines.length === 0) return;
    this.#isPlaced = true;
    const wanted = Number(new URLSearchParams(location.search).get('t') ?? Number.NaN);
    if (Number.isFinite(wanted) && wanted >= 0) {
      this.player.seek(wanted * 1000);
      this.show(indexAt(this.lines, wanted * 1000));
      return;
    }
    const place = localStorage.getItem(`${placeName}:${this.#id}`);
    const index = place === null ? -1 : this.lines.findIndex(({ id }) => id === place);
    if (index > 0) this.#list.show(index, 'start');
  }

  readonly placed = (index: number): void => {
    const line = this.lines[index];
    if (!this.#isPlaced || !line) return;
    const name = `${placeName}:${this.#id}`;
    if (index === 0) localStorage.removeItem(name);
    else localStorage.setItem(name, line.id);
  };

  show(index: number, isSmooth = false): void {
    this.#list?.show(index, 'center', isSmooth);
  }

  readonly hear = async (line: Line, offset: number): Promise<void> => {
    await this.words.load(line.startMs);
    const word = wordAtOffset(this.words.of(line), offset);
    this.follows.value = true;
    await this.player.play(offset === 0 ? line.startMs : (word?.startMs ?? line.startMs));
  };

  /** When the text at this place of a line is said. */
  timeAt(line: Line, offset: number): number {
    const words = this.words.of(line);
    return (
      words.find(({ from }) => from >= offset)?.startMs ?? wordAtOffset(words, offset)?.endMs ?? line.endMs
    );
  }

  readonly #wandered = (event: Event): void => {
    // Whoever scrolls while it plays wants to look elsewhere; the button brings them back.
    if (this.player.isPlaying.value && !(event.target as HTMLElement).closest?.('.player, dialog'))
      this.follows.value = false;
  };

  #said(ms: number): void {
    const index = indexAt(this.lines, ms);
    const line = this.lines[index];
    if (!line) return;
    const isOther = this.saidId.peek() !== line.id;
    if (isOther) {
      this.saidId.value = line.id;
      void this.words.load(line.startMs);
      if (this.player.isPlaying.peek() && this.follows.peek()) this.show(index, true);
    }
    const word = ms <= line.endMs + 500 ? wordAt(this.words.of(line), ms) : undefined;
    const range = word && rangeIn(lineElement(line.id), word.from, word.to);
    mark('now', range ? [range] : []);
  }
}

export function lineElement(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-line="${CSS.escape(id)}"]`);
}
