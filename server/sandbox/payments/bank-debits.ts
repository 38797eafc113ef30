import type Stripe from 'stripe';
import { z } from 'zod';
import { invoiceOf } from './buyer-details';
import { buildBankCharge, buildCustomerDetails } from './objects';
import type { SessionRecord } from './records';
import type { Emulator } from './sessions';
import { unixSeconds } from './time';

/** A payment method whose bank decides after the buyer has left: the test accounts of SEPA debits. */

const MINUTES = 60;

type TestAccount = { iban: string; label: string; succeeds: boolean; afterSeconds: number };

export const TEST_ACCOUNTS: readonly TestAccount[] = [
  { iban: 'AT611904300234573201', label: 'Succeeds', succeeds: true, afterSeconds: 0 },
  {
    iban: 'AT321904300235473204',
    label: 'Succeeds after 3 minutes',
    succeeds: true,
    afterSeconds: 3 * MINUTES,
  },
  { iban: 'AT861904300235473202', label: 'Fails', succeeds: false, afterSeconds: 0 },
  {
    iban: 'AT051904300235473205',
    label: 'Fails after 3 minutes',
    succeeds: false,
    afterSeconds: 3 * MINUTES,
  },
];

export const bankFormSchema = z.object({ iban: z.string().max(60), name: z.string().max(200) });
export type BankField = 'iban' | 'name';

type CheckedForm = { account: TestAccount; name: string } | { errors: Partial<Record<BankField, string>> };

export function checkBankForm(form: z.output<typeof bankFormSchema>): CheckedForm {
  const iban = form.iban.replace(/\s/g, '').toUpperCase();
  const name = form.name.trim();
  const account = TEST_ACCOUNTS.find((known) => known.iban === iban);
  if (account !== undefined && name !== '') return { account, name };
  return {
    errors: {
      ...(account === undefined && {
        iban: iban === '' ? 'Enter an account number.' : 'The sandbox only takes the test accounts below.',
      }),
      ...(name === '' && { name: 'Enter the name of the account holder.' }),
    },
  };
}

/** The form is done; the money is not there. */
export async function beginDebit(
  { records, webhooks }: Emulator,
  record: SessionRecord,
  open: Stripe.PaymentIntent,
  { account, name }: { account: TestAccount; name: string },
): Promise<Stripe.Checkout.Session> {
  const charge = buildBankCharge(open, { iban: account.iban, name });
  const intent: Stripe.PaymentIntent = {
    ...open,
    status: 'processing',
    last_payment_error: null,
    latest_charge: charge.id,
    next_action: null,
    payment_method: charge.payment_method,
  };
  const session: Stripe.Checkout.Session = {
    ...record.session,
    customer_details: buildCustomerDetails(record.session.customer_email, name),
    payment_intent: intent.id,
    status: 'complete',
    url: null,
  };
  const pendingDebit = { succeeds: account.succeeds, decidesAt: unixSeconds() + account.afterSeconds };
  await Promise.all([
    records.save('session', session.id, { ...record, session, challengedCard: null, pendingDebit }),
    records.save('charge', charge.id, charge),
    records.save('payment_intent', intent.id, intent),
  ]);
  await webhooks.emit('payment_intent.processing', intent);
  await webhooks.emit('checkout.session.completed', session);
  return session;
}

/** What banks have decided by now. */
export async function decideDueDebits(emulator: Emulator): Promise<void> {
  const due = emulator.records
    .all('session')
    .filter(({ pendingDebit }) => pendingDebit && pendingDebit.decidesAt <= unixSeconds());
  await Promise.all(due.map((record) => decide(emulator, record)));
}

async function decide({ records, webhooks }: Emulator, record: SessionRecord): Promise<void> {
  const succeeds = record.pendingDebit?.succeeds ?? false;
  const before = records.require('payment_intent', String(record.session.payment_intent));
  const charged = records.require('charge', String(before.latest_charge));
  const charge: Stripe.Charge = {
    ...charged,
    status: succeeds ? 'succeeded' : 'failed',
    paid: succeeds,
    captured: succeeds,
  };
  const intent: Stripe.PaymentIntent = succeeds
    ? { ...before, status: 'succeeded', amount_received: before.amount }
    : { ...before, status: 'requires_payment_method', last_payment_error: bankRefusal(charge.id) };
  const session: Stripe.Checkout.Session = {
    ...record.session,
    payment_status: succeeds ? 'paid' : 'unpaid',
    ...(succeeds && { invoice: invoiceOf(record.session) }),
  };
  await Promise.all([
    records.save('session', session.id, { ...record, session, pendingDebit: null }),
    records.save('charge', charge.id, charge),
    records.save('payment_intent', intent.id, intent),
  ]);
  await webhooks.emit(succeeds ? 'payment_intent.succeeded' : 'payment_intent.payment_failed', intent);
  await webhooks.emit(
    succeeds ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed',
    session,
  );
}

function bankRefusal(charge: string): Stripe.PaymentIntent.LastPaymentError {
  return {
    type: 'invalid_request_error',
    charge,
    code: 'payment_intent_payment_attempt_failed',
    message: 'The bank refused the debit.',
  };
}
