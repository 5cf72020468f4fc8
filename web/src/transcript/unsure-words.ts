/** Words that the machine was not sure of: marked where they stand, and found one after the other. */
import { signal } from '@preact/signals';
import { caretOffset, selectText } from './caret.ts';
import type { Editor } from './editor.ts';
import { mark, rangeIn } from './highlights.ts';
import type { Line } from './line.ts';
import { onceDrawn } from './once-drawn.ts';
import { lineElement, type Reading } from './reading.ts';
import type { HeardWord, TranscriptRequests } from './transcript-requests.ts';
import type { PlacedWord } from './word-times.ts';

/** Below this a word is often wrong. */
const unsurePercent = 50;
const switchName = 'longhand-unsure';
/** Whoever scrolls or writes is not disturbed: marks come when they pause. */
const drawAfterMs = 150;
/** Words that were mended are passed over; so many of them in one step. */
const passedMax = 500;

interface UnsureWordsDeps {
  requests: TranscriptRequests;
  reading: Reading;
  editor: Editor;
}

export class UnsureWords {
  readonly isMarked = signal(localStorage.getItem(switchName) !== 'off');
  /** Of the whole recording, in order of time. None where the engine does not tell. */
  readonly heard = signal<readonly HeardWord[]>([]);
  /** The one that was stepped to. */
  readonly current = signal<(PlacedWord & { text: string }) | undefined>(undefined);
  readonly #deps: UnsureWordsDeps;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(deps: UnsureWordsDeps) {
    this.#deps = deps;
    addEventListener('scroll', this.draw, { passive: true });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    removeEventListener('scroll', this.draw);
    mark('unsure', []);
  }

  /** A transcript without them is as good: what fails here is not told. */
  async load(): Promise<void> {
    const heard = await this.#deps.requests.wordsBelow(unsurePercent).catch(() => []);
    if (this.#isClosed) return;
    this.heard.value = heard;
    this.draw();
  }

  switch(isMarked: boolean): void {
    this.isMarked.value = isMarked;
    localStorage.setItem(switchName, isMarked ? 'on' : 'off');
    this.draw();
  }

  /** In a moment; what is marked stays until then. */
  readonly draw = (): void => {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#draw(), drawAfterMs);
  };

  /** The next one from where the person is, or the one before. */
  async step(direction: -1 | 1): Promise<void> {
    for (const [, ms] of inTurn(this.heard.peek(), this.#placeMs(direction), direction).slice(0, passedMax)) {
      const found = await this.#at(ms);
      if (found) return this.#show(found.line, found.word);
    }
    this.current.value = undefined;
  }

  #placeMs(direction: -1 | 1): number {
    const current = this.current.peek();
    const element = document.activeElement?.closest<HTMLElement>('[data-line]');
    const line = element && this.#lineOf(element);
    if (!line) return current?.startMs ?? -1;
    const offset = caretOffset(element);
    // A chosen word is the one that was stepped to.
    if (offset === undefined) return current?.startMs ?? line.startMs;
    // The word behind the caret is ahead.
    return this.#deps.reading.timeAt(line, offset) - (direction > 0 ? 1 : 0);
  }

  async #at(ms: number): Promise<{ line: Line; word: PlacedWord } | undefined> {
    const { reading, editor } = this.#deps;
    const line = editor.lines.peek()[editor.indexAt(ms)];
    if (!line) return undefined;
    await reading.words.load(line.startMs);
    const word = this.#unsureIn(line).find(({ startMs }) => startMs === ms);
    return word && { line, word };
  }

  #show(line: Line, word: PlacedWord): void {
    const { reading, editor } = this.#deps;
    this.current.value = { ...word, text: line.text.slice(word.from, word.to) };
    reading.follows.value = false;
    const show = () => reading.show(editor.indexOf(line.id));
    show();
    onceDrawn(
      line.id,
      (element) => {
        const range = rangeIn(element, word.from, word.to);
        if (range) selectText(element, range);
      },
      show,
    );
  }

  async #draw(): Promise<void> {
    if (!this.isMarked.peek() || this.heard.peek().length === 0) return mark('unsure', []);
    const { words } = this.#deps.reading;
    const drawn = [...document.querySelectorAll<HTMLElement>('.lines [data-line]')];
    const lines = drawn.flatMap((element) => this.#lineOf(element) ?? []);
    const [first, last] = [lines[0], lines.at(-1)];
    if (first && last) await Promise.all([words.load(first.startMs), words.load(last.startMs)]);
    if (this.#isClosed) return;
    mark(
      'unsure',
      lines.flatMap((line) => {
        const element = lineElement(line.id);
        // What is being typed is not in the line yet.
        if (element?.textContent !== line.text) return [];
        return this.#unsureIn(line).flatMap(({ from, to }) => rangeIn(element, from, to) ?? []);
      }),
    );
  }

  #unsureIn(line: Line): PlacedWord[] {
    const words = this.#deps.reading.words.of(line);
    return words.filter(({ confidence = 1 }) => confidence * 100 < unsurePercent);
  }

  #lineOf(element: HTMLElement): Line | undefined {
    const { editor } = this.#deps;
    return editor.lines.peek()[editor.indexOf(element.dataset.line ?? '')];
  }
}

/** Once round, beginning behind a time, or before it. */
function inTurn(all: readonly HeardWord[], fromMs: number, direction: -1 | 1): HeardWord[] {
  const passed = all.findIndex(([, ms]) => (direction > 0 ? ms > fromMs : ms >= fromMs));
  const at = passed < 0 ? all.length : passed;
  const turned = [...all.slice(at), ...all.slice(0, at)];
  return direction > 0 ? turned : turned.toReversed();
}
