import { findSession } from '@/app/_session/session';
import { EXPORT_HEAD, findExportRefusal, writeExport } from '@/server/account-data/export';
import { nowDate } from '@/server/clock';
import { downloadResponse } from '@/server/http/download';
import { isConfirmed } from '@/server/identity/presence';

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
