/** Lanes that are remembered; a lane that was forgotten counts as never served. */
const rememberedMax = 10_000;

/**
 * Whose turn it is among the lanes of one queue, as this process has served them: the lane with the fewest tasks
 * running here goes first, among those the one that has waited longest since its last turn. Each worker being fair, all
 * of them together are, and nothing has to be written down for it.
 */
export class Turns {
  readonly #perLaneMax: number;
  readonly #running = new Map<number, number>();
  /** In the order of the last turn: the first was served longest ago. */
  readonly #served = new Map<number, number>();
  readonly #avoidedUntil = new Map<number, number>();
  #turn = 0;

  constructor(perLaneMax = Number.POSITIVE_INFINITY) {
    this.#perLaneMax = perLaneMax;
  }

  /** How many more tasks of this lane may run here. */
  free(lane: number): number {
    return this.#perLaneMax - this.#runningIn(lane);
  }

  next(lanes: Iterable<number>, nowMs: number): number | undefined {
    let best: number | undefined;
    for (const lane of lanes) {
      if (this.free(lane) < 1 || this.#isAvoided(lane, nowMs)) continue;
      if (best === undefined || this.#isBefore(lane, best)) best = lane;
    }
    return best;
  }

  started(lane: number): void {
    this.#running.set(lane, this.#runningIn(lane) + 1);
    this.#served.delete(lane);
    this.#turn += 1;
    this.#served.set(lane, this.#turn);
    const [oldest] = this.#served.keys();
    if (this.#served.size > rememberedMax && oldest !== undefined) this.#served.delete(oldest);
  }

  ended(lane: number): void {
    const left = this.#runningIn(lane) - 1;
    if (left > 0) this.#running.set(lane, left);
    else this.#running.delete(lane);
  }

  /** Tasks of this lane are left to other workers until then. */
  avoid(lane: number, untilMs: number): void {
    this.#avoidedUntil.set(lane, untilMs);
  }

  #runningIn(lane: number): number {
    return this.#running.get(lane) ?? 0;
  }

  #isAvoided(lane: number, nowMs: number): boolean {
    const untilMs = this.#avoidedUntil.get(lane);
    if (untilMs === undefined) return false;
    if (untilMs > nowMs) return true;
    this.#avoidedUntil.delete(lane);
    return false;
  }

  #isBefore(lane: number, other: number): boolean {
    const running = this.#runningIn(lane) - this.#runningIn(other);
    return running < 0 || (running === 0 && (this.#served.get(lane) ?? 0) < (this.#served.get(other) ?? 0));
  }
}
