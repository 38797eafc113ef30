import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CardDetails } from './card-form';
import type { Emulator } from './emulator';
import type { Form } from './form-encoding';
import { listPage } from './lists';
import { type CardFacts, newStripeId, type PaymentMethod, type Session } from './objects';
import { readParameters } from './read-parameters';
import type { Records, SavedCardRecord } from './records';
import { invalidRequest, resourceMissing } from './stripe-errors';
import { unixSeconds } from './time';

/** A card of a customer. Only those saved in a form appear there again. */
export async function saveCard(
  { records }: Emulator,
  card: CardDetails,
  {
    customer,
    allowRedisplay,
    isSetUp = false,
  }: { customer: string; allowRedisplay: PaymentMethod['allow_redisplay']; isSetUp?: boolean },
): Promise<SavedCardRecord> {
  const { number, expiryMonth: exp_month, expiryYear: exp_year, name } = card;
  const method: PaymentMethod = {
    id: newStripeId('pm'),
    object: 'payment_method',
    allow_redisplay: allowRedisplay,
    card: describeCard(card),
    created: unixSeconds(),
    customer,
    type: 'card',
  };
  const record: SavedCardRecord = {
    method,
    details: { number, expiryMonth: exp_month, expiryYear: exp_year, name },
    isSetUp,
  };
  await records.save('payment_method', method.id, record);
  return record;
}

const FINGERPRINT_CHARACTERS = 16;

export function describeCard({ number, expiryMonth, expiryYear }: CardDetails): CardFacts {
  return {
    brand: number.startsWith('5') ? 'mastercard' : 'visa',
    exp_month: expiryMonth,
    exp_year: expiryYear,
    fingerprint: createHash('sha256').update(number).digest('hex').slice(0, FINGERPRINT_CHARACTERS),
    last4: number.slice(-4),
  };
}

export function cardsOf(records: Records, customer: string): SavedCardRecord[] {
  return records.all('payment_method').filter(({ method }) => method.customer === customer);
}

/** The cards that a form offers again: by default those that the buyer saved for it. */
export function offeredCards(
  records: Records,
  { customer, saved_payment_method_options: options }: Session,
): SavedCardRecord[] {
  if (customer === null) return [];
  const filters = options?.allow_redisplay_filters ?? ['always'];
  return cardsOf(records, customer).filter(({ method }) => filters.includes(method.allow_redisplay));
}

const listSchema = z.looseObject({ type: z.literal('card', { error: 'the sandbox saves cards only' }) });

export function listCards({ records }: Emulator, form: Form, customer: string): object {
  records.require('customer', customer, 'customer');
  readParameters(listSchema, form);
  return listPage(
    cardsOf(records, customer).map(({ method }) => method),
    form,
  );
}

/** Stripe finds a payment method through its own customer only. */
export function requireCard(records: Records, customer: string, id: string): SavedCardRecord {
  const record = records.find('payment_method', id);
  if (record?.method.customer === customer) return record;
  throw resourceMissing('PaymentMethod', id, 'payment_method');
}

export async function detachCard({ records }: Emulator, id: string): Promise<PaymentMethod> {
  const record = records.require('payment_method', id, 'payment_method');
  if (record.method.customer === null)
    throw invalidRequest(
      'The payment method you provided is not attached to a customer so detachment is impossible.',
    );
  const method = { ...record.method, customer: null };
  await records.save('payment_method', id, { ...record, method });
  return method;
}
