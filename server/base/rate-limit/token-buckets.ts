import { MINUTE_MS, now } from '../clock';

/** Beyond this many names, those with full buckets are removed. */
const FIRST_SWEEP_AT = 10_000;

/** Allows for rounding errors in sums of uneven steps. */
const ROUNDING_MS = 0.5;

export type Rate = { perMinute: number; burst: number };

/**
 * Token buckets in memory, one per name: `burst` at once, then evenly up to a number per minute.
 * Stores only the time at which each bucket is full again, so a check costs one lookup and no timer.
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

  /** Takes one token. Returns 0, or the milliseconds until one is available. */
  take(name: string): number {
    const time = now();
    const fullInMs = this.#fullInMs(name, time) + this.#stepMs;
    if (fullInMs > this.#depthMs + ROUNDING_MS) return fullInMs - this.#depthMs;
    this.#fullAt.set(name, time + fullInMs);
    if (this.#fullAt.size > this.#sweepAt) this.#sweep(time);
    return 0;
  }

  /** Takes tokens for what was allowed elsewhere, even beyond the limit. Returns 0, or the milliseconds until the next one. */
  charge(name: string, count: number): number {
    return this.#charge(name, count * this.#stepMs);
  }

  /** Takes from another bucket what this one has given, and forgets this one. */
  move(from: string, to: string): void {
    this.#charge(to, this.#fullInMs(from, now()));
    this.#fullAt.delete(from);
  }

  #charge(name: string, takenMs: number): number {
    const time = now();
    const fullInMs = Math.min(this.#fullInMs(name, time) + takenMs, this.#depthMs - this.#stepMs + MINUTE_MS);
    this.#fullAt.set(name, time + fullInMs);
    if (this.#fullAt.size > this.#sweepAt) this.#sweep(time);
    return Math.max(0, fullInMs + this.#stepMs - this.#depthMs);
  }

  get size(): number {
    return this.#fullAt.size;
  }

  /** Empties the bucket for a while, because other instances have used it up. */
  block(name: string, forMs: number): void {
    this.#fullAt.set(name, now() + this.#depthMs - this.#stepMs + Math.min(forMs, MINUTE_MS));
  }

  /** Capped at the longest possible block, so that a clock that is set back locks out no key. */
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
