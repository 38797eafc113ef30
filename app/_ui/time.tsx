'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => {};

type Props = {
  /** ISO 8601. */
  at: string;
  withClock?: boolean;
  /** A day as it is counted, in UTC, and no moment of it. */
  isDay?: boolean;
};

/** A moment in the reader's own time zone once the page runs; UTC until then. */
export function Time({ at, withClock = true, isDay = false }: Props) {
  const isRunning = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  const zone = !isRunning || isDay ? { timeZone: 'UTC' } : {};
  const write = (style: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en', { ...style, ...zone }).format(new Date(at));
  return (
    <time
      dateTime={at}
      // With the seconds and the zone, for who compares it with a log.
      title={write(isDay ? { dateStyle: 'full' } : { dateStyle: 'full', timeStyle: 'long' })}
      className="whitespace-nowrap"
    >
      {write({ dateStyle: 'medium', ...(withClock && { timeStyle: 'short' }) })}
    </time>
  );
}
