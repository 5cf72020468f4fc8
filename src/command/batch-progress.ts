import type { Progress } from '../transcription/progress.ts';
import type { ProgressView } from './progress-bar.ts';
import type { Recording } from './recordings.ts';

const stageNames: Readonly<Record<Progress['stage'], string>> = {
  queued: 'waiting',
  fetching: 'reading',
  decoding: 'decoding',
  recognising: 'transcribing',
  finishing: 'finishing',
  done: 'finishing',
};
/** What a link or standard input counts for beside files, of which the size is known. */
const bytesUnknown = 10_000_000;

/** How far several recordings are together, each weighing as much as it has bytes. */
export class BatchProgress {
  readonly #recordings: readonly Recording[];
  readonly #weights: readonly number[];
  readonly #fractions: number[];
  #ended = 0;

  constructor(recordings: readonly Recording[]) {
    this.#recordings = recordings;
    this.#weights = recordings.map(({ media }) => (media.kind === 'file' ? media.sizeBytes : bytesUnknown));
    this.#fractions = recordings.map(() => 0);
  }

  reached(index: number, progress: Progress): ProgressView {
    this.#fractions[index] = progress.percent / 100;
    return this.#view(index, this.#stageName(index, progress.stage));
  }

  ended(index: number): ProgressView {
    this.#fractions[index] = 1;
    this.#ended++;
    return this.#view(index, stageNames.done);
  }

  #stageName(index: number, stage: Progress['stage']): string {
    const isLink = this.#recordings[index]?.media.kind === 'link';
    return stage === 'fetching' && isLink ? 'downloading' : stageNames[stage];
  }

  #view(index: number, stage: string): ProgressView {
    const total = this.#recordings.length;
    const count = total > 1 ? `${Math.min(total, this.#ended + 1)} of ${total}, ` : '';
    return { stage: `${count}${stage} ${this.#recordings[index]?.label}`, fraction: this.#fraction() };
  }

  #fraction(): number {
    const sum = this.#weights.reduce((known, weight) => known + weight, 0);
    const done = this.#weights.reduce((known, weight, i) => known + weight * (this.#fractions[i] ?? 0), 0);
    return sum === 0 ? 0 : done / sum;
  }
}
