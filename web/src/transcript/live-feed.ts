/** A transcript while it is made: its lines as they come, how far it is, and its end. */
import { type Signal, signal } from '@preact/signals';
import type { TranscriptionProgress } from 'longhand-client';
import { longhand } from '../request.ts';
import type { Editor } from './editor.ts';
import type { Line } from './line.ts';
import type { Reading } from './reading.ts';
import type { TranscriptFacts, TranscriptRequests } from './transcript-requests.ts';

export interface LiveProgress {
  stage: TranscriptionProgress['stage'];
  secondsLeft: number | null;
  doneSeconds: number | null;
  totalSeconds: number | null;
}

interface LiveFeedDeps {
  facts: Signal<TranscriptFacts>;
  editor: Editor;
  reading: Reading;
  requests: TranscriptRequests;
}

/** How often it is asked whether the sound can be played by now. */
const soundEveryMs = 3_000;

export class LiveFeed {
  readonly progress = signal<LiveProgress | undefined>(undefined);
  readonly #deps: LiveFeedDeps;
  readonly #left = new AbortController();
  readonly #sound: ReturnType<typeof setInterval>;

  /** `ended`: the page is to be read anew, because the job failed or is gone. */
  constructor(deps: LiveFeedDeps, ended: () => void) {
    this.#deps = deps;
    this.#sound = setInterval(() => void this.#lookForSound(), soundEveryMs);
    void this.#lookForSound();
    void this.#follow()
      .then(() => this.#complete())
      .then(
        (isComplete) => {
          if (!isComplete) ended();
        },
        () => {
          if (!this.#left.signal.aborted) ended();
        },
      );
  }

  close(): void {
    clearInterval(this.#sound);
    this.#left.abort();
  }

  async #follow(): Promise<void> {
    const { signal: left } = this.#left;
    const { editor, facts } = this.#deps;
    for await (const event of longhand.transcriptions.events(facts.peek().id, { signal: left })) {
      if (event.type === 'text') {
        const from = event.data.sequence - event.data.segments.length;
        editor.heard(event.data.segments.map((segment, i) => liveLine(segment, from + i)));
      } else if (event.type === 'progress') this.progress.value = progressOf(event.data);
      else return;
    }
  }

  /** False when there is no transcript to show. */
  async #complete(): Promise<boolean> {
    const { editor, facts, reading, requests } = this.#deps;
    clearInterval(this.#sound);
    await editor.save.flush();
    const [read, changes] = [await requests.read(), await requests.since(0)];
    this.#left.signal.throwIfAborted();
    if (!read.edition) return false;
    editor.completed(read.edition, changes);
    reading.words.forget();
    reading.know(read.facts);
    facts.value = read.facts;
    return true;
  }

  async #lookForSound(): Promise<void> {
    const { facts, reading, requests } = this.#deps;
    try {
      const read = await requests.read();
      if (this.#left.signal.aborted || read.facts.status !== 'processing' || !read.facts.media) return;
      clearInterval(this.#sound);
      reading.know(read.facts);
      facts.value = read.facts;
    } catch {
      // It is asked again.
    }
  }
}

function liveLine(segment: { start: number; end: number; text: string }, index: number): Line {
  const { start, end, text } = segment;
  // The id that the service gives the line, too.
  const id = `m${String(index).padStart(6, '0')}`;
  return { id, startMs: Math.round(start * 1000), endMs: Math.round(end * 1000), text, speaker: null };
}

function progressOf(data: TranscriptionProgress): LiveProgress {
  return {
    stage: data.stage,
    secondsLeft: data.seconds_left,
    doneSeconds: data.audio_seconds_done,
    totalSeconds: data.audio_seconds_total,
  };
}
