import type Stripe from 'stripe';
import { z } from 'zod';
import type { Form } from './form-encoding';
import { formatMoney } from './money-text';
import { newStripeId } from './objects';
import { currency, metadata, positiveAmount, readParameters } from './read-parameters';
import type { Emulator } from './sessions';
import { invalidRequest } from './stripe-errors';
import { unixSeconds } from './time';

export type Transfer = Pick<
  Stripe.Transfer,
  'id' | 'object' | 'amount' | 'amount_reversed' | 'created' | 'currency' | 'metadata' | 'reversed'
> & { destination: string; transfer_group: string | null };
type TransferReversal = Pick<
  Stripe.TransferReversal,
  'id' | 'object' | 'amount' | 'created' | 'currency' | 'metadata'
> & { transfer: string };

const transferSchema = z.strictObject({
  amount: positiveAmount,
  currency,
  destination: z.string(),
  metadata: metadata.default({}),
  transfer_group: z.string().nullable().default(null),
});

/** Sends money to a connected account. Every `acct_…` exists and accepts it. */
export async function createTransfer({ records, webhooks }: Emulator, form: Form): Promise<Transfer> {
  const given = readParameters(transferSchema, form);
  if (!/^acct_\w+$/.test(given.destination)) {
    throw invalidRequest(`No such destination: '${given.destination}'`, {
      code: 'resource_missing',
      param: 'destination',
    });
  }
  const transfer: Transfer = {
    id: newStripeId('tr'),
    object: 'transfer',
    amount_reversed: 0,
    created: unixSeconds(),
    reversed: false,
    ...given,
  };
  await records.save('transfer', transfer.id, transfer);
  await webhooks.emit('transfer.created', transfer);
  return transfer;
}

const reversalSchema = z.strictObject({ amount: positiveAmount.optional(), metadata: metadata.default({}) });

export async function reverseTransfer(
  { records, webhooks }: Emulator,
  id: string,
  form: Form,
): Promise<TransferReversal> {
  const transfer = records.require('transfer', id);
  const given = readParameters(reversalSchema, form);
  const amount = chooseAmount(transfer, given.amount);
  const amount_reversed = transfer.amount_reversed + amount;
  const changed = { ...transfer, amount_reversed, reversed: amount_reversed === transfer.amount };
  await records.save('transfer', id, changed);
  await webhooks.emit('transfer.reversed', changed);
  return {
    id: newStripeId('trr'),
    object: 'transfer_reversal',
    amount,
    created: unixSeconds(),
    currency: transfer.currency,
    metadata: given.metadata,
    transfer: id,
  };
}

function chooseAmount(transfer: Transfer, given: number | undefined): number {
  const left = transfer.amount - transfer.amount_reversed;
  if (left === 0) throw invalidRequest(`Transfer ${transfer.id} has already been fully reversed.`);
  if (given === undefined || given <= left) return given ?? left;
  const [wanted, possible] = [given, left].map((minor) => formatMoney(minor, transfer.currency));
  throw invalidRequest(
    `Transfer reversal amount (${wanted}) is greater than unreversed amount on transfer (${possible})`,
    { param: 'amount' },
  );
}
