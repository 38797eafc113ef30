import { settings } from '@/server/base/env';

/** Pages that belong to one person, or to nobody. */
const PRIVATE = [
  '/account',
  '/partner',
  '/team/',
  '/operator',
  '/sign-in',
  '/device',
  '/continue',
  '/checkout/',
  '/dev/',
  '/api/',
];

export const dynamic = 'force-dynamic';

export function GET(): Response {
  const lines = ['User-agent: *', ...PRIVATE.map((path) => `Disallow: ${path}`)];
  return new Response(`${lines.join('\n')}\n\nSitemap: ${settings().BASE_URL}/sitemap.xml\n`, {
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}
