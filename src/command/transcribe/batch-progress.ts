import type { Progress } from '../../transcription/progress.ts';
import type { ProgressBar } from './progress-bar.ts';
import type { Recording } from './recordings.ts';

/** How far one recording is, here or on a server, where it has to be sent first. */
export interface ShownProgress {
  stage: Progress['stage'] | 'uploading';
  percent: number;
}

/** What people see while recordings are worked on. */
export interface BatchDisplay {
  reached(index: number, progress: ShownProgress): void;
  ended(index: number): void;
  /** Makes room for a line of the command itself. */
  clear(): void;
  stop(): void;
}

/** Where the text itself is shown while it is made. */
export const silentDisplay: BatchDisplay = {
  reached: () => {},
  ended: () => {},
  clear: () => {},
  stop: () => {},
};

const stageNames: Readonly<Record<ShownProgress['stage'], string>> = {
  uploading: 'uploading',
  queued: 'waiting',
  fetching: 'reading',
  decoding: 'decoding',
  recognising: 'transcribing',
  finishing: 'finishing',
  done: 'finishing',
};
/** What a link or standard input counts for beside files, of which the size is known. */
const bytesUnknown = 10_000_000;

export function stageName(stage: ShownProgress['stage'], { media }: Recording): string {
  return stage === 'fetching' && media.kind === 'link' ? 'downloading' : stageNames[stage];
}

/** How far several recordings are together, each weighing as much as it has bytes: one line for all. */
export class BatchProgress implements BatchDisplay {
  readonly #recordings: readonly Recording[];
  readonly #weights: readonly number[];
  readonly #fractions: number[];
  readonly #bar: ProgressBar;
  #ended = 0;

  constructor(recordings: readonly Recording[], bar: ProgressBar) {
    this.#recordings = recordings;
    this.#weights = recordings.map(({ media }) => (media.kind === 'file' ? media.sizeBytes : bytesUnknown));
    this.#fractions = recordings.map(() => 0);
    this.#bar = bar;
  }

  reached(index: number, { percent, stage }: ShownProgress): void {
    this.#fractions[index] = percent / 100;
    this.#show(index, stage);
  }

  ended(index: number): void {
    this.#fractions[index] = 1;
    this.#ended++;
    this.#show(index, 'done');
  }

  clear(): void {
    this.#bar.clear();
  }

  stop(): void {
    this.#bar.stop();
  }

  #show(index: number, stage: ShownProgress['stage']): void {
    const recording = this.#recordings[index];
    if (!recording) return;
    const total = this.#recordings.length;
    const count = total > 1 ? `${Math.min(total, this.#ended + 1)} of ${total}, ` : '';
    const words = `${count}${stageName(stage, recording)} ${recording.label}`;
    this.#bar.show({ stage: words, fraction: this.#fraction() });
  }

  #fraction(): number {
    const sum = this.#weights.reduce((known, weight) => known + weight, 0);
    const done = this.#weights.reduce((known, weight, i) => known + weight * (this.#fractions[i] ?? 0), 0);
    return sum === 0 ? 0 : done / sum;
  }
}
