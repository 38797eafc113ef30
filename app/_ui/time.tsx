'use client';

import { createContext, useContext } from 'react';
import { useIsHydrated } from './use-is-hydrated';

/** The time zone that the reader chose; null for that of the browser. */
export const ReaderZone = createContext<string | null>(null);

/** The same for the server and the browser: UTC until the page is hydrated, unless the reader chose one. */
export function useReaderZone(): string {
  const chosen = useContext(ReaderZone);
  const isHydrated = useIsHydrated();
  return chosen ?? (isHydrated ? Intl.DateTimeFormat().resolvedOptions().timeZone : 'UTC');
}

type Props = {
  /** ISO 8601. */
  at: string;
  withClock?: boolean;
  /** A calendar day in UTC, not a moment. */
  isDay?: boolean;
  language?: string;
};

/** A moment in the reader's time zone. */
export function Time({ at, withClock = true, isDay = false, language = 'en' }: Props) {
  const readerZone = useReaderZone();
  const timeZone = isDay ? 'UTC' : readerZone;
  const write = (style: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...style, timeZone }).format(new Date(at));
  return (
    <time
      dateTime={at}
      // Two versions of Intl may differ in a space.
      suppressHydrationWarning
      // With seconds and zone, for comparing it with a log.
      title={write(isDay ? { dateStyle: 'full' } : { dateStyle: 'full', timeStyle: 'long' })}
      className="whitespace-nowrap"
    >
      {write({ dateStyle: 'medium', ...(withClock && { timeStyle: 'short' }) })}
    </time>
  );
}
