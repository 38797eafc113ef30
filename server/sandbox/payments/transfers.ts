import type Stripe from 'stripe';
import { z } from 'zod';
import type { Form } from './form-encoding';
import { buildList } from './lists';
import { formatMoney } from './money-text';
import { newStripeId } from './objects';
import { integer, metadata, readParameters } from './read-parameters';
import type { Emulator } from './sessions';
import { invalidRequest } from './stripe-errors';
import { unixSeconds } from './time';
import type { EventCause } from './webhook-sender';

const amount = integer.pipe(z.number().min(1, { error: 'This value must be greater than or equal to 1.' }));
const currency = z
  .string()
  .regex(/^[a-zA-Z]{3}$/, { error: 'Invalid currency' })
  .toLowerCase();

const transferSchema = z.strictObject({
  amount,
  currency,
  destination: z.string(),
  description: z.string().optional(),
  metadata: metadata.optional(),
  transfer_group: z.string().optional(),
  expand: z.array(z.string()).optional(),
});

/** Money for a connected account. Any `acct_…` is one that takes it. */
export async function createTransfer(
  { records, webhooks }: Emulator,
  form: Form,
  cause: EventCause,
): Promise<Stripe.Transfer> {
  const { expand: _, ...given } = readParameters(transferSchema, form);
  if (!/^acct_\w+$/.test(given.destination)) {
    throw invalidRequest(`No such destination: '${given.destination}'`, {
      code: 'resource_missing',
      param: 'destination',
    });
  }
  const transfer = buildTransfer(given);
  await records.save('transfer', transfer.id, transfer);
  await webhooks.emit('transfer.created', transfer, cause);
  return transfer;
}

const reversalSchema = z.strictObject({
  amount: amount.optional(),
  description: z.string().optional(),
  metadata: metadata.optional(),
  expand: z.array(z.string()).optional(),
});

export async function reverseTransfer(
  { records, webhooks }: Emulator,
  id: string,
  form: Form,
  cause: EventCause,
): Promise<Stripe.TransferReversal> {
  const transfer = records.require('transfer', id);
  const given = readParameters(reversalSchema, form);
  const left = transfer.amount - transfer.amount_reversed;
  const taken = given.amount ?? left;
  if (left === 0) throw invalidRequest(`Transfer ${id} has already been fully reversed.`);
  if (taken > left) {
    const [wanted, possible] = [taken, left].map((minor) => formatMoney(minor, transfer.currency));
    throw invalidRequest(
      `Transfer reversal amount (${wanted}) is greater than unreversed amount on transfer (${possible})`,
      {
        param: 'amount',
      },
    );
  }
  const reversal = buildReversal(transfer, taken, given.metadata ?? {});
  const data = [reversal, ...transfer.reversals.data];
  const changed: Stripe.Transfer = {
    ...transfer,
    amount_reversed: transfer.amount_reversed + taken,
    reversed: taken === left,
    reversals: { ...transfer.reversals, data },
  };
  await records.save('transfer', id, changed);
  await webhooks.emit('transfer.reversed', changed, cause);
  return reversal;
}

function buildTransfer(given: z.output<typeof transferSchema>): Stripe.Transfer {
  const id = newStripeId('tr');
  return {
    id,
    object: 'transfer',
    amount: given.amount,
    amount_reversed: 0,
    balance_transaction: newStripeId('txn'),
    created: unixSeconds(),
    currency: given.currency,
    description: given.description ?? null,
    destination: given.destination,
    livemode: false,
    metadata: given.metadata ?? {},
    reversals: buildList<Stripe.TransferReversal>([], `/v1/transfers/${id}/reversals`),
    reversed: false,
    source_transaction: null,
    transfer_group: given.transfer_group ?? null,
  };
}

function buildReversal(
  transfer: Stripe.Transfer,
  taken: number,
  given: Stripe.Metadata,
): Stripe.TransferReversal {
  return {
    id: newStripeId('trr'),
    object: 'transfer_reversal',
    amount: taken,
    balance_transaction: newStripeId('txn'),
    created: unixSeconds(),
    currency: transfer.currency,
    destination_payment_refund: null,
    metadata: given,
    source_refund: null,
    transfer: transfer.id,
  };
}
