/**
 * Changes that the service does not have yet, kept by the browser so that neither a crash nor a lost connection costs
 * them. Each tab has its own; what a tab left behind that is gone, the next visit takes over.
 */
import type { Pending } from './draft.ts';

interface Kept {
  atMs: number;
  pending: Pending[];
}

const prefix = 'longhand-edits';
/** Without locks (a page that is not served securely) a tab that was silent for so long is gone. */
const silentMs = 30_000;

export class Outbox {
  readonly #name: string;
  #release: (() => void) | undefined;

  private constructor(name: string) {
    this.#name = name;
  }

  /** Opens this tab's outbox, with what earlier visits could not send. */
  static async open(transcriptId: string, nowMs: number): Promise<{ outbox: Outbox; left: Pending[] }> {
    const outbox = new Outbox(`${prefix}:${transcriptId}:${randomId()}`);
    await outbox.#hold();
    const left: Pending[] = [];
    for (const name of namesOf(transcriptId)) {
      if (name === outbox.#name || !(await isAbandoned(name, nowMs))) continue;
      left.push(...(read(name)?.pending ?? []));
      localStorage.removeItem(name);
    }
    outbox.keep(left, nowMs);
    return { outbox, left };
  }

  /** False where the browser keeps nothing: its storage is full or switched off. */
  keep(pending: readonly Pending[], nowMs: number): boolean {
    try {
      if (pending.length === 0) localStorage.removeItem(this.#name);
      else localStorage.setItem(this.#name, JSON.stringify({ atMs: nowMs, pending }));
      return true;
    } catch {
      return false;
    }
  }

  /** Somebody else may take over what is left in it. */
  close(): void {
    this.#release?.();
  }

  async #hold(): Promise<void> {
    if (!navigator.locks) return;
    const held = Promise.withResolvers<void>();
    const released = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    void navigator.locks.request(this.#name, () => {
      held.resolve();
      return released;
    });
    await held.promise;
  }
}

/** Sixteen hexadecimal digits; `crypto.randomUUID` exists only on pages that are served securely. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function namesOf(transcriptId: string): string[] {
  const names = Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i) ?? '');
  return names.filter((name) => name.startsWith(`${prefix}:${transcriptId}:`));
}

async function isAbandoned(name: string, nowMs: number): Promise<boolean> {
  if (!navigator.locks) return nowMs - (read(name)?.atMs ?? 0) > silentMs;
  return navigator.locks.request(name, { ifAvailable: true }, (lock) => lock !== null);
}

function read(name: string): Kept | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(name) ?? 'null') as Kept | null;
    return kept && Array.isArray(kept.pending) ? kept : undefined;
  } catch {
    return undefined;
  }
}
