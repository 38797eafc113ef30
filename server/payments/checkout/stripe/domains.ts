import type Stripe from 'stripe';
import type { DomainState } from '../payment-processor';
import { stripe } from './client';

/** Found by its name, so that it is registered once, in whichever mode the key is. */
async function findDomain(host: string): Promise<Stripe.PaymentMethodDomain | undefined> {
  const { data } = await stripe().paymentMethodDomains.list({ domain_name: host, limit: 1 });
  return data[0];
}

export async function registerDomain(host: string): Promise<DomainState> {
  const domains = stripe().paymentMethodDomains;
  const known = (await findDomain(host)) ?? (await domains.create({ domain_name: host }));
  const domain = known.enabled ? known : await domains.update(known.id, { enabled: true });
  const state = describeDomain(domain);
  // Stripe looks at an inactive domain again only when it is asked.
  return state.applePay && state.googlePay ? state : describeDomain(await domains.validate(domain.id));
}

export async function disableDomain(host: string): Promise<void> {
  const domain = await findDomain(host);
  if (domain?.enabled) await stripe().paymentMethodDomains.update(domain.id, { enabled: false });
}

export function describeDomain({ enabled, apple_pay, google_pay }: Stripe.PaymentMethodDomain): DomainState {
  const [applePay, googlePay] = [apple_pay, google_pay].map(({ status }) => enabled && status === 'active');
  if (applePay && googlePay) return { applePay, googlePay, reason: null };
  const reasons = [apple_pay, google_pay].map(({ status_details }) => status_details?.error_message);
  const given = reasons.find((reason) => reason !== undefined);
  const reason = enabled ? (given ?? 'The domain is inactive.') : 'The domain is disabled.';
  return { applePay: applePay === true, googlePay: googlePay === true, reason };
}
