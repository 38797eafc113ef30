'use client';

import { useIsHydrated } from './use-is-hydrated';

type Props = {
  /** ISO 8601. */
  at: string;
  withClock?: boolean;
  /** A calendar day in UTC, not a moment. */
  isDay?: boolean;
};

/** A moment in the reader's own time zone once the page is hydrated; UTC until then. */
export function Time({ at, withClock = true, isDay = false }: Props) {
  const isHydrated = useIsHydrated();
  const zone = !isHydrated || isDay ? { timeZone: 'UTC' } : {};
  const write = (style: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en', { ...style, ...zone }).format(new Date(at));
  return (
    <time
      dateTime={at}
      // With seconds and zone, for comparing it with a log.
      title={write(isDay ? { dateStyle: 'full' } : { dateStyle: 'full', timeStyle: 'long' })}
      className="whitespace-nowrap"
    >
      {write({ dateStyle: 'medium', ...(withClock && { timeStyle: 'short' }) })}
    </time>
  );
}
