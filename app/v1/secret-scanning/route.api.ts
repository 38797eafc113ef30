import { leakReportsSchema, parseReports, writeVerdicts } from '@/server/api/keys';
import { readClientIp } from '@/server/base/http/client-ip';
import { preflight } from '@/server/base/http/cors';
import { readText, validate } from '@/server/base/http/read-body';
import { privateJson, respond } from '@/server/base/http/respond';
import { requireRoomForReport, revokeLeakedKeys } from '@/server/people/leaked-keys';
import { requireScannerKey, requireSignature } from '@/server/people/scanner-keys';

/** Room for the greatest number of reports with long addresses. */
const MAX_BODY_BYTES = 1024 * 1024;

export function POST(request: Request): Promise<Response> {
  return respond('chat', async () => {
    await requireRoomForReport(readClientIp(request));
    const key = await requireScannerKey(request.headers.get('github-public-key-identifier'));
    const text = await readText(request, MAX_BODY_BYTES);
    requireSignature(key, request.headers.get('github-public-key-signature'), text);
    const reports = validate(leakReportsSchema, parseReports(text));
    const areOurs = await revokeLeakedKeys(reports.map(({ token, url }) => ({ token, url: url ?? '' })));
    return privateJson(writeVerdicts(reports, areOurs));
  });
}

export const OPTIONS = preflight;
