import { findSession } from '@/app/_session/session';
import { nowDate } from '@/server/base/clock';
import { downloadResponse } from '@/server/base/http/download';
import { isConfirmed } from '@/server/people/presence';
import { EXPORT_HEAD, findExportRefusal, writeExport } from '@/server/reports/account-data/export';

/** Everything that the account of the signed-in user holds. Another site can only make them download their own file. */
export async function GET(): Promise<Response> {
  const session = await findSession();
  if (session === null) return new Response('Sign in first.', { status: 401 });
  if (!(await isConfirmed(session)))
    return new Response('Confirm that it is you: download it from the page “Your data”.', { status: 403 });
  const refusal = await findExportRefusal(session, 'download');
  if (refusal !== null)
    return new Response(refusal.message, {
      status: 429,
      headers: { 'retry-after': String(refusal.retryAfterSeconds) },
    });
  return downloadResponse({
    fileName: `svc-account-${nowDate().toISOString().slice(0, 10)}.json`,
    contentType: 'application/json; charset=utf-8',
    head: EXPORT_HEAD,
    texts: writeExport(session),
  });
}
