import { randomBytes } from 'node:crypto';
import { type NextRequest, NextResponse } from 'next/server';
import { isLive, settings } from '@/server/base/env';
import type { ApiError } from '@/server/base/errors';
import { isDatabaseBusy } from '@/server/base/http/database-busy';
import { notePageFailure } from '@/server/base/http/page-failures';
import { toApiError } from '@/server/base/http/respond';
import { NO_CONTENT_POLICY, ownSiteHeaders } from '@/server/base/http/security-headers';
import { addCheckoutUrl, findWidgetFile } from '@/server/base/http/widget-files';
import { newId } from '@/server/base/ids';
import { findVisitOrigin } from '@/server/payments/checkout/visits';
import { PATH_HEADER, SITE_HEADER } from './app/_ui/site-header';

/**
 * Runs before every page: sets a nonce and the security headers and, for the one page that may be
 * framed, the one origin that may frame it.
 */

export const config = {
  matcher: ['/((?!_next/|api/|checkout/api/).*)'],
};

const DEMO_PATH = '/demo';
const PUBLIC_FILE = /^\/[\w-]+\.(?:svg|ico|txt)$/;
const UNAVAILABLE_PATH = '/checkout/unavailable';
const FRAMED_BY_ANY_ORIGIN = new Set(['/checkout/gate', UNAVAILABLE_PATH]);
const VISIT_PATH = /^\/checkout\/(ckv_[0-9A-Za-z]+)$/;

export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { pathname } = request.nextUrl;
  const widgetFile = findWidgetFile(pathname);
  if (widgetFile) return serveWidgetFile(pathname, widgetFile);

  const onDemoHost = !isLive() && hostname(request).startsWith('demo.');
  const isDemo = onDemoHost && (pathname === '/' || pathname === DEMO_PATH);
  if (onDemoHost && !isDemo && !PUBLIC_FILE.test(pathname))
    return new NextResponse('Not found', { status: 404 });
  if (pathname === DEMO_PATH && !onDemoHost && !isLive()) return NextResponse.redirect(demoOrigin());

  const clean = withoutProcessorSecret(request.nextUrl);
  if (clean !== null)
    return withSecurityHeaders(NextResponse.redirect(clean, 303), pathname, NO_CONTENT_POLICY);

  const nonce = randomBytes(16).toString('base64');
  const { policy, busy } = await findPolicy(pathname, nonce, isDemo);
  const headers = new Headers(request.headers);
  headers.set(SITE_HEADER, isDemo ? 'demo' : pathname.startsWith('/checkout') ? 'checkout' : 'service');
  headers.set(PATH_HEADER, pathname + request.nextUrl.search);
  headers.set('content-security-policy', policy);
  const response = busy ? standIn(request, headers, busy) : NextResponse.next({ request: { headers } });
  return withSecurityHeaders(response, pathname, policy);
}

const PROCESSOR_SECRET = /^(payment|setup)_intent_client_secret$/;
/** What Stripe appends to the address that the buyer returns to from the bank. We read the outcome from Stripe. */
const FROM_PROCESSOR = /^(payment|setup)_intent(_client_secret)?$|^redirect_status$/;

/** With this secret, anyone can read the payment: it must not stay in the history or reach a sign-in page or a log. */
function withoutProcessorSecret({ pathname, searchParams }: URL): URL | null {
  const given = [...searchParams];
  if (!given.some(([name]) => PROCESSOR_SECRET.test(name))) return null;
  const { BASE_URL, CHECKOUT_URL } = settings();
  const clean = new URL(pathname.startsWith('/checkout') ? CHECKOUT_URL : BASE_URL);
  // A browser takes what follows two slashes for a host.
  clean.pathname = pathname.replace(/^\/+/, '/');
  clean.search = String(new URLSearchParams(given.filter(([name]) => !FROM_PROCESSOR.test(name))));
  return clean;
}

type Policy = Record<string, string[]>;

/** The origin that may frame a checkout is in the database. While that is busy, a page without secrets is shown instead. */
async function findPolicy(
  pathname: string,
  nonce: string,
  isDemo: boolean,
): Promise<{ policy: string; busy?: ApiError }> {
  if (isDemo) return { policy: describe(demoPolicy(nonce)) };
  try {
    return { policy: describe(await pagePolicy(pathname, nonce)) };
  } catch (error) {
    if (!isDatabaseBusy(error)) throw error;
    notePageFailure(error);
    const policy = await pagePolicy(UNAVAILABLE_PATH, nonce);
    return { policy: describe(policy), busy: toApiError(error, newId('req')) };
  }
}

function standIn(request: NextRequest, headers: Headers, { retryAfterSeconds }: ApiError): NextResponse {
  return NextResponse.rewrite(new URL(UNAVAILABLE_PATH, request.nextUrl), {
    headers: { 'retry-after': String(retryAfterSeconds) },
    request: { headers },
  });
}

async function pagePolicy(pathname: string, nonce: string): Promise<Policy> {
  const policy = basePolicy(nonce);
  if (FRAMED_BY_ANY_ORIGIN.has(pathname)) delete policy['frame-ancestors'];
  // Charts and menus position themselves with style attributes; the checkout uses none.
  if (!pathname.startsWith('/checkout')) policy['style-src-attr'] = ["'unsafe-inline'"];
  const visitId = VISIT_PATH.exec(pathname)?.[1];
  if (visitId === undefined) return policy;
  const visit = await findVisitOrigin(visitId);
  return {
    ...policy,
    ...paymentSources(policy),
    'frame-ancestors': [visit?.display === 'embedded' ? ancestorSource(visit.origin) : "'none'"],
  };
}

function basePolicy(nonce: string): Policy {
  const isDevelopment = settings().NODE_ENV === 'development';
  return {
    'default-src': ["'self'"],
    'script-src': [
      "'self'",
      `'nonce-${nonce}'`,
      "'strict-dynamic'",
      ...(isDevelopment ? ["'unsafe-eval'"] : []),
    ],
    'style-src': ["'self'", isDevelopment ? "'unsafe-inline'" : `'nonce-${nonce}'`],
    'img-src': ["'self'", 'data:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'"],
    'frame-src': ["'none'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
  };
}

/** The payment processor's sources, allowed only on the page that takes payments. */
function paymentSources(policy: Policy): Policy {
  const { STRIPE_API_BASE: sandbox } = settings();
  if (sandbox !== undefined) return { 'frame-src': [new URL(sandbox).origin] };
  const add = (name: string, ...sources: string[]) => ({ [name]: [...(policy[name] ?? []), ...sources] });
  return {
    ...add('script-src', 'https://js.stripe.com', 'https://*.js.stripe.com', 'https://checkout.stripe.com'),
    ...add('connect-src', 'https://api.stripe.com', 'https://checkout.stripe.com', 'https://r.stripe.com'),
    ...add('img-src', 'https://*.stripe.com'),
    'frame-src': [
      'https://js.stripe.com',
      'https://*.js.stripe.com',
      'https://hooks.stripe.com',
      'https://checkout.stripe.com',
    ],
  };
}

/** The demo acts as a partner's page: it may load the widget, frame the checkout and call the API. */
function demoPolicy(nonce: string): Policy {
  const policy = basePolicy(nonce);
  const { SDK_URL, CHECKOUT_URL, BASE_URL } = settings();
  const [sdk, checkout, api] = [SDK_URL, CHECKOUT_URL, BASE_URL].map((url) => new URL(url).origin) as [
    string,
    string,
    string,
  ];
  return {
    ...policy,
    'script-src': [...(policy['script-src'] ?? []), sdk],
    'frame-src': [checkout],
    'connect-src': ["'self'", ...new Set([api, checkout])],
  };
}

/** A registered scheme (`myapp://…`) is not a web origin: the policy lists only the scheme. */
function ancestorSource(origin: string): string {
  return /^https?:\/\//.test(origin) ? origin : `${origin.slice(0, origin.indexOf(':'))}:`;
}

function describe(policy: Policy): string {
  return Object.entries(policy)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}

/** What no page uses is off, so that no frame or injected script can use it. */
const UNUSED_FEATURES = [
  'bluetooth',
  'camera',
  'display-capture',
  'geolocation',
  'hid',
  'microphone',
  'midi',
  'serial',
  'usb',
];

/** Passkeys sign in to our own pages only, never to a checkout in another site's frame. */
function permissionsPolicy(isCheckout: boolean): string {
  const passkeys = isCheckout ? '()' : '(self)';
  return [
    ...UNUSED_FEATURES.map((feature) => `${feature}=()`),
    `publickey-credentials-get=${passkeys}`,
    `publickey-credentials-create=${passkeys}`,
  ].join(', ');
}

function withSecurityHeaders(response: NextResponse, pathname: string, policy: string): NextResponse {
  const isCheckout = pathname.startsWith('/checkout');
  const headers = {
    ...ownSiteHeaders(),
    'content-security-policy': policy,
    'permissions-policy': permissionsPolicy(isCheckout),
    // A checkout window must be able to message the page that opened it, and a page that isolates itself can frame it.
    ...(isCheckout
      ? { 'cross-origin-resource-policy': 'cross-origin' }
      : { 'cross-origin-opener-policy': 'same-origin-allow-popups', 'x-frame-options': 'DENY' }),
  };
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** The widget runs on any page, so any origin may read it. Only versioned URLs are cached permanently. */
async function serveWidgetFile(pathname: string, { isPinned }: { isPinned: boolean }): Promise<NextResponse> {
  const text = await addCheckoutUrl(pathname);
  const response =
    text === null ? NextResponse.next() : new NextResponse(text, { headers: typeOf(pathname) });
  response.headers.set('access-control-allow-origin', '*');
  response.headers.set('cross-origin-resource-policy', 'cross-origin');
  response.headers.set('x-content-type-options', 'nosniff');
  response.headers.set(
    'cache-control',
    isPinned ? 'public, max-age=31536000, immutable' : 'public, max-age=300, stale-while-revalidate=86400',
  );
  // Otherwise served as a video, because of its .ts extension.
  if (pathname.endsWith('.d.ts')) response.headers.set('content-type', 'text/plain; charset=utf-8');
  return response;
}

/** As Next names the same files. */
const typeOf = (pathname: string): Record<string, string> => ({
  'content-type': pathname.endsWith('.js')
    ? 'application/javascript; charset=UTF-8'
    : 'application/json; charset=UTF-8',
});

const hostname = (request: NextRequest): string =>
  (request.headers.get('host') ?? '').replace(/:\d+$/, '').toLowerCase();

const demoOrigin = (): URL => new URL(`http://demo.localhost:${settings().PORT}/`);
