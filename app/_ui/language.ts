import { headers } from 'next/headers';
import { SITE_HEADER } from './site-header';

export type Language = 'en' | 'de';

/** The first of the browser's languages that we support. Only the checkout supports more than English. */
export async function readLanguage(): Promise<Language> {
  const request = await headers();
  if (request.get(SITE_HEADER) !== 'checkout') return 'en';
  const wanted = request.get('accept-language') ?? '';
  const first = wanted
    .split(',')
    .map((entry) => entry.trim().slice(0, 2).toLowerCase())
    .find((tag) => tag === 'de' || tag === 'en');
  return first === 'de' ? 'de' : 'en';
}
