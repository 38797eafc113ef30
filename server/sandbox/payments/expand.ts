import { buildList } from './lists';
import type { Records } from './records';
import { invalidRequest } from './stripe-errors';

type StripeObject = { id: string; object: string };

/** What may be expanded, by the object that holds it. */
const EXPANDABLE: Record<string, Record<string, 'payment_intent' | 'charge' | 'customer' | 'transfer'>> = {
  'checkout.session': { payment_intent: 'payment_intent', customer: 'customer' },
  payment_intent: { latest_charge: 'charge', customer: 'customer' },
  charge: { payment_intent: 'payment_intent' },
  refund: { charge: 'charge', payment_intent: 'payment_intent' },
  dispute: { charge: 'charge', payment_intent: 'payment_intent' },
  'radar.early_fraud_warning': { charge: 'charge', payment_intent: 'payment_intent' },
  transfer_reversal: { transfer: 'transfer' },
};

/** Replaces ids by their objects, as `expand[]=payment_intent.latest_charge` asks. */
export function expandObject(records: Records, object: StripeObject, paths: readonly string[]): StripeObject {
  return paths.reduce((expanded, path) => expandPath(records, expanded, path.split('.'), path), object);
}

function expandPath(
  records: Records,
  object: StripeObject,
  [name = '', ...rest]: string[],
  path: string,
): StripeObject {
  if (object.object === 'checkout.session' && name === 'line_items')
    return { ...object, ...listLineItems(records, object.id) };
  const kind = EXPANDABLE[object.object]?.[name];
  if (kind === undefined)
    throw invalidRequest(`This property cannot be expanded (${path}).`, { param: 'expand' });
  const held: unknown = Reflect.get(object, name);
  if (held === null) return object;
  const target: StripeObject =
    typeof held === 'string' ? records.require(kind, held) : (held as StripeObject);
  return { ...object, [name]: rest.length === 0 ? target : expandPath(records, target, rest, path) };
}

function listLineItems(records: Records, sessionId: string): object {
  return {
    line_items: buildList(
      records.require('session', sessionId).lineItems,
      `/v1/checkout/sessions/${sessionId}/line_items`,
    ),
  };
}
