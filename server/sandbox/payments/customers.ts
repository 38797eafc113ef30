import type Stripe from 'stripe';
import { z } from 'zod';
import type { Form } from './form-encoding';
import { newStripeId } from './objects';
import { metadata, readParameters } from './read-parameters';
import type { Emulator } from './sessions';

export type Customer = Pick<Stripe.Customer, 'id' | 'object' | 'email' | 'metadata'>;

const customerSchema = z.strictObject({
  email: z.email({ error: 'Invalid email address' }).nullable().default(null),
  metadata: metadata.default({}),
});

export async function createCustomer({ records }: Emulator, form: Form): Promise<Customer> {
  const given = readParameters(customerSchema, form);
  const customer: Customer = { id: newStripeId('cus'), object: 'customer', ...given };
  await records.save('customer', customer.id, customer);
  return customer;
}
