import { settings } from '@/server/base/env';
import { navigation } from '../(site)/docs/navigation';

export const dynamic = 'force-dynamic';

export function GET(): Response {
  const paths = [
    '/',
    '/pricing',
    '/status',
    ...navigation().flatMap(({ links }) => links.map(({ href }) => href)),
  ];
  const urls = paths.map((path) => `  <url><loc>${settings().BASE_URL}${path}</loc></url>`);
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`;
  return new Response(text, { headers: { 'content-type': 'application/xml; charset=utf-8' } });
}
