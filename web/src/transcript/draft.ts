/** The text that somebody edits: what the service has, what was changed here since, and how to take that back. */
import { byTime, type Content, contentOf, isSame, type Line, merged, type ServerLine } from './line.ts';

/** A change that the service does not have yet: made of `base`, to be `mine`. */
export interface Pending {
  id: string;
  base: ServerLine | null;
  mine: Content | null;
}

export interface Change {
  id: string;
  after: Content | null;
}

interface Step {
  changes: { id: string; before: Content | null; after: Content | null }[];
  /** Typing in one line is one step, as long as it goes on. */
  typingIn: string | undefined;
  atMs: number;
}

/** Somebody else changed the same thing; the person decides. Null: there is no such line any more. */
export interface Conflict {
  id: string;
  mine: Content | null;
  theirs: ServerLine | null;
}

const stepsMax = 500;
const typingPauseMs = 1_500;

export class Draft {
  readonly #server = new Map<string, ServerLine>();
  readonly #pending = new Map<string, Pending>();
  readonly #conflicts = new Map<string, Conflict>();
  #lines: Line[];
  #index = new Map<string, number>();
  #done: Step[] = [];
  #undone: Step[] = [];

  constructor(lines: readonly ServerLine[]) {
    for (const line of lines) this.#server.set(line.id, line);
    this.#lines = [];
    this.#arrange(lines.filter(({ isDeleted }) => !isDeleted).map(({ id, ...line }) => lineOf(id, line)));
  }

  /** In order of time. Another array after each change. */
  get lines(): readonly Line[] {
    return this.#lines;
  }

  get pending(): readonly Pending[] {
    return [...this.#pending.values()];
  }

  get conflicts(): readonly Conflict[] {
    return [...this.#conflicts.values()];
  }

  get canUndo(): boolean {
    return this.#done.length > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  line(id: string): Line | undefined {
    const at = this.#index.get(id);
    return at === undefined ? undefined : this.#lines[at];
  }

  /** Of a line as the service last told it. */
  revisionOf(id: string): number | undefined {
    return this.#pending.has(id) ? undefined : this.#server.get(id)?.revision;
  }

  indexOf(id: string): number {
    return this.#index.get(id) ?? -1;
  }

  change(changes: readonly Change[], { typingIn, atMs }: { typingIn?: string; atMs: number }): void {
    const real = changes.filter(({ id, after }) => !isSame(this.line(id) ?? null, after));
    if (real.length === 0) return;
    const steps = real.map(({ id, after }) => ({ id, before: this.line(id) ?? null, after }));
    const last = this.#done.at(-1);
    const [only] = steps;
    const goesOn =
      typingIn !== undefined && last?.typingIn === typingIn && atMs - last.atMs < typingPauseMs && only;
    if (goesOn) {
      for (const step of last.changes) step.after = only.after;
      last.atMs = atMs;
    } else this.#done.push({ changes: steps, typingIn, atMs });
    if (this.#done.length > stepsMax) this.#done.shift();
    this.#undone = [];
    this.#apply(real);
  }

  /** The lines that changed; empty when there was nothing to take back. */
  undo(): string[] {
    return this.#step(this.#done, this.#undone, 'before');
  }

  redo(): string[] {
    return this.#step(this.#undone, this.#done, 'after');
  }

  /** What to send next: lines that nobody disputes. */
  toSend(most: number): Pending[] {
    return this.pending.filter(({ id }) => !this.#conflicts.has(id)).slice(0, most);
  }

  /** The service has taken these; what was changed here meanwhile is still to be sent. */
  accepted(sent: readonly Pending[], lines: readonly ServerLine[]): void {
    const told = new Map(lines.map((line) => [line.id, line]));
    for (const { id, mine } of sent) {
      const server = told.get(id) ?? null;
      if (server) this.#server.set(id, server);
      const now = this.#pending.get(id);
      if (!now) continue;
      if (isSame(now.mine, mine)) this.#pending.delete(id);
      else this.#pending.set(id, { ...now, base: server });
    }
    this.received(lines.filter(({ id }) => !sent.some((one) => one.id === id)));
  }

  /**
   * What the service changed for this person, in many lines at once: one step to take back. `known`: lines as they were
   * before, where the page may have been told of the change already.
   */
  changedInBulk(lines: readonly ServerLine[], atMs: number, known?: ReadonlyMap<string, Content>): void {
    const changes = lines.map((line) => ({
      id: line.id,
      before: (known ? known.get(line.id) : this.line(line.id)) ?? null,
      after: contentOf(line),
    }));
    this.received(lines);
    if (changes.length > 0) this.#done.push({ changes, typingIn: undefined, atMs });
    this.#undone = [];
  }

  /** Lines as they stand at the service now. */
  received(lines: readonly ServerLine[]): void {
    const changed: Change[] = [];
    for (const theirs of lines) {
      if ((this.#server.get(theirs.id)?.revision ?? -1) >= theirs.revision) continue;
      this.#server.set(theirs.id, theirs);
      const pending = this.#pending.get(theirs.id);
      if (pending) this.#reconcile(pending, theirs);
      else changed.push({ id: theirs.id, after: contentOf(theirs) });
    }
    this.#show(changed);
  }

  /** The transcript is complete: these are all lines that the service knows. */
  completed(lines: readonly ServerLine[]): void {
    const known = new Set(lines.map(({ id }) => id));
    const gone = [...this.#server.keys()].filter((id) => !known.has(id));
    for (const id of gone) {
      this.#server.delete(id);
      const pending = this.#pending.get(id);
      if (pending) this.#reconcile(pending, null);
    }
    this.#show(gone.filter((id) => !this.#pending.has(id)).map((id) => ({ id, after: null })));
    this.received(lines);
  }

  /** The service refused: these stand otherwise there. */
  refused(current: readonly { id: string; line: ServerLine | null }[]): void {
    for (const { id, line } of current) {
      if (line) this.#server.set(id, line);
      const pending = this.#pending.get(id);
      if (pending) this.#reconcile(pending, line);
    }
  }

  /** Changes that an earlier visit could not send. */
  restore(pending: readonly Pending[]): void {
    for (const one of pending) {
      const theirs = this.#server.get(one.id) ?? null;
      this.#pending.set(one.id, one);
      this.#show([{ id: one.id, after: one.mine }]);
      // Of a transcript that is being made, the line itself is told again.
      const isToCome = !theirs && one.base?.revision === 0;
      if (!isToCome && theirs?.revision !== one.base?.revision) this.#reconcile(one, theirs);
    }
  }

  resolve(id: string, keep: 'mine' | 'theirs' | 'both'): void {
    const conflict = this.#conflicts.get(id);
    if (!conflict) return;
    this.#conflicts.delete(id);
    const theirs = contentOf(conflict.theirs);
    const mine = this.line(id) ?? null;
    let after = keep === 'theirs' ? theirs : mine;
    if (keep === 'both' && mine && theirs) after = { ...mine, text: `${theirs.text} ${mine.text}` };
    this.#settle(id, conflict.theirs, after);
  }

  #reconcile({ id, base, mine }: Pending, theirs: ServerLine | null): void {
    const together = merged(contentOf(base), mine, contentOf(theirs));
    if (!together) {
      this.#conflicts.set(id, { id, mine, theirs });
      return;
    }
    this.#conflicts.delete(id);
    this.#settle(id, theirs, together.content);
  }

  /** From now on this line is made of theirs, and is to be so. */
  #settle(id: string, theirs: ServerLine | null, content: Content | null): void {
    if (isSame(contentOf(theirs), content)) this.#pending.delete(id);
    else this.#pending.set(id, { id, base: theirs, mine: content });
    this.#show([{ id, after: content }]);
  }

  #step(from: Step[], to: Step[], side: 'before' | 'after'): string[] {
    const step = from.pop();
    if (!step) return [];
    to.push({ ...step, typingIn: undefined });
    this.#apply(step.changes.map((change) => ({ id: change.id, after: change[side] })));
    return step.changes.map(({ id }) => id);
  }

  #apply(changes: readonly Change[]): void {
    for (const { id, after } of changes) {
      const server = this.#server.get(id) ?? null;
      const base = this.#pending.has(id) ? (this.#pending.get(id)?.base ?? null) : server;
      if (isSame(contentOf(base), after) && !this.#conflicts.has(id)) this.#pending.delete(id);
      else this.#pending.set(id, { id, base, mine: after });
      const conflict = this.#conflicts.get(id);
      if (conflict) this.#conflicts.set(id, { ...conflict, mine: after });
    }
    this.#show(changes);
  }

  #show(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const isInPlace = changes.every(({ id, after }) => {
      const line = this.line(id);
      return line && after && line.startMs === after.startMs && line.endMs === after.endMs;
    });
    if (isInPlace) {
      this.#lines = this.#lines.slice();
      for (const { id, after } of changes)
        if (after) this.#lines[this.#index.get(id) ?? 0] = lineOf(id, after);
      return;
    }
    const others = new Map(this.#lines.map((line) => [line.id, line]));
    for (const { id, after } of changes) {
      if (after) others.set(id, lineOf(id, after));
      else others.delete(id);
    }
    this.#arrange([...others.values()]);
  }

  #arrange(lines: Line[]): void {
    this.#lines = lines.sort(byTime);
    this.#index = new Map(this.#lines.map(({ id }, index) => [id, index]));
  }
}

function lineOf(id: string, { startMs, endMs, text, speaker }: Content): Line {
  return { id, startMs, endMs, text, speaker };
}
