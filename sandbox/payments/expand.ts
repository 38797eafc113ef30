import { withInvoice, withTaxes } from './business';
import type { Session } from './objects';
import type { Records } from './records';
import { invalidRequest } from './stripe-errors';

/** The fields that can be expanded, by the object that holds them. */
const EXPANDABLE: Record<
  string,
  Record<string, 'payment_intent' | 'setup_intent' | 'charge' | 'customer'>
> = {
  'checkout.session': {
    payment_intent: 'payment_intent',
    setup_intent: 'setup_intent',
    customer: 'customer',
  },
  payment_intent: { latest_charge: 'charge' },
  refund: { charge: 'charge' },
};

/** Replaces ids by their objects along a path such as `payment_intent.latest_charge`. */
export function expandObject(records: Records, object: object, path: string): object {
  if (path === 'total_details.breakdown') return withTaxes(records, object as Session);
  if (path === 'invoice') return withInvoice(object as Session);
  const [name = '', ...rest] = path.split('.');
  const listed: unknown = Reflect.get(object, 'data');
  if (name === 'data' && Array.isArray(listed))
    return { ...object, data: listed.map((item) => expandObject(records, item, rest.join('.'))) };
  const kind = EXPANDABLE[String(Reflect.get(object, 'object'))]?.[name];
  if (kind === undefined)
    throw invalidRequest(`This property cannot be expanded (${path}).`, { param: 'expand' });
  const id: unknown = Reflect.get(object, name);
  if (typeof id !== 'string') return object;
  const target = records.require(kind, id);
  return { ...object, [name]: rest.length === 0 ? target : expandObject(records, target, rest.join('.')) };
}
