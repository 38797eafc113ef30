import { settings } from '../../base/env';
import type { PaymentPage } from './payment-processor';

/** Our page that the processor returns the user to. */
export function returnPageUrl(): string {
  return `${settings().CHECKOUT_URL}/return`;
}

/** The processor's hosted page. Both return URLs carry the payment's id. */
export function hostedPage(returnUrl: string, checkoutSessionId: string): PaymentPage {
  const about = { session_id: checkoutSessionId };
  return {
    kind: 'hosted',
    successUrl: withQuery(returnUrl, about),
    cancelUrl: withQuery(returnUrl, { ...about, status: 'cancelled' }),
  };
}

export function withQuery(address: string, values: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  return url.href;
}
