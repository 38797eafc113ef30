import type Stripe from 'stripe';
import { z } from 'zod';
import { requireAccount } from './connected-accounts';
import type { Form } from './form-encoding';
import { listPage } from './lists';
import { newStripeId } from './objects';
import type { Emulator } from './sessions';
import { invalidRequest } from './stripe-errors';
import { unixSeconds } from './time';

/** What a connected account pays out to its bank. */

export type BankPayout = Pick<
  Stripe.Payout,
  'id' | 'object' | 'amount' | 'created' | 'currency' | 'failure_code' | 'failure_message'
> & { status: 'in_transit' | 'paid' | 'failed'; account: string };

export function listBankPayouts({ records }: Emulator, form: Form, accountId: string | null): object {
  requireAccount(records, accountId ?? '');
  const payouts = records.all('bank_payout').filter(({ account }) => account === accountId);
  return listPage(payouts, form);
}

export const bankPayoutSchema = z.strictObject({
  account: z.string(),
  outcome: z.enum(['in_transit', 'paid', 'failed']),
});

/** Pays the whole balance out, or decides the payout that is in transit. */
export async function payOut(
  emulator: Emulator,
  { account: accountId, outcome }: z.output<typeof bankPayoutSchema>,
): Promise<void> {
  const { records, webhooks } = emulator;
  const inTransit = records
    .all('bank_payout')
    .find(({ account, status }) => account === accountId && status === 'in_transit');
  const payout = { ...(inTransit ?? (await beginPayout(emulator, accountId))), status: outcome };
  if (outcome === 'failed') {
    payout.failure_code = 'account_closed';
    payout.failure_message = 'The bank account has been closed.';
    const record = requireAccount(records, accountId);
    await records.save('connected_account', accountId, {
      ...record,
      balance: record.balance + payout.amount,
    });
  }
  await records.save('bank_payout', payout.id, payout);
  if (outcome !== 'in_transit') await webhooks.emit(`payout.${outcome}`, payout, accountId);
}

async function beginPayout({ records }: Emulator, accountId: string): Promise<BankPayout> {
  const record = requireAccount(records, accountId);
  if (record.balance === 0) throw invalidRequest(`The balance of ${accountId} is empty.`);
  await records.save('connected_account', accountId, { ...record, balance: 0 });
  return {
    id: newStripeId('po'),
    object: 'payout',
    account: accountId,
    amount: record.balance,
    created: unixSeconds(),
    currency: 'usd',
    failure_code: null,
    failure_message: null,
    status: 'in_transit',
  };
}
