/** How many bodies are read at once. One account never holds all slots: a body that comes slowly keeps its own for long. */
import { OpenAiError } from './openai-error.ts';

export interface BodySlotsOptions {
  total: number;
  perAccount: number;
  /** What the caller may do instead. */
  advice: string;
}

export class BodySlots {
  readonly #options: BodySlotsOptions;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(options: BodySlotsOptions) {
    this.#options = options;
  }

  async use<Result>(accountId: string, work: () => Promise<Result>): Promise<Result> {
    const own = this.#held.get(accountId) ?? 0;
    if (this.#total >= this.#options.total || own >= this.#options.perAccount) throw this.#refusal();
    this.#total += 1;
    this.#held.set(accountId, own + 1);
    try {
      return await work();
    } finally {
      this.#release(accountId);
    }
  }

  #release(accountId: string): void {
    this.#total -= 1;
    const left = (this.#held.get(accountId) ?? 1) - 1;
    if (left > 0) this.#held.set(accountId, left);
    else this.#held.delete(accountId);
  }

  #refusal(): OpenAiError {
    return new OpenAiError(`Too many recordings come at once. ${this.#options.advice}`, {
      status: 429,
      code: 'rate_limit_exceeded',
      headers: { 'retry-after': '2' },
    });
  }
}
