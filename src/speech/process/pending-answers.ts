import type { SpeechAnswer } from './speech-message.ts';

/**
 * The requests that a speech process has not answered yet. An answer goes to the request with its id, in whatever order
 * answers come; one that nobody waits for is dropped.
 */
export class PendingAnswers {
  readonly #waiting = new Map<number, PromiseWithResolvers<SpeechAnswer>>();

  of(id: number): Promise<SpeechAnswer> {
    const answer = Promise.withResolvers<SpeechAnswer>();
    this.#waiting.set(id, answer);
    return answer.promise;
  }

  settle(answer: SpeechAnswer): void {
    this.#waiting.get(answer.id)?.resolve(answer);
    this.#waiting.delete(answer.id);
  }

  rejectAll(error: Error): void {
    for (const answer of this.#waiting.values()) answer.reject(error);
    this.#waiting.clear();
  }
}
