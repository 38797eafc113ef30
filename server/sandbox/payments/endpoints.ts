import { createCustomer, updateCustomer } from './customers';
import type { Form } from './form-encoding';
import { buildList } from './lists';
import { cancelIntent, payOffSession } from './payment-intents';
import { createDomain } from './payment-method-domains';
import { createRefund } from './refunds';
import { readSessionParameters } from './session-parameters';
import { createSession, type Emulator, expireSession } from './sessions';
import { resourceMissing } from './stripe-errors';
import { createTransfer, reverseTransfer } from './transfers';
import type { EventCause } from './webhook-sender';

export type EndpointCall = { form: Form; cause: EventCause };
export type Endpoint = {
  method: 'GET' | 'POST';
  path: RegExp;
  run(emulator: Emulator, call: EndpointCall, id: string): Promise<unknown>;
};

/** `/v1/refunds/:id` as a pattern; its one id is handed to `run`. */
const endpoint = (method: Endpoint['method'], path: string, run: Endpoint['run']): Endpoint => ({
  method,
  path: new RegExp(`^/v1/${path.replace(':id', '(\\w+)')}$`),
  run,
});

const ENDPOINTS: readonly Endpoint[] = [
  endpoint('POST', 'checkout/sessions', (emulator, { form }) =>
    createSession(emulator, readSessionParameters(form)),
  ),
  endpoint('GET', 'checkout/sessions/:id', async (emulator, _, id) => requireSession(emulator, id).session),
  endpoint('POST', 'checkout/sessions/:id/expire', (emulator, { cause }, id) =>
    expireSession(emulator, id, cause),
  ),
  endpoint('GET', 'checkout/sessions/:id/line_items', async (emulator, _, id) =>
    buildList(requireSession(emulator, id).lineItems, `/v1/checkout/sessions/${id}/line_items`),
  ),

  endpoint('POST', 'customers', (emulator, { form }) => createCustomer(emulator, form)),
  endpoint('GET', 'customers/:id', async ({ records }, _, id) => records.require('customer', id)),
  endpoint('POST', 'customers/:id', (emulator, { form }, id) => updateCustomer(emulator, id, form)),

  endpoint('POST', 'payment_intents', (emulator, { form, cause }) => payOffSession(emulator, form, cause)),
  endpoint('GET', 'payment_intents/:id', async ({ records }, _, id) =>
    records.require('payment_intent', id, 'intent'),
  ),
  endpoint('POST', 'payment_intents/:id/cancel', (emulator, _, id) => cancelIntent(emulator, id)),
  endpoint('GET', 'charges/:id', async ({ records }, _, id) => records.require('charge', id)),
  endpoint('GET', 'events/:id', async ({ records }, _, id) => records.require('event', id).event),

  endpoint('POST', 'refunds', (emulator, { form, cause }) => createRefund(emulator, form, cause)),
  endpoint('GET', 'refunds/:id', async ({ records }, _, id) => records.require('refund', id)),
  endpoint('GET', 'refunds', async (emulator, { form }) =>
    listOfPayment(emulator, 'refund', 'refunds', form),
  ),

  endpoint('GET', 'disputes/:id', async ({ records }, _, id) => records.require('dispute', id)),
  endpoint('GET', 'disputes', async (emulator, { form }) =>
    listOfPayment(emulator, 'dispute', 'disputes', form),
  ),
  endpoint('GET', 'radar/early_fraud_warnings/:id', async ({ records }, _, id) =>
    records.require('early_fraud_warning', id),
  ),
  endpoint('GET', 'radar/early_fraud_warnings', async (emulator, { form }) =>
    listOfPayment(emulator, 'early_fraud_warning', 'radar/early_fraud_warnings', form),
  ),

  endpoint('POST', 'transfers', (emulator, { form, cause }) => createTransfer(emulator, form, cause)),
  endpoint('GET', 'transfers/:id', async ({ records }, _, id) => records.require('transfer', id)),
  endpoint('GET', 'transfers', async ({ records }, { form }) => {
    const all = records.all('transfer').reverse();
    const found = form.destination ? all.filter((known) => known.destination === form.destination) : all;
    return buildList(found, '/v1/transfers');
  }),
  endpoint('POST', 'transfers/:id/reversals', (emulator, { form, cause }, id) =>
    reverseTransfer(emulator, id, form, cause),
  ),
  endpoint(
    'GET',
    'transfers/:id/reversals',
    async ({ records }, _, id) => records.require('transfer', id).reversals,
  ),

  endpoint('POST', 'payment_method_domains', (emulator, { form }) => createDomain(emulator, form)),
  endpoint('GET', 'payment_method_domains/:id', async ({ records }, _, id) =>
    records.require('payment_method_domain', id),
  ),
  endpoint('POST', 'payment_method_domains/:id/validate', async ({ records }, _, id) =>
    records.require('payment_method_domain', id),
  ),
];

export function findEndpoint(method: string | undefined, pathname: string): Endpoint | null {
  return ENDPOINTS.find((known) => known.method === method && known.path.test(pathname)) ?? null;
}

/** Newest first, as Stripe lists. */
function listOfPayment(
  { records }: Emulator,
  kind: 'refund' | 'dispute' | 'early_fraud_warning',
  path: string,
  { payment_intent, charge }: Form,
): object {
  const all: { payment_intent?: unknown; charge?: unknown }[] = records.all(kind);
  const found = all.filter(
    (item) =>
      (payment_intent === undefined || item.payment_intent === payment_intent) &&
      (charge === undefined || item.charge === charge),
  );
  return buildList(found.reverse(), `/v1/${path}`);
}

function requireSession({ records }: Emulator, id: string) {
  const record = records.find('session', id);
  if (record === null) throw resourceMissing('checkout.session', id, 'session');
  return record;
}
