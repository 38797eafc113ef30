import type Stripe from 'stripe';
import { z } from 'zod';
import { randomBase62 } from '../../server/base/ids';
import { readAccountState } from './account';
import type { Emulator } from './emulator';
import type { Form } from './form-encoding';
import { listPage } from './lists';
import { formatMoney } from './money-text';
import {
  type BankPayout,
  type ConnectedAccount,
  type ConnectedAccountRecord,
  newStripeId,
  type Transfer,
} from './objects';
import { currency, flag, metadata, oneOf, positiveAmount, readParameters, url } from './read-parameters';
import type { Records } from './records';
import { invalidRequest, StripeError } from './stripe-errors';
import { unixSeconds } from './time';

/** Accounts of payees, which receive transfers and are paid out to a bank. */

const NEW_DUE = ['business_profile.url', 'external_account', 'individual.id_number', 'tos_acceptance.date'];
const LINK_SECONDS = 300;

/** Only the kind of account that svc creates: onboarded by Stripe, with the Express dashboard. */
const accountSchema = z.strictObject({
  controller: z.strictObject({
    fees: z.strictObject({ payer: z.literal('application') }),
    losses: z.strictObject({ payments: z.literal('application') }),
    requirement_collection: z.literal('stripe'),
    stripe_dashboard: z.strictObject({ type: z.literal('express') }),
  }),
  capabilities: z.strictObject({ transfers: z.strictObject({ requested: flag }) }),
  country: z.string().regex(/^(?!ZZ)[A-Z]{2}$/, { error: 'Country is invalid' }),
  email: z.email({ error: 'Invalid email address' }),
  metadata: metadata.default({}),
  tos_acceptance: z
    .strictObject({ service_agreement: oneOf('full', 'recipient') })
    .default({ service_agreement: 'full' }),
});

export async function createAccount({ records }: Emulator, form: Form): Promise<ConnectedAccount> {
  if (!readAccountState(records).has_connect)
    throw invalidRequest(
      'You can only create new accounts if you have signed up for Connect, which you can do at https://dashboard.stripe.com/connect.',
    );
  const { controller: _, capabilities: _requested, ...given } = readParameters(accountSchema, form);
  const account: ConnectedAccount = {
    id: `acct_${randomBase62(16)}`,
    object: 'account',
    ...given,
    ...describeState('onboarding'),
  };
  await records.save('connected_account', account.id, { account, balance: 0, isDeauthorized: false });
  return account;
}

/** As Stripe refuses an account that is unknown, or whose access was revoked. */
export function requireAccount(records: Records, id: string): ConnectedAccountRecord {
  const found = records.find('connected_account', id);
  if (found !== null && !found.isDeauthorized) return found;
  throw new StripeError(403, {
    type: 'invalid_request_error',
    code: 'account_invalid',
    message: `The provided key does not have access to account '${id}' (or that account does not exist). Application access may have been revoked.`,
  });
}

const linkSchema = z.strictObject({
  account: z.string(),
  type: z.literal('account_onboarding'),
  collection_options: z.strictObject({ fields: oneOf('currently_due', 'eventually_due') }).optional(),
  return_url: url,
  refresh_url: url,
});

export async function createAccountLink({ records, baseUrl }: Emulator, form: Form): Promise<object> {
  const { account, return_url, refresh_url } = readParameters(linkSchema, form);
  requireAccount(records, account);
  const created = unixSeconds();
  const id = newStripeId('acclink');
  const expires_at = created + LINK_SECONDS;
  await records.save('account_link', id, { id, account, return_url, refresh_url, expires_at, isUsed: false });
  return { object: 'account_link', created, expires_at, url: `${baseUrl()}/connect/onboarding/${id}` };
}

export function createLoginLink({ records, baseUrl }: Emulator, id: string): object {
  if (!requireAccount(records, id).account.details_submitted)
    throw invalidRequest(
      'Cannot create a login link for an account that has not completed onboarding. Use Account Links instead.',
    );
  return { object: 'login_link', created: unixSeconds(), url: `${baseUrl()}/connect/dashboard/${id}` };
}

const STATES = ['onboarding', 'active', 'pending', 'restricted', 'rejected'] as const;
type AccountState = (typeof STATES)[number];
export const connectAccountSchema = z.strictObject({
  id: z.string(),
  state: z.enum([...STATES, 'deauthorized']),
  /** The fields that are due; of a restricted account, one by default. */
  due: z.array(z.string()).optional(),
});

/** Decides about an account as Stripe does after the onboarding or a review, and sends the events. */
export async function changeConnectedAccount(
  { records, webhooks }: Emulator,
  { id, state, due }: z.output<typeof connectAccountSchema>,
): Promise<void> {
  const record = requireAccount(records, id);
  if (state === 'deauthorized') {
    await records.save('connected_account', id, { ...record, isDeauthorized: true });
    const application = { id: 'ca_sandbox', object: 'application' };
    return webhooks.emit('account.application.deauthorized', application, id);
  }
  const account: ConnectedAccount = { ...record.account, ...describeState(state, due) };
  await records.save('connected_account', id, { ...record, account });
  const status = account.capabilities.transfers;
  if (record.account.capabilities.transfers !== status)
    await webhooks.emit(
      'capability.updated',
      { id: 'transfers', object: 'capability', account: id, status },
      id,
    );
  await webhooks.emit('account.updated', account, id);
}

function describeState(state: AccountState, due?: string[]) {
  const defaults = { onboarding: NEW_DUE, restricted: ['individual.verification.document'] };
  const currently_due = due ?? (state in defaults ? defaults[state as keyof typeof defaults] : []);
  const reasons = {
    onboarding: 'requirements.past_due',
    active: null,
    pending: 'requirements.pending_verification',
    restricted: 'requirements.past_due',
    rejected: 'rejected.terms_of_service',
  } as const;
  const isActive = state === 'active';
  const transfers = isActive ? 'active' : state === 'pending' ? 'pending' : 'inactive';
  return {
    capabilities: { transfers },
    details_submitted: state !== 'onboarding',
    payouts_enabled: isActive,
    requirements: {
      currently_due,
      past_due: isActive ? [] : currently_due,
      disabled_reason: reasons[state],
    },
  } satisfies Partial<ConnectedAccount>;
}

/** The platform's own balance, in cents. */
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
export async function createTransfer(emulator: Emulator, form: Form): Promise<Transfer> {
  const given = readParameters(transferSchema, form);
  requireDestination(emulator.records, given.destination);
  if (readAvailable(emulator.records) < given.amount)
    throw lacksMoney('You have insufficient available funds in your Stripe account.');
  const transfer: Transfer = {
    id: newStripeId('tr'),
    object: 'transfer',
    amount_reversed: 0,
    created: unixSeconds(),
    reversed: false,
    ...given,
  };
  await move(emulator.records, transfer, given.amount);
  await emulator.webhooks.emit('transfer.created', transfer);
  return transfer;
}

function requireDestination(records: Records, id: string): void {
  const record = records.find('connected_account', id);
  if (record === null || record.isDeauthorized)
    throw invalidRequest(`No such destination: '${id}'`, { code: 'resource_missing', param: 'destination' });
  if (record.account.capabilities.transfers !== 'active')
    throw invalidRequest(
      'Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments',
      { code: 'insufficient_capabilities_for_transfer', param: 'destination' },
    );
}

const lacksMoney = (message: string): StripeError =>
  invalidRequest(message, { code: 'balance_insufficient' });

/** From the platform to the account of a transfer; back, if the amount is negative. */
async function move(records: Records, transfer: Transfer, amount: number): Promise<void> {
  await Promise.all([
    setBalance(records, readAvailable(records) - amount),
    addToBalance(records, transfer.destination, amount),
    records.save('transfer', transfer.id, transfer),
  ]);
}

function addToBalance(records: Records, id: string, amount: number): Promise<void> {
  const record = requireAccount(records, id);
  return records.save('connected_account', id, { ...record, balance: record.balance + amount });
}

const reversalSchema = z.strictObject({ amount: positiveAmount.optional(), metadata: metadata.default({}) });

export async function reverseTransfer(
  { records, webhooks }: Emulator,
  id: string,
  form: Form,
): Promise<Pick<Stripe.TransferReversal, 'id' | 'object' | 'amount' | 'created' | 'currency' | 'metadata'>> {
  const transfer = records.require('transfer', id);
  const given = readParameters(reversalSchema, form);
  const left = transfer.amount - transfer.amount_reversed;
  const amount = given.amount ?? left;
  if (left === 0) throw invalidRequest(`Transfer ${id} has already been fully reversed.`);
  if (amount > left) {
    const [wanted, possible] = [amount, left].map((minor) => formatMoney(minor, transfer.currency));
    throw invalidRequest(
      `Transfer reversal amount (${wanted}) is greater than unreversed amount on transfer (${possible})`,
      { param: 'amount' },
    );
  }
  if (requireAccount(records, transfer.destination).balance < amount)
    throw lacksMoney('The balance of the connected account does not cover this reversal.');
  const amount_reversed = transfer.amount_reversed + amount;
  const changed = { ...transfer, amount_reversed, reversed: amount_reversed === transfer.amount };
  await move(records, changed, -amount);
  await webhooks.emit('transfer.reversed', changed);
  return {
    id: newStripeId('trr'),
    object: 'transfer_reversal',
    amount,
    created: unixSeconds(),
    currency: transfer.currency,
    metadata: given.metadata,
  };
}

export function listBankPayouts({ records }: Emulator, form: Form, accountId: string | null): object {
  requireAccount(records, accountId ?? '');
  return listPage(
    records.all('bank_payout').filter(({ account }) => account === accountId),
    form,
  );
}

export const bankPayoutSchema = z.strictObject({
  account: z.string(),
  outcome: z.enum(['in_transit', 'paid', 'failed']),
});

/** Pays the whole balance out to the bank, or decides the payout that is in transit. */
export async function payOut(
  { records, webhooks }: Emulator,
  { account: id, outcome }: z.output<typeof bankPayoutSchema>,
): Promise<void> {
  const inTransit = records
    .all('bank_payout')
    .find(({ account, status }) => account === id && status === 'in_transit');
  const payout = { ...(inTransit ?? buildPayout(records, id)), status: outcome };
  if (inTransit === undefined) await addToBalance(records, id, -payout.amount);
  if (outcome === 'failed') {
    payout.failure_code = 'account_closed';
    payout.failure_message = 'The bank account has been closed.';
    await addToBalance(records, id, payout.amount);
  }
  await records.save('bank_payout', payout.id, payout);
  if (outcome !== 'in_transit') await webhooks.emit(`payout.${outcome}`, payout, id);
}

function buildPayout(records: Records, account: string): BankPayout {
  const { balance: amount } = requireAccount(records, account);
  if (amount === 0) throw invalidRequest(`The balance of ${account} is empty.`);
  return {
    id: newStripeId('po'),
    object: 'payout',
    account,
    amount,
    created: unixSeconds(),
    currency: 'usd',
    failure_code: null,
    failure_message: null,
    status: 'in_transit',
  };
}
