import type Stripe from 'stripe';
import { z } from 'zod';
import type { Form } from './form-encoding';
import { newStripeId } from './objects';
import { readParameters } from './read-parameters';
import type { Emulator } from './sessions';
import { unixSeconds } from './time';

const domainSchema = z.strictObject({
  domain_name: z.string().min(1),
  enabled: z.enum(['true', 'false']).optional(),
  expand: z.array(z.string()).optional(),
});

/** Every domain is fine here: the sandbox has no wallets. */
export async function createDomain({ records }: Emulator, form: Form): Promise<Stripe.PaymentMethodDomain> {
  const { domain_name, enabled } = readParameters(domainSchema, form);
  const active = { status: 'active' } as const;
  const domain: Stripe.PaymentMethodDomain = {
    id: newStripeId('pmd'),
    object: 'payment_method_domain',
    amazon_pay: active,
    apple_pay: active,
    created: unixSeconds(),
    domain_name,
    enabled: enabled !== 'false',
    google_pay: active,
    klarna: active,
    link: active,
    livemode: false,
    paypal: active,
  };
  await records.save('payment_method_domain', domain.id, domain);
  return domain;
}
