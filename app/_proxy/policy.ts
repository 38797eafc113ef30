import { settings } from '@/server/base/env';
import type { ApiError } from '@/server/base/errors';
import { isDatabaseBusy } from '@/server/base/http/database-busy';
import { notePageFailure } from '@/server/base/http/page-failures';
import { toApiError } from '@/server/base/http/respond';
import { newId } from '@/server/base/ids';
import { findVisitOrigin } from '@/server/payments/checkout/visits';

/** The content security policy of a page. */

export const UNAVAILABLE_PATH = '/checkout/unavailable';
const FRAMED_BY_ANY_ORIGIN = new Set(['/checkout/gate', UNAVAILABLE_PATH]);
const VISIT_PATH = /^\/checkout\/(ckv_[0-9A-Za-z]+)$/;

type Policy = Record<string, string[]>;

/** The origin that may frame a checkout is in the database. While that is busy, a page without secrets is shown instead. */
export async function findPolicy(
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
    // What a model spoke.
    'media-src': ['blob:'],
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
