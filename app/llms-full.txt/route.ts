import { DOCS_PAGES, writePage } from '@/server/api/docs/pages';
import { settings } from '@/server/base/env';

export const dynamic = 'force-dynamic';

/** The whole documentation in one text file. */
export function GET(): Response {
  const { BASE_URL: base, BRAND_NAME: brand } = settings();
  const parts = [`# ${brand} documentation\n\nBase URL: ${base}\n`, ...DOCS_PAGES.map(writePage)];
  return new Response(parts.join('\n'), { headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
