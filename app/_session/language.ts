import { headers } from 'next/headers';
import { cache } from 'react';
import { chooseLanguage, findFirstLanguage, type Language } from '@/texts/languages';
import { PATH_HEADER } from '../_ui/site-header';
import { findSession } from './session';

/** Pages that users reach from apps and mails. All others are in English. */
const TRANSLATED =
  /^\/(checkout|sign-in|auth\/authorize|continue|device|redeem|revoke-key|stop|undo-email|unsubscribe)(\/|$)/;

const OF_A_VISIT = /^\/checkout\/(?!sign-in$|return$)/;

/** Of the page: the one that its address asks for, that the account chose, or the first of the browser's that we have. */
export const readLanguage = cache(async (): Promise<Language> => {
  const request = await headers();
  const { pathname, searchParams } = new URL(request.get(PATH_HEADER) ?? '/', 'http://page');
  if (!TRANSLATED.test(pathname)) return 'en';
  const asked = findFirstLanguage(searchParams.get('locale'));
  // A checkout opens while the database is busy, so its language needs none. If it fails, the page reports that.
  const session = OF_A_VISIT.test(pathname) ? null : await findSession().catch(() => null);
  return asked ?? chooseLanguage(session?.language, request.get('accept-language'));
});
