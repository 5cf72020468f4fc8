/**
 * Receivers whose subscription has just ended. A claim that was under way at that moment may still bring deliveries
 * for them; these must not be sent.
 */
export class EndedReceivers {
  readonly #told = new Set<string>();
  readonly #untold = new Set<string>();

  has(subscriptionId: string): boolean {
    return this.#told.has(subscriptionId) || this.#untold.has(subscriptionId);
  }

  /** The database knows it already. */
  add(subscriptionId: string): void {
    this.#told.add(subscriptionId);
  }

  /** The receiver answered 410, and the database is still to be told. */
  addUntold(subscriptionId: string): void {
    this.#untold.add(subscriptionId);
  }

  tell(subscriptionId: string): void {
    if (this.#untold.delete(subscriptionId)) this.#told.add(subscriptionId);
  }

  /** A claim that begins now finds in the database what ended before, so there is nothing to remember. */
  beginClaim(): void {
    this.#told.clear();
  }
}
