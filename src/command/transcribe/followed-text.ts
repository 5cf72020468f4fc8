/** `--follow`: texts on standard output while they are made, one recording after the other in the order they were named. */
import type { Recording } from './recordings.ts';

export class FollowedText {
  readonly #recordings: readonly Recording[];
  readonly #write: (text: string) => void;
  /** Parts of texts whose turn has not come. */
  readonly #waiting: string[][];
  readonly #ended: boolean[] = [];
  #turn = 0;

  constructor(recordings: readonly Recording[], write: (text: string) => void) {
    this.#recordings = recordings;
    this.#write = write;
    this.#waiting = recordings.map(() => []);
    this.#begin();
  }

  add(index: number, text: string): void {
    if (index === this.#turn) this.#write(text);
    else this.#waiting[index]?.push(text);
  }

  ended(index: number): void {
    this.#ended[index] = true;
    while (this.#ended[this.#turn]) {
      this.#write(this.#recordings.length > 1 ? '\n\n' : '\n');
      this.#turn += 1;
      this.#begin();
    }
  }

  #begin(): void {
    const recording = this.#recordings[this.#turn];
    if (!recording) return;
    if (this.#recordings.length > 1) this.#write(`==> ${recording.name} <==\n`);
    for (const text of this.#waiting[this.#turn]?.splice(0) ?? []) this.#write(text);
  }
}
