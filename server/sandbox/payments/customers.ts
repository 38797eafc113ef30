import type Stripe from 'stripe';
import { z } from 'zod';
import type { Form } from './form-encoding';
import { newStripeId } from './objects';
import { metadata, readParameters } from './read-parameters';
import type { Emulator } from './sessions';
import { unixSeconds } from './time';

const customerSchema = z.strictObject({
  email: z.email({ error: 'Invalid email address' }).optional(),
  name: z.string().max(256).optional(),
  description: z.string().max(5000).optional(),
  phone: z.string().max(20).optional(),
  metadata: metadata.optional(),
  expand: z.array(z.string()).optional(),
});

export async function createCustomer({ records }: Emulator, form: Form): Promise<Stripe.Customer> {
  const { expand: _, ...given } = readParameters(customerSchema, form);
  const customer = { ...buildCustomer(), ...given } as Stripe.Customer;
  await records.save('customer', customer.id, customer);
  return customer;
}

export async function updateCustomer(
  { records }: Emulator,
  id: string,
  form: Form,
): Promise<Stripe.Customer> {
  const known = records.require('customer', id);
  const { expand: _, ...given } = readParameters(customerSchema, form);
  const customer = { ...known, ...given } as Stripe.Customer;
  await records.save('customer', id, customer);
  return customer;
}

function buildCustomer(): Partial<Stripe.Customer> {
  return {
    id: newStripeId('cus'),
    object: 'customer',
    address: null,
    balance: 0,
    created: unixSeconds(),
    currency: null,
    default_source: null,
    delinquent: false,
    description: null,
    email: null,
    livemode: false,
    metadata: {},
    name: null,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
  };
}
