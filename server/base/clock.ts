/** Wall-clock time in milliseconds since the epoch, replaceable in tests. */
let read: () => number = () => Date.now();

export function now(): number {
  return read();
}

export function nowDate(): Date {
  return new Date(read());
}

/** Tests only: freezes or moves the clock. Call without an argument to return to real time. */
export function setClock(source?: () => number): void {
  read = source ?? (() => Date.now());
}

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const toUnixSeconds = (date: Date): number => Math.floor(date.getTime() / SECOND_MS);
