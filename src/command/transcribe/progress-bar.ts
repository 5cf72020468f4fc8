import type { Clock } from '../../platform/clock.ts';
import { remainingSeconds } from './remaining-time.ts';

const width = 20;
const drawEveryMs = 500;

export interface ProgressView {
  /** What is being done, for people. */
  stage: string;
  /** Of the whole, 0 to 1. */
  fraction: number;
}

/** One line on a terminal that says how far the work is, from the first second on; silent anywhere else. */
export class ProgressBar {
  readonly #terminal: NodeJS.WriteStream;
  readonly #clock: Clock;
  readonly #expectedSeconds: number;
  readonly #startedAtMs: number;
  readonly #stopDrawing: () => void;
  #view: ProgressView = { stage: 'starting', fraction: 0 };
  #isDrawn = false;

  constructor(
    terminal: NodeJS.WriteStream,
    { clock, expectedSeconds }: { clock: Clock; expectedSeconds: number },
  ) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#expectedSeconds = expectedSeconds;
    this.#startedAtMs = clock.now();
    this.#stopDrawing = terminal.isTTY ? clock.every(drawEveryMs, () => this.#draw()) : () => {};
    this.#draw();
  }

  show(view: ProgressView): void {
    this.#view = view;
  }

  /** Makes room for a line of the command itself. */
  clear(): void {
    if (this.#isDrawn) this.#terminal.write('\r\x1b[K');
    this.#isDrawn = false;
  }

  stop(): void {
    this.#stopDrawing();
    this.clear();
  }

  #draw(): void {
    if (!this.#terminal.isTTY) return;
    const elapsedSeconds = (this.#clock.now() - this.#startedAtMs) / 1000;
    const line = progressLine(this.#view, { elapsedSeconds, expectedSeconds: this.#expectedSeconds });
    const columns = Math.max(20, (this.#terminal.columns ?? 80) - 1);
    this.#terminal.write(`\r${[...line].slice(0, columns).join('')}\x1b[K`);
    this.#isDrawn = true;
  }
}

export function progressLine(
  { stage, fraction }: ProgressView,
  { elapsedSeconds, expectedSeconds }: { elapsedSeconds: number; expectedSeconds: number },
): string {
  const left = remainingSeconds(expectedSeconds, { elapsedSeconds, fraction });
  return `${progressBarText(fraction)}  ${clockText(elapsedSeconds)}, about ${roughText(left)} left  ${stage}`;
}

export function progressBarText(fraction: number): string {
  const filled = Math.round(width * fraction);
  const percent = String(Math.floor(100 * fraction)).padStart(3);
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${percent} %`;
}

/** 0:42, 12:05, 1:02:03. */
function clockText(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** As exact as an estimate can be. */
function roughText(seconds: number): string {
  if (seconds < 10) return `${Math.max(1, Math.ceil(seconds))} s`;
  if (seconds < 60) return `${Math.ceil(seconds / 5) * 5} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
