'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** A moment in the reader's own time zone once the page runs; UTC until then. Takes ISO 8601. */
export function Time({ at, withClock = true }: { at: string; withClock?: boolean }) {
  const isRunning = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  const text = new Intl.DateTimeFormat('en', {
    dateStyle: 'medium',
    ...(withClock && { timeStyle: 'short' }),
    ...(!isRunning && { timeZone: 'UTC' }),
  }).format(new Date(at));
  return (
    <time dateTime={at} title={at} className="whitespace-nowrap">
      {text}
    </time>
  );
}
