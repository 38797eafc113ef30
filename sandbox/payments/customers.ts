import { z } from 'zod';
import type { Emulator } from './emulator';
import type { Form } from './form-encoding';
import { type Customer, type DeletedCustomer, newStripeId } from './objects';
import { metadata, readParameters } from './read-parameters';
import { cardsOf, detachCard } from './saved-cards';

const customerSchema = z.strictObject({
  email: z.email({ error: 'Invalid email address' }).nullable().default(null),
  metadata: metadata.default({}),
});

export async function createCustomer({ records }: Emulator, form: Form): Promise<Customer> {
  const given = readParameters(customerSchema, form);
  const customer: Customer = { id: newStripeId('cus'), object: 'customer', address: null, ...given };
  await records.save('customer', customer.id, customer);
  return customer;
}

/** Its cards go with it. */
export async function deleteCustomer(emulator: Emulator, id: string): Promise<DeletedCustomer> {
  const { records } = emulator;
  records.require('customer', id);
  const deleted: DeletedCustomer = { id, object: 'customer', deleted: true };
  await records.save('deleted_customer', id, deleted);
  for (const { method } of cardsOf(records, id)) await detachCard(emulator, method.id);
  return deleted;
}
