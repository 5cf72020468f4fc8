/** One thing that Longhand needs, looked at within a limit, and not more often than its answer changes. */
import type { Clock } from '../platform/clock.ts';

export type Verdict = 'ok' | 'warning' | 'problem';

export interface Finding {
  name: string;
  verdict: Verdict;
  /** What is there, or what to do. */
  text: string;
}

type Look = () => Promise<{ verdict: Verdict; text: string }>;

const lookWithinMs = 8_000;
/** What is missing may be mended at any moment. */
const problemKeptMs = 1_000;

export class Check {
  readonly name: string;
  readonly #look: Look;
  readonly #keepMs: number;
  readonly #clock: Clock;
  #kept: { untilMs: number; finding: Promise<Finding> } | undefined;
  #running: Promise<Finding> | undefined;

  constructor(options: { name: string; keepMs: number; clock: Clock; look: Look }) {
    this.name = options.name;
    this.#look = options.look;
    this.#keepMs = options.keepMs;
    this.#clock = options.clock;
  }

  async finding(): Promise<Finding> {
    if (this.#kept && this.#clock.now() < this.#kept.untilMs) return this.#kept.finding;
    const finding = this.#withinLimit();
    this.#kept = { untilMs: Number.POSITIVE_INFINITY, finding };
    const keptMs = (await finding).verdict === 'problem' ? problemKeptMs : this.#keepMs;
    this.#kept = { untilMs: this.#clock.now() + keptMs, finding };
    return finding;
  }

  async #withinLimit(): Promise<Finding> {
    // A look that hangs is waited for again, not started a second time.
    this.#running ??= this.#run();
    const done = new AbortController();
    const late = this.#clock
      .sleep(lookWithinMs, done.signal)
      .then(() => this.#problem(`no answer within ${lookWithinMs / 1000} s.`));
    late.catch(() => {}); // The look was quicker.
    try {
      return await Promise.race([this.#running, late]);
    } finally {
      done.abort();
    }
  }

  async #run(): Promise<Finding> {
    try {
      return { name: this.name, ...(await this.#look()) };
    } catch (error) {
      return this.#problem(`${(error as Error).message}.`);
    } finally {
      this.#running = undefined;
    }
  }

  #problem(text: string): Finding {
    return { name: this.name, verdict: 'problem', text };
  }
}

export async function findingsOf(checks: readonly Check[]): Promise<Finding[]> {
  return Promise.all(checks.map((check) => check.finding()));
}

/** What of it is missing; empty when everything is there. */
export async function problemsOf(checks: readonly Check[]): Promise<Finding[]> {
  return (await findingsOf(checks)).filter(({ verdict }) => verdict === 'problem');
}
