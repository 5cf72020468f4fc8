import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/telemetry/telemetry.ts';
import type { Dependency } from './step-fault.ts';

export interface OutagesDeps {
  clock: Clock;
  logger: Logger;
  /** Resolves when the dependency answers. What has no probe is tried again by the next task. */
  probes: Partial<Record<Dependency, () => Promise<void>>>;
  /** Tasks may be taken again. */
  onEnd(): void;
}

const firstPauseMs = 1_000;
/** With a probe, asking is cheap; without one, a task is spent on it. */
const probePauseMsMax = 5_000;
const pauseMsMax = 30_000;

interface Outage {
  /** Set while nothing that needs the dependency is taken. */
  isWaiting: boolean;
  pauses: number;
}

/**
 * What this worker found to be away. Meanwhile it takes no tasks that need it: they are left to workers that may reach
 * it, and nothing is tried over and over.
 */
export class Outages {
  readonly #deps: OutagesDeps;
  readonly #outages = new Map<Dependency, Outage>();
  readonly #stopping = new AbortController();

  constructor(deps: OutagesDeps) {
    this.#deps = deps;
  }

  /** Whether a step that needs these may be taken. */
  mayTake(...needed: readonly Dependency[]): boolean {
    return needed.every((of) => this.#outages.get(of)?.isWaiting !== true);
  }

  report(of: Dependency, error: unknown, retryAfterMs = 0): void {
    const known = this.#outages.get(of);
    if (known?.isWaiting) return;
    const outage = known ?? { isWaiting: true, pauses: 0 };
    outage.isWaiting = true;
    this.#outages.set(of, outage);
    if (!known) {
      this.#deps.logger.warn(
        { err: error, dependency: of },
        'something this worker needs is away; tasks that need it are left to others until it is back',
      );
    }
    void this.#waitOut(of, outage, retryAfterMs);
  }

  /** A step that needs these has succeeded. */
  succeeded(...needed: readonly Dependency[]): void {
    for (const of of needed) {
      if (this.#outages.get(of)?.isWaiting === false) this.#end(of);
    }
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #waitOut(of: Dependency, outage: Outage, retryAfterMs: number): Promise<void> {
    const { clock, probes, onEnd } = this.#deps;
    const probe = probes[of];
    const longestMs = probe ? probePauseMsMax : pauseMsMax;
    let isBack = false;
    while (!isBack) {
      const pauseMs = Math.min(longestMs, Math.max(retryAfterMs, firstPauseMs * 2 ** outage.pauses));
      outage.pauses += 1;
      try {
        await clock.sleep(pauseMs, this.#stopping.signal);
      } catch {
        return; // The worker stops.
      }
      isBack = !probe || (await answers(probe));
    }
    outage.isWaiting = false;
    if (probe) this.#end(of);
    onEnd();
  }

  #end(of: Dependency): void {
    this.#outages.delete(of);
    this.#deps.logger.info({ dependency: of }, 'what this worker needs is back');
  }
}

async function answers(probe: () => Promise<void>): Promise<boolean> {
  return await probe().then(
    () => true,
    () => false,
  );
}
