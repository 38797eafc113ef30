import { now, SECOND_MS } from '../../server/base/clock';

/** The sandbox's own time: the product's clock, plus what tests have advanced it by. */
let aheadMs = 0;

export const sandboxNow = (): number => now() + aheadMs;
export const unixSeconds = (): number => Math.floor(sandboxNow() / SECOND_MS);

export function advanceTime(ms: number): void {
  aheadMs += ms;
}

export function resetTime(): void {
  aheadMs = 0;
}
