/** One transcript that is open: its lines and speakers, and everything that can be done to them. */
import { computed, signal } from '@preact/signals';
import { Autosave } from './autosave.ts';
import { type Change, type Conflict, Draft } from './draft.ts';
import type { Content, Line } from './line.ts';
import { indexAt, joinChanges, passageOf, shiftChanges, speakerChanges, splitChanges } from './line-edits.ts';
import { Outbox, randomId } from './outbox.ts';
import { speakersIn } from './speaker-look.ts';
import type { Edition, Rerun, TranscriptRequests } from './transcript-requests.ts';

/** Above so many lines a change is the service's work: one call instead of many. */
const bulkFrom = 200;
const lookEveryMs = 20_000;

export class Editor {
  readonly lines = signal<readonly Line[]>([]);
  readonly speakers = signal<Readonly<Record<string, string>>>({});
  readonly conflicts = signal<readonly Conflict[]>([]);
  /** How often something can be taken back or done again: for the buttons. */
  readonly history = signal({ canUndo: false, canRedo: false });
  /** Ids of all speakers, in the order in which they first speak; the place decides the colour. */
  readonly speakerIds = computed(() => this.#sameSpeakers(speakersIn(this.lines.value, this.speakers.value)));
  readonly save: Autosave;
  readonly #draft: Draft;
  readonly #requests: TranscriptRequests;
  readonly #news: BroadcastChannel | undefined;
  readonly #look: ReturnType<typeof setInterval>;
  #revision: number;
  #speakerIds: readonly string[] = [];

  private constructor(
    requests: TranscriptRequests,
    draft: Draft,
    outbox: Outbox,
    edition: Edition,
    id: string,
  ) {
    this.#requests = requests;
    this.#draft = draft;
    this.#revision = edition.revision;
    this.speakers.value = edition.speakers;
    this.save = new Autosave({ draft, outbox, requests, onAnswer: (answer) => this.#answered(answer) });
    this.#news = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(`longhand:${id}`);
    if (this.#news) this.#news.onmessage = () => void this.look();
    this.#look = setInterval(() => void this.look(), lookEveryMs);
    document.addEventListener('visibilitychange', this.#shown);
    this.#show();
  }

  static async open(id: string, requests: TranscriptRequests, edition: Edition): Promise<Editor> {
    const { outbox, left } = await Outbox.open(id, Date.now());
    const draft = new Draft(edition.lines);
    draft.restore(left);
    return new Editor(requests, draft, outbox, edition, id);
  }

  close(): void {
    clearInterval(this.#look);
    document.removeEventListener('visibilitychange', this.#shown);
    this.#news?.close();
    this.save.close();
  }

  /** Lines that the machine has just made. */
  heard(lines: readonly Line[]): void {
    this.#draft.received(lines.map((line) => ({ ...line, revision: 0, isDeleted: false })));
    this.#show();
  }

  /** The transcript is complete: these are its lines, and what became of those that stood there before. */
  completed({ revision, speakers, lines }: Edition, changes: Edition): void {
    this.#draft.completed([...lines, ...changes.lines.filter(({ isDeleted }) => isDeleted)]);
    this.#revision = Math.max(this.#revision, revision);
    this.speakers.value = speakers;
    this.#show();
    this.save.changed();
  }

  type(id: string, text: string): void {
    const line = this.#draft.line(id);
    if (line) this.change([{ id, after: { ...line, text } }], id);
  }

  /** The id of the new line. */
  split(id: string, offset: number, atMs: number): string | undefined {
    const line = this.#draft.line(id);
    const newId = randomId();
    const changes = line && splitChanges(line, { offset, atMs, newId });
    if (!changes) return undefined;
    this.change(changes);
    return newId;
  }

  /** With the one before it. Gives where the two meet. */
  join(id: string): { id: string; offset: number } | undefined {
    const index = this.#draft.indexOf(id);
    const [first, second] = [this.#draft.lines[index - 1], this.#draft.lines[index]];
    if (!first || !second) return undefined;
    this.change(joinChanges(first, second));
    return { id: first.id, offset: first.text.trimEnd().length + (second.text.trim() === '' ? 0 : 1) };
  }

  remove(ids: readonly string[]): void {
    this.change(ids.map((id) => ({ id, after: null })));
  }

  assign(id: string, speaker: string | null, isPassage: boolean): void {
    const index = this.#draft.indexOf(id);
    const line = this.#draft.lines[index];
    if (!line) return;
    this.change(speakerChanges(isPassage ? passageOf(this.#draft.lines, index) : [line], speaker));
  }

  newSpeaker(): string {
    return `s${randomId()}`;
  }

  async shift(byMs: number, from?: string): Promise<void> {
    const lines = from === undefined ? this.#draft.lines : this.#draft.lines.slice(this.#draft.indexOf(from));
    if (lines.length === 0) return;
    if (lines.length < bulkFrom) return this.change(shiftChanges(lines, byMs));
    const fromMs = lines[0]?.startMs ?? 0;
    await this.#bulk('shift', { by_ms: Math.max(byMs, -fromMs), from_ms: fromMs, to_ms: null });
  }

  async replaceAll(body: {
    find: string;
    replacement: string;
    match_case: boolean;
    whole_words: boolean;
  }): Promise<number> {
    return await this.#bulk('replace', body);
  }

  async name(speaker: string, name: string): Promise<void> {
    this.#take(await this.#requests.edit('name', { speaker, name }));
  }

  async merge(from: string, into: string): Promise<void> {
    await this.#bulk('merge', { from, into });
  }

  contents(ids: readonly string[]): Map<string, Content> {
    return new Map(
      ids.flatMap((id) => {
        const line = this.#draft.line(id);
        return line ? [[id, line] as const] : [];
      }),
    );
  }

  /** These lines as the service has them, too; undefined when it could not be told of one. */
  async seen(ids: readonly string[]): Promise<{ id: string; base: number }[] | undefined> {
    await this.save.flush();
    const seen = ids.flatMap((id) => {
      const base = this.#draft.revisionOf(id);
      return base === undefined ? [] : [{ id, base }];
    });
    return seen.length === ids.length ? seen : undefined;
  }

  /** A passage was recognised again: one step to take back. `before`: its lines as they were. */
  async reran({ id, line_ids, revision }: Rerun, before: ReadonlyMap<string, Content>): Promise<void> {
    const edition = await this.#requests.since((revision ?? 1) - 1);
    const own = edition.lines.filter((line) => line_ids.includes(line.id) || line.id.startsWith(`${id}-`));
    this.#draft.changedInBulk(own, Date.now(), before);
    this.#take(edition);
  }

  change(changes: readonly Change[], typingIn?: string): void {
    this.#draft.change(changes, { atMs: Date.now(), ...(typingIn === undefined ? {} : { typingIn }) });
    this.#show();
    this.save.changed();
  }

  /** The line to look at afterwards. */
  undo(isRedo = false): string | undefined {
    const [first] = isRedo ? this.#draft.redo() : this.#draft.undo();
    this.#show();
    if (first !== undefined) this.save.changed();
    return first;
  }

  resolve(id: string, keep: 'mine' | 'theirs' | 'both'): void {
    this.#draft.resolve(id, keep);
    this.#show();
    this.save.changed();
  }

  indexOf(id: string): number {
    return this.#draft.indexOf(id);
  }

  indexAt(ms: number): number {
    return indexAt(this.#draft.lines, ms);
  }

  /** What others changed meanwhile. A service that is away is asked again later. */
  async look(): Promise<void> {
    if (document.visibilityState === 'hidden') return;
    try {
      this.#take(await this.#requests.since(this.#revision), { isNews: true });
    } catch {
      // Saving tells of it where it matters.
    }
  }

  readonly #shown = () => void this.look();

  /** Sends what is open first, so that the service works on what the person sees. */
  async #bulk(operation: 'replace' | 'shift' | 'merge', body: Record<string, unknown>): Promise<number> {
    await this.save.flush();
    const edition = await this.#requests.edit(operation, body);
    this.#draft.changedInBulk(edition.lines, Date.now());
    this.#take(edition);
    return edition.lines.length;
  }

  #answered(answer: Edition | undefined): void {
    if (answer) this.#take(answer);
    else this.#show();
  }

  #take(edition: Edition, { isNews = false } = {}): void {
    // A number that is further than one ahead means that somebody else wrote in between: the next look brings it.
    const isNext = isNews || edition.revision <= this.#revision + 1;
    if (isNext) this.#revision = Math.max(this.#revision, edition.revision);
    this.#draft.received(edition.lines);
    this.speakers.value = edition.speakers;
    this.#show();
    if (!isNews) this.#news?.postMessage(edition.revision);
    if (!isNext) void this.look();
  }

  /** The same list while it says the same: what depends on it is not drawn anew. */
  #sameSpeakers(ids: readonly string[]): readonly string[] {
    const known = this.#speakerIds;
    if (known.length !== ids.length || ids.some((id, i) => known[i] !== id)) this.#speakerIds = ids;
    return this.#speakerIds;
  }

  #show(): void {
    this.lines.value = this.#draft.lines;
    this.conflicts.value = this.#draft.conflicts;
    this.history.value = { canUndo: this.#draft.canUndo, canRedo: this.#draft.canRedo };
  }
}
