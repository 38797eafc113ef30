import { apiDocument } from '@/server/api/openapi/document';
import { ERROR_GUIDE } from '@/server/api/openapi/error-guide';
import { settings } from '@/server/base/env';
import { ERROR_STATUS, type ErrorCode } from '@/server/base/errors';
import { GUIDES, readGuide } from '../(site)/docs/guides';
import { writeReference } from './write-reference';

export const dynamic = 'force-dynamic';

/** The whole documentation in one text file. */
export function GET(): Response {
  const { BASE_URL: base, BRAND_NAME: brand } = settings();
  const parts = [
    `# ${brand} documentation`,
    `Base URL: ${base}`,
    ...GUIDES.map(readGuide),
    writeReference(apiDocument(), base),
    `# Errors\n\n${writeErrors()}`,
  ];
  return new Response(`${parts.map((part) => part.trim()).join('\n\n')}\n`, {
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}

function writeErrors(): string {
  const rows = (Object.keys(ERROR_STATUS) as ErrorCode[]).map((code) => {
    const { when, remedy } = ERROR_GUIDE[code];
    return `| ${ERROR_STATUS[code]} | ${code} | ${when} | ${remedy} |`;
  });
  return ['| Status | Code | When | What to do |', '|---|---|---|---|', ...rows].join('\n');
}
