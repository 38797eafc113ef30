import Stripe from 'stripe';
import { settings } from '../../../base/env';
import { invariant } from '../../../base/errors';
import { retryRateLimited } from './rate-limit';
import { limitResponses } from './response-limit';

const TIMEOUT_MS = 15_000;

let client: { stripe: Stripe; key: string; base: string | undefined } | undefined;

/** Stripe's SDK, connected to Stripe or to the sandbox. */
export function stripe(): Stripe {
  const { STRIPE_SECRET_KEY: key, STRIPE_API_BASE: base } = settings();
  invariant(key, 'a payment processor is configured: STRIPE_SECRET_KEY, or the sandbox at start');
  if (client?.key !== key || client.base !== base) client = { stripe: connect(key, base), key, base };
  return client.stripe;
}

function connect(key: string, base: string | undefined): Stripe {
  const httpClient = retryRateLimited(limitResponses(Stripe.createNodeHttpClient()));
  const common = { telemetry: false, timeout: TIMEOUT_MS, maxNetworkRetries: 2, httpClient };
  if (base === undefined) return new Stripe(key, common);
  const { hostname, port, protocol } = new URL(base);
  const isPlain = protocol === 'http:';
  return new Stripe(key, {
    ...common,
    host: hostname,
    port: port || (isPlain ? 80 : 443),
    protocol: isPlain ? 'http' : 'https',
  });
}

export function isMissing(error: unknown, param?: string): boolean {
  return hasCode(error, 'resource_missing') && (param === undefined || error.param === param);
}

export function hasCode(error: unknown, code: string): error is Stripe.errors.StripeError {
  return error instanceof Stripe.errors.StripeError && error.code === code;
}

export const idOf = (held: string | { id: string } | null | undefined): string | null =>
  typeof held === 'string' ? held : (held?.id ?? null);
