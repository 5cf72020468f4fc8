/** Passages that are recognised again: asked for, followed to their end, and taken over into the text. */
import { computed, signal } from '@preact/signals';
import { LonghandError } from 'longhand-client';
import type { Editor } from './editor.ts';
import type { Content, Line } from './line.ts';
import type { Rerun, RerunRequest, TranscriptRequests } from './transcript-requests.ts';

const lookEveryMs = 1_000;
const lookSeldomMs = 15_000;
/** A service that is away so long is asked again by the next visit. */
const failuresMax = 40;

interface RerunsDeps {
  requests: TranscriptRequests;
  editor: Editor;
  /** Lines were replaced, and their words are others now. */
  onDone(): void;
}

export class Reruns {
  /** Those that wait and those that failed. */
  readonly open = signal<readonly Rerun[]>([]);
  /** By the line that tells of it: the first that is still there. */
  readonly byLine = computed(() => {
    const lines = this.#deps.editor.lines.value;
    const known = this.open.value.length === 0 ? undefined : new Set(lines.map(({ id }) => id));
    return new Map(
      this.open.value.flatMap((rerun) => {
        const first = rerun.line_ids.find((id) => known?.has(id));
        return first === undefined ? [] : [[first, rerun] as const];
      }),
    );
  });
  readonly waitingIds = computed(
    () =>
      new Set(
        this.open.value.filter(({ status }) => status === 'waiting').flatMap(({ line_ids }) => line_ids),
      ),
  );
  readonly #deps: RerunsDeps;
  /** The lines of those that wait, as they were when this page first knew of it. */
  readonly #before = new Map<string, ReadonlyMap<string, Content>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(deps: RerunsDeps) {
    this.#deps = deps;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** What the service knows of; asks again for as long as something waits. */
  async look(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.#take(await this.#deps.requests.reruns());
      this.#failures = 0;
    } catch {
      this.#failures += 1;
    }
    const isWaiting = this.open.peek().some(({ status }) => status === 'waiting');
    const isSettled = !isWaiting && this.#failures === 0;
    if (this.#isClosed || isSettled || this.#failures > failuresMax) return;
    const pauseMs = Math.min(lookSeldomMs, lookEveryMs * 2 ** this.#failures);
    this.#timer = setTimeout(() => void this.look(), pauseMs);
  }

  /** Throws a LonghandError when it cannot be. */
  async ask(lines: readonly Line[], options: Omit<RerunRequest, 'lines'>): Promise<void> {
    const { editor, requests } = this.#deps;
    const seen = await editor.seen(lines.map(({ id }) => id));
    if (!seen) throw new LonghandError('The lines are not saved.', { code: 'not_saved' });
    const rerun = await requests.rerun({ ...options, lines: seen });
    this.#remember(rerun);
    await this.look();
  }

  /** Takes it back while it waits; afterwards it is forgotten. */
  async dismiss(id: string): Promise<void> {
    this.open.value = this.open.peek().filter((rerun) => rerun.id !== id);
    this.#before.delete(id);
    await this.#deps.requests.dismissRerun(id).catch(() => {});
    await this.look();
  }

  async #take(reruns: readonly Rerun[]): Promise<void> {
    if (this.#isClosed) return;
    for (const rerun of reruns) {
      if (rerun.status === 'waiting') this.#remember(rerun);
      const before = this.#before.get(rerun.id);
      if (rerun.status !== 'done' || !before) continue;
      await this.#deps.editor.reran(rerun, before);
      this.#before.delete(rerun.id);
      this.#deps.onDone();
    }
    this.open.value = reruns.filter(({ status }) => status !== 'done');
  }

  #remember({ id, line_ids }: Rerun): void {
    if (!this.#before.has(id)) this.#before.set(id, this.#deps.editor.contents(line_ids));
  }
}
