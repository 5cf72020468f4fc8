import type { Clock } from '../../platform/clock.ts';
import { type BatchDisplay, type ShownProgress, stageName } from './batch-progress.ts';
import { progressBarText } from './progress-bar.ts';
import type { Recording } from './recordings.ts';

const drawEveryMs = 500;

/** A line on a terminal for each recording that is being worked on; silent anywhere else. */
export class ProgressLines implements BatchDisplay {
  readonly #terminal: NodeJS.WriteStream;
  readonly #recordings: readonly Recording[];
  readonly #stopDrawing: () => void;
  readonly #reached = new Map<number, ShownProgress>();
  #drawn = 0;

  constructor(
    terminal: NodeJS.WriteStream,
    { clock, recordings }: { clock: Clock; recordings: readonly Recording[] },
  ) {
    this.#terminal = terminal;
    this.#recordings = recordings;
    this.#stopDrawing = terminal.isTTY ? clock.every(drawEveryMs, () => this.#draw()) : () => {};
  }

  reached(index: number, progress: ShownProgress): void {
    this.#reached.set(index, progress);
  }

  ended(index: number): void {
    this.#reached.delete(index);
  }

  clear(): void {
    if (this.#drawn > 0) this.#terminal.write(`${toFirstLine(this.#drawn)}\x1b[J`);
    this.#drawn = 0;
  }

  stop(): void {
    this.#stopDrawing();
    this.clear();
  }

  #draw(): void {
    const { columns = 80, rows = 24 } = this.#terminal;
    const lines = [...this.#reached].toSorted(([a], [b]) => a - b).slice(0, Math.max(1, rows - 1));
    const texts = lines.map(([index, progress]) => {
      const recording = this.#recordings[index];
      const words = recording ? `${stageName(progress.stage, recording)} ${recording.label}` : '';
      return [...`${progressBarText(progress.percent / 100)}  ${words}`].slice(0, Math.max(20, columns - 1));
    });
    this.clear();
    this.#terminal.write(texts.map((characters) => characters.join('')).join('\n'));
    this.#drawn = texts.length;
  }
}

function toFirstLine(lines: number): string {
  return lines > 1 ? `\r\x1b[${lines - 1}A` : '\r';
}
