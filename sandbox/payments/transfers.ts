import type Stripe from 'stripe';
import { z } from 'zod';
import { requireAccount } from './connected-accounts';
import type { Form } from './form-encoding';
import { formatMoney } from './money-text';
import { newStripeId } from './objects';
import { currency, metadata, positiveAmount, readParameters } from './read-parameters';
import type { Records } from './records';
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

/** Of the platform, in cents. */
export type PlatformBalance = { available: number };
const PLATFORM_BALANCE = 'platform_balance';
const START_BALANCE = 10_000_000;

const readAvailable = (records: Records): number =>
  records.find('platform_balance', PLATFORM_BALANCE)?.available ?? START_BALANCE;

export const setBalance = (records: Records, available: number): Promise<void> =>
  records.save('platform_balance', PLATFORM_BALANCE, { available });

export function readBalance({ records }: Emulator): object {
  const available = [{ amount: readAvailable(records), currency: 'usd' }];
  return { object: 'balance', available, livemode: false, pending: [{ amount: 0, currency: 'usd' }] };
}

const transferSchema = z.strictObject({
  amount: positiveAmount,
  currency: currency.pipe(z.literal('usd', { error: 'The sandbox transfers USD only.' })),
  destination: z.string(),
  metadata: metadata.default({}),
  transfer_group: z.string().nullable().default(null),
});

/** Sends money to a connected account, once that can receive any and the platform has enough. */
export async function createTransfer({ records, webhooks }: Emulator, form: Form): Promise<Transfer> {
  const given = readParameters(transferSchema, form);
  const record = requireDestination(records, given.destination);
  const available = readAvailable(records);
  if (available < given.amount)
    throw invalidRequest('You have insufficient available funds in your Stripe account.', {
      code: 'balance_insufficient',
    });
  const transfer: Transfer = {
    id: newStripeId('tr'),
    object: 'transfer',
    amount_reversed: 0,
    created: unixSeconds(),
    reversed: false,
    ...given,
  };
  await Promise.all([
    setBalance(records, available - given.amount),
    records.save('connected_account', given.destination, {
      ...record,
      balance: record.balance + given.amount,
    }),
    records.save('transfer', transfer.id, transfer),
  ]);
  await webhooks.emit('transfer.created', transfer);
  return transfer;
}

function requireDestination(records: Records, id: string): ReturnType<typeof requireAccount> {
  const record = records.find('connected_account', id);
  if (record === null || record.isDeauthorized)
    throw invalidRequest(`No such destination: '${id}'`, { code: 'resource_missing', param: 'destination' });
  if (record.account.capabilities.transfers !== 'active')
    throw invalidRequest(
      'Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments',
      { code: 'insufficient_capabilities_for_transfer', param: 'destination' },
    );
  return record;
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
  const record = requireAccount(records, transfer.destination);
  if (record.balance < amount)
    throw invalidRequest('The balance of the connected account does not cover this reversal.', {
      code: 'balance_insufficient',
    });
  const amount_reversed = transfer.amount_reversed + amount;
  const changed = { ...transfer, amount_reversed, reversed: amount_reversed === transfer.amount };
  await Promise.all([
    setBalance(records, readAvailable(records) + amount),
    records.save('connected_account', transfer.destination, { ...record, balance: record.balance - amount }),
    records.save('transfer', id, changed),
  ]);
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
