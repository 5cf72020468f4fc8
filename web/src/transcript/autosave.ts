/** Sends what was edited soon after it was, and goes on trying for as long as the page is open. */
import { signal } from '@preact/signals';
import { LonghandError } from 'longhand-client';
import type { Draft } from './draft.ts';
import type { Outbox } from './outbox.ts';
import type { Edition, TranscriptRequests } from './transcript-requests.ts';

/** `disputed`: the person has to choose. `kept`: the service does not answer, the browser has it. `unkept`: nor has the browser room for it. */
export type SaveState = 'saved' | 'saving' | 'disputed' | 'kept' | 'unkept' | 'signed-out' | 'refused';

const pauseMs = 700;
const retryFirstMs = 1_000;
const retryMostMs = 20_000;
const answerWithinMs = 20_000;
const linesPerCall = 300;

export interface AutosaveDeps {
  draft: Draft;
  outbox: Outbox;
  requests: TranscriptRequests;
  /** Lines have changed by what the service said. */
  onAnswer(edition: Edition | undefined): void;
}

export class Autosave {
  readonly state = signal<SaveState>('saved');
  readonly #deps: AutosaveDeps;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(deps: AutosaveDeps) {
    this.#deps = deps;
    addEventListener('online', this.#online);
    addEventListener('pagehide', this.#leave);
    if (deps.draft.pending.length > 0) this.changed();
  }

  /** Something was edited: kept by the browser at once, sent in a moment. */
  changed(): void {
    const isKept = this.#keep();
    if (this.#failures === 0) this.state.value = isKept ? 'saving' : 'unkept';
    if (this.#failures === 0) this.#schedule(pauseMs);
  }

  /** Resolves when everything that can be sent was sent, or could not be. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    removeEventListener('online', this.#online);
    removeEventListener('pagehide', this.#leave);
    this.#keep();
    this.#deps.outbox.close();
  }

  readonly #online = () => {
    this.#failures = 0;
    this.#schedule(0);
  };

  readonly #leave = () => {
    this.#keep();
    if (this.#deps.draft.toSend(1).length > 0) void this.flush();
  };

  #keep(): boolean {
    return this.#deps.outbox.keep(this.#deps.draft.pending, Date.now());
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.flush(), ms);
  }

  async #sendAll(): Promise<void> {
    const { draft } = this.#deps;
    try {
      // Each round sends something or settles a dispute; the bound is for a service that contradicts itself.
      for (let round = 0; round < 200 && draft.toSend(1).length > 0; round += 1) {
        this.state.value = 'saving';
        await this.#send();
      }
      this.#failures = 0;
      this.state.value = draft.pending.length > 0 ? 'disputed' : 'saved';
    } catch (error) {
      this.#failed(error);
    }
    this.#keep();
  }

  async #send(): Promise<void> {
    const { draft, requests, onAnswer } = this.#deps;
    const sent = draft.toSend(linesPerCall);
    const answer = await requests.change(sent, AbortSignal.timeout(answerWithinMs));
    if ('refused' in answer) {
      draft.refused(answer.refused);
      onAnswer(undefined);
      return;
    }
    draft.accepted(sent, answer.lines);
    onAnswer(answer);
  }

  #failed(error: unknown): void {
    const isKept = this.#keep();
    const { code, status = 0 } = error instanceof LonghandError ? error : { code: '', status: 0 };
    if (code === 'sign_in_required') this.state.value = 'signed-out';
    else if (status >= 400 && status < 500 && status !== 408 && status !== 429) this.state.value = 'refused';
    else {
      this.state.value = isKept ? 'kept' : 'unkept';
      this.#schedule(Math.min(retryMostMs, retryFirstMs * 2 ** this.#failures));
      this.#failures += 1;
    }
  }
}
