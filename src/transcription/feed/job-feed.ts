import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { LedSegment } from '../../transcript/segment.ts';
import { LiveTranscript, ledSegments } from '../../transcript/transcript.ts';
import type { Progress } from '../progress.ts';
import { progressStore } from '../progress-store.ts';
import { chunkStore } from '../step/chunk-store.ts';
import type { EndedTranscription } from '../transcription.ts';
import { transcriptionStore } from '../transcription-store.ts';

export type JobEvent =
  | { kind: 'progress'; progress: Progress }
  /** Segments that are final, in order; `sequence` is how many there are up to the last of these. */
  | { kind: 'text'; sequence: number; segments: readonly LedSegment[] }
  | { kind: 'ended'; job: EndedTranscription };

const chunksPerRead = 100;
const segmentsPerEvent = 200;
/** Changes that come faster are told together. */
const refreshEveryMs = 200;
const faultPauseMs = 2_000;

/**
 * One job that somebody in this process follows, read from its rows and shared by all its readers. Nothing of it is
 * remembered elsewhere: another process reads the same from the same rows.
 */
export class JobFeed {
  readonly #deps: { db: Queryable; clock: Clock };
  readonly #accountId: string;
  readonly #id: string;
  readonly #live = new LiveTranscript();
  readonly #segments: LedSegment[] = [];
  #chunks = 0;
  #progress: Progress | undefined;
  #ended: EndedTranscription | undefined;
  #isGone = false;
  #isClosed = false;
  #isDirty = true;
  #refreshing: Promise<void> | undefined;
  readonly #readers = new Set<() => void>();

  constructor(deps: { db: Queryable; clock: Clock }, { accountId, id }: { accountId: string; id: string }) {
    this.#deps = deps;
    this.#accountId = accountId;
    this.#id = id;
  }

  /** Something about the job may have changed. */
  invalidate(): void {
    this.#isDirty = true;
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
      if (this.#isDirty && this.isOpen) this.invalidate();
    });
  }

  /** Nobody reads it any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whether it may still change. */
  get isOpen(): boolean {
    return !this.#ended && !this.#isGone && !this.#isClosed;
  }

  /** Everything from the segment after `sequence` on, then what comes, until the job ends or is gone. */
  async *events(sequence: number, signal: AbortSignal): AsyncGenerator<JobEvent> {
    let next = Math.max(0, sequence);
    let told: Progress | undefined;
    // A promise for each wait: many waits on one that stays would pile up in it as long as the reader reads.
    let woken = Promise.withResolvers<void>();
    const wake = () => woken.resolve();
    this.#readers.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    this.invalidate();
    try {
      while (!signal.aborted) {
        woken = Promise.withResolvers<void>();
        if (this.#isGone) return;
        while (next < this.#segments.length) {
          const segments = this.#segments.slice(next, next + segmentsPerEvent);
          next += segments.length;
          yield { kind: 'text', sequence: next, segments };
        }
        if (this.#ended) {
          yield { kind: 'ended', job: this.#ended };
          return;
        }
        if (this.#progress && this.#progress !== told) {
          told = this.#progress;
          yield { kind: 'progress', progress: told };
        }
        if (!signal.aborted) await woken.promise;
      }
    } finally {
      this.#readers.delete(wake);
      signal.removeEventListener('abort', wake);
    }
  }

  async #refresh(): Promise<void> {
    while (this.#isDirty && this.isOpen) {
      this.#isDirty = false;
      let pauseMs = refreshEveryMs;
      try {
        await this.#read();
        for (const wake of this.#readers) wake();
      } catch {
        // A database that is away costs a delay, not the stream.
        this.#isDirty = true;
        pauseMs = faultPauseMs;
      }
      if (this.isOpen) await this.#deps.clock.sleep(pauseMs);
    }
  }

  async #read(): Promise<void> {
    const { db } = this.#deps;
    const progress = await progressStore.find(db, this.#id);
    if (!progress) {
      this.#isGone = true;
      return;
    }
    if (progress.status === 'processing') await this.#readChunks();
    else await this.#readEnd();
    // The same object as long as nothing has changed: readers are told once.
    if (!isDeepStrictEqual(progress, this.#progress)) this.#progress = progress;
  }

  async #readChunks(): Promise<void> {
    const range = { from: this.#chunks, limit: chunksPerRead };
    const chunks = await chunkStore.utterancesFrom(this.#deps.db, this.#id, range);
    this.#chunks += chunks.length;
    for (const utterance of chunks.flat()) this.#segments.push(...this.#live.add(utterance));
    if (chunks.length === chunksPerRead) this.#isDirty = true;
  }

  /** Where speakers are told apart the segments are others than before; then only the end gives them. */
  async #readEnd(): Promise<void> {
    const job = await transcriptionStore.findOwned(this.#deps.db, this.#accountId, this.#id);
    if (!job) this.#isGone = true;
    if (!job || job.status === 'processing') return;
    if (job.status === 'completed' && !job.options.speakerDiarization) {
      this.#segments.push(...ledSegments(job).slice(this.#segments.length));
    }
    this.#ended = job;
  }
}
