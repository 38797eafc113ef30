import type Stripe from 'stripe';
import { z } from 'zod';
import type { Form } from './form-encoding';
import { newStripeId } from './objects';
import { readParameters } from './read-parameters';
import type { Emulator } from './sessions';

export type PaymentMethodDomain = Pick<
  Stripe.PaymentMethodDomain,
  'id' | 'object' | 'apple_pay' | 'domain_name' | 'enabled' | 'google_pay' | 'link'
>;

const domainSchema = z.strictObject({ domain_name: z.string().min(1) });

/** Every domain is active: the sandbox has no wallets. */
export async function createDomain({ records }: Emulator, form: Form): Promise<PaymentMethodDomain> {
  const active = { status: 'active' } as const;
  const domain: PaymentMethodDomain = {
    id: newStripeId('pmd'),
    object: 'payment_method_domain',
    ...readParameters(domainSchema, form),
    apple_pay: active,
    enabled: true,
    google_pay: active,
    link: active,
  };
  await records.save('payment_method_domain', domain.id, domain);
  return domain;
}
