import { z } from 'zod';
import { readAccountState } from './account';
import type { Emulator } from './emulator';
import type { Form } from './form-encoding';
import { filterBy, listPage } from './lists';
import { newStripeId, type PaymentMethodDomain } from './objects';
import { flag, readParameters } from './read-parameters';
import type { Records } from './records';
import { invalidRequest } from './stripe-errors';

const domainSchema = z.strictObject({ domain_name: z.string().min(1) });
const changeSchema = z.strictObject({ enabled: flag.optional() });
const NOT_PUBLIC = /^[\d.]+$|^[^.]+$|[:/]|localhost$/;

/** Returns the domain if it is registered already, as Stripe does. */
export async function createDomain({ records }: Emulator, form: Form): Promise<PaymentMethodDomain> {
  const given = readParameters(domainSchema, form);
  if (NOT_PUBLIC.test(given.domain_name))
    throw invalidRequest(`${given.domain_name} is not a valid domain name.`, { param: 'domain_name' });
  const all = records.all('payment_method_domain');
  const known = all.find(({ domain_name }) => domain_name === given.domain_name);
  if (known !== undefined) return known;
  const active = { status: 'active' } as const;
  const domain: PaymentMethodDomain = {
    id: newStripeId('pmd'),
    object: 'payment_method_domain',
    ...given,
    enabled: true,
    apple_pay: askApple(records, given.domain_name),
    google_pay: active,
    link: active,
  };
  await records.save('payment_method_domain', domain.id, domain);
  return domain;
}

export async function updateDomain(
  { records }: Emulator,
  form: Form,
  id: string,
): Promise<PaymentMethodDomain> {
  const domain = records.require('payment_method_domain', id);
  const { enabled = domain.enabled } = readParameters(changeSchema, form);
  const changed = { ...domain, enabled };
  await records.save('payment_method_domain', id, changed);
  return changed;
}

export function listDomains({ records }: Emulator, form: Form): object {
  return listPage(filterBy(records.all('payment_method_domain'), form, 'domain_name'), form);
}

/** Asks Apple again. */
export async function validateDomain({ records }: Emulator, id: string): Promise<PaymentMethodDomain> {
  const domain = records.require('payment_method_domain', id);
  const validated = { ...domain, apple_pay: askApple(records, domain.domain_name) };
  await records.save('payment_method_domain', id, validated);
  return validated;
}

function askApple(records: Records, name: string): PaymentMethodDomain['apple_pay'] {
  return readAccountState(records).apple_refuses.includes(name)
    ? { status: 'inactive', status_details: { error_message: 'Apple could not verify the domain.' } }
    : { status: 'active' };
}
