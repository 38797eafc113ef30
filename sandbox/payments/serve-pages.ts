import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJson, readBody, sendJson } from '../loopback-server';
import { choosePageLanguage, type PageLanguage, type Words, wordsIn } from './page-words';
import { type PaymentResult, readSubmission, submitPayment } from './pay-session';
import { type PageOptions, renderMissingPage, renderPaymentPage } from './payment-page';
import type { SessionRecord } from './records';
import { offeredCards } from './saved-cards';
import { type Emulator, findByClientSecret } from './sessions';

/** Serves the hosted page at `/pay/<session id>` and the framed one at `/embed/<client secret>`. */
export async function servePage(
  emulator: Emulator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
  const record = findRecord(emulator, pathname);
  if (request.method === 'POST') return takePayment(emulator, record, request, response);
  const options = readOptions(pathname, searchParams, languageOf(record, request));
  sendHtml(
    response,
    record === null ? 404 : 200,
    record === null
      ? renderMissingPage(options)
      : renderPaymentPage(
          record,
          offeredCards(emulator.records, record.session).map(({ method }) => method),
          options,
        ),
    options,
  );
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
  const translated = translate(result, wordsIn(languageOf(record, request)));
  // A declined card is a result, not a failed request, so browsers log no error.
  sendJson(response, 200, translated, { 'cache-control': 'no-store' });
}

function languageOf(record: SessionRecord | null, { headers }: IncomingMessage): PageLanguage {
  return choosePageLanguage(record?.session.locale ?? null, headers['accept-language'] ?? '');
}

/** API messages stay English, as at Stripe; the page uses the buyer's language. */
function translate(result: PaymentResult, { say }: Words): PaymentResult {
  if (result.status === 'declined') return { ...result, message: say(result.message) };
  if (result.status !== 'invalid') return result;
  const errors = Object.entries(result.errors).map(([field, message]) => [field, say(message)]);
  return { ...result, errors: Object.fromEntries(errors) };
}

function readOptions(pathname: string, query: URLSearchParams, language: PageLanguage): PageOptions {
  const base = {
    nonce: randomBytes(16).toString('base64'),
    theme: readTheme(query.get('theme')),
    language,
  };
  if (pathname.startsWith('/pay/')) return { ...base, chrome: 'hosted' };
  return { ...base, chrome: 'framed', parentOrigin: readOrigin(query.get('parent_origin')) };
}

/** Without a theme the page follows the visitor's system. */
function readTheme(text: string | null): PageOptions['theme'] {
  return text === 'light' || text === 'dark' ? text : null;
}

/** Only a plain web origin is notified of the payment, never `*`. */
function readOrigin(text: string | null): string | null {
  if (text === null || !URL.canParse(text)) return null;
  const { origin, protocol } = new URL(text);
  return origin === text && /^https?:$/.test(protocol) ? origin : null;
}

function sendHtml(response: ServerResponse, status: number, html: string, options: PageOptions): void {
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${options.nonce}'`,
    `script-src 'nonce-${options.nonce}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    ...(options.chrome === 'hosted' ? ["frame-ancestors 'none'"] : []),
  ];
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(html);
}
