import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJson, readBody, sendJson } from '../loopback-server';
import type { Emulator } from './emulator';
import { missingPage, sendPage } from './page';
import { type PaymentResult, readSubmission, submitPayment } from './pay-session';
import { describePaymentPage } from './payment-page';
import type { SessionRecord } from './records';
import { offeredCards } from './saved-cards';
import { findByClientSecret } from './sessions';

/** Serves the hosted page at `/pay/<session id>` and the framed one at `/embed/<client secret>`. */
export async function servePage(
  emulator: Emulator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
  const record = findRecord(emulator, pathname);
  if (request.method === 'POST') return takePayment(emulator, record, request, response);
  const frame = pathname.startsWith('/embed/')
    ? { parentOrigin: readOrigin(searchParams.get('parent_origin')) }
    : undefined;
  if (record === null) return sendPage(response, 404, { ...missingPage, ...(frame && { frame }) });
  const saved = offeredCards(emulator.records, record.session).map(({ method }) => method);
  sendPage(response, 200, describePaymentPage(record, saved, frame));
}

function findRecord({ records }: Emulator, pathname: string): SessionRecord | null {
  const [, page, name = ''] = pathname.split('/');
  if (page === 'embed') return findByClientSecret(records, name);
  const record = records.find('session', name);
  return record?.session.ui_mode === 'hosted_page' ? record : null;
}

async function takePayment(
  emulator: Emulator,
  record: SessionRecord | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (record === null) return sendJson(response, 404, { status: 'expired' } satisfies PaymentResult);
  // A form on another site cannot send JSON without a CORS preflight.
  const isJson = request.headers['content-type']?.startsWith('application/json') ?? false;
  const submission = isJson ? readSubmission(parseJson(await readBody(request))?.value) : null;
  if (submission === null)
    return sendJson(response, 400, { status: 'invalid', errors: {} } satisfies PaymentResult);
  const result = await submitPayment(emulator, record.session.id, submission);
  // A declined card is a result, not a failed request, so browsers log no error.
  sendJson(response, 200, result, { 'cache-control': 'no-store' });
}

/** Only a plain web origin is notified of the payment, never `*`. */
function readOrigin(text: string | null): string | null {
  if (text === null || !URL.canParse(text)) return null;
  const { origin, protocol } = new URL(text);
  return origin === text && /^https?:$/.test(protocol) ? origin : null;
}
