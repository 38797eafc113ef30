import { MINUTE_MS, now } from '../clock';

/** So many names are kept before those whose buckets are full again are forgotten. */
const FIRST_SWEEP_AT = 10_000;

/** Sums of uneven steps are not exact. */
const ROUNDING_MS = 0.5;

export type Rate = { perMinute: number; burst: number };

/**
 * Token buckets in memory, one per name: `burst` at once, then evenly so many a minute. Of each
 * only the time is kept at which it is full again, so asking costs one look-up and no timer.
 */
export class TokenBuckets {
  readonly #fullAt = new Map<string, number>();
  readonly #stepMs: number;
  readonly #depthMs: number;
  #sweepAt = FIRST_SWEEP_AT;

  constructor({ perMinute, burst }: Rate) {
    this.#stepMs = MINUTE_MS / perMinute;
    this.#depthMs = burst * this.#stepMs;
  }

  /** Takes one. 0 when there was one, else the milliseconds until there is. */
  take(name: string): number {
    const time = now();
    const fullInMs = this.#fullInMs(name, time) + this.#stepMs;
    if (fullInMs > this.#depthMs + ROUNDING_MS) return fullInMs - this.#depthMs;
    this.#fullAt.set(name, time + fullInMs);
    if (this.#fullAt.size > this.#sweepAt) this.#sweep(time);
    return 0;
  }

  get size(): number {
    return this.#fullAt.size;
  }

  /** Empties the bucket for a while: others have used it up. */
  block(name: string, forMs: number): void {
    this.#fullAt.set(name, now() + this.#depthMs - this.#stepMs + Math.min(forMs, MINUTE_MS));
  }

  /** Never longer than a block can last: a clock that was set back must not lock anybody out. */
  #fullInMs(name: string, time: number): number {
    const fullAt = this.#fullAt.get(name) ?? 0;
    const fullInMs = Math.max(0, fullAt - time);
    return fullInMs > this.#depthMs + MINUTE_MS ? 0 : fullInMs;
  }

  #sweep(time: number): void {
    for (const [name, fullAt] of this.#fullAt) if (fullAt <= time) this.#fullAt.delete(name);
    this.#sweepAt = Math.max(FIRST_SWEEP_AT, 2 * this.#fullAt.size);
  }
}
