import { writeTime } from '../../base/write-date';

/** How shares and times appear in warnings. */

/** `33%`, or `0.4%` for less than one. */
export const showShare = (share: number): string =>
  `${new Intl.NumberFormat('en', { maximumSignificantDigits: share < 0.01 ? 1 : 2 }).format(share * 100)}%`;

/** `Nov 24, 2026, 12:00 AM (Europe/Berlin)` */
export const showTime = (at: Date, timeZone = 'UTC', language = 'en'): string =>
  `${writeTime(at, { timeZone, language })} (${timeZone.replaceAll('_', ' ')})`;
