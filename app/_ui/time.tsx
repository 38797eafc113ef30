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
  const text = new Intl.DateTimeFormat('en', {
    dateStyle: 'medium',
    ...(withClock && { timeStyle: 'short' }),
    ...((!isRunning || isDay) && { timeZone: 'UTC' }),
  }).format(new Date(at));
  return (
    <time dateTime={at} title={at} className="whitespace-nowrap">
      {text}
    </time>
  );
}
