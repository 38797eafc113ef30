/** Dates in mails and documents, as `app/_ui/time.tsx` writes them on pages. */

/** `Nov 27, 2026` */
export const writeDay = (at: Date, { language = 'en', timeZone = 'UTC' } = {}): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone }).format(at);

/** `Nov 27, 2026, 2:05 PM` */
export const writeTime = (at: Date, { language = 'en', timeZone = 'UTC' } = {}): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone })
    .format(at)
    // Mail programs and tests expect a common space.
    .replaceAll('\u202f', ' ');
