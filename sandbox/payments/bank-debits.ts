import { z } from 'zod';
import { invoiceOf } from './buyer-details';
import type { Emulator } from './emulator';
import { buildCharge, type Intent, type Session } from './objects';
import { conclude, saveAttempt } from './payment-intents';
import type { SessionRecord } from './records';
import { unixSeconds } from './time';

/** SEPA debits: a payment method whose bank decides after the buyer has left. */

type TestAccount = { iban: string; label: string; succeeds: boolean; afterSeconds: number };

export const TEST_ACCOUNTS: readonly TestAccount[] = [
  { iban: 'AT611904300234573201', label: 'Succeeds', succeeds: true, afterSeconds: 0 },
  { iban: 'AT321904300235473204', label: 'Succeeds after 3 minutes', succeeds: true, afterSeconds: 180 },
  { iban: 'AT861904300235473202', label: 'Fails', succeeds: false, afterSeconds: 0 },
  { iban: 'AT051904300235473205', label: 'Fails after 3 minutes', succeeds: false, afterSeconds: 180 },
];

export const bankFormSchema = z.object({ iban: z.string().max(60), name: z.string().max(200) });
export type BankField = 'iban' | 'name';

type CheckedForm = { account: TestAccount } | { errors: Partial<Record<BankField, string>> };

export function checkBankForm(form: z.output<typeof bankFormSchema>): CheckedForm {
  const iban = form.iban.replace(/\s/g, '').toUpperCase();
  const name = form.name.trim();
  const account = TEST_ACCOUNTS.find((known) => known.iban === iban);
  if (account !== undefined && name !== '') return { account };
  return {
    errors: {
      ...(account === undefined && {
        iban: iban === '' ? 'Enter an account number.' : 'The sandbox accepts only the test accounts below.',
      }),
      ...(name === '' && { name: 'Enter the name of the account holder.' }),
    },
  };
}

/** Completes the form; the money comes later, or never. */
export async function beginDebit(
  emulator: Emulator,
  record: SessionRecord,
  open: Intent,
  { iban, succeeds, afterSeconds }: TestAccount,
): Promise<Session> {
  const { records, webhooks } = emulator;
  const charge = buildCharge(open, { type: 'sepa_debit', sepa_debit: { last4: iban.slice(-4) } });
  const intent: Intent = {
    ...open,
    status: 'processing',
    last_payment_error: null,
    latest_charge: charge.id,
    next_action: null,
    payment_method: charge.payment_method,
  };
  const session: Session = { ...record.session, payment_intent: intent.id, status: 'complete', url: null };
  const pendingDebit = { succeeds, decidesAt: unixSeconds() + afterSeconds };
  await Promise.all([
    records.save('session', session.id, { ...record, session, challengedCard: null, pendingDebit }),
    saveAttempt(emulator, { intent, charge }),
  ]);
  await webhooks.emit('payment_intent.processing', intent);
  await webhooks.emit('checkout.session.completed', session);
  return session;
}

/** Lets the bank decide every debit whose time has come. */
export async function decideDueDebits(emulator: Emulator): Promise<void> {
  const due = emulator.records
    .all('session')
    .filter(({ pendingDebit }) => pendingDebit && pendingDebit.decidesAt <= unixSeconds());
  await Promise.all(due.map((record) => decide(emulator, record)));
}

async function decide(emulator: Emulator, record: SessionRecord): Promise<void> {
  const { records, webhooks } = emulator;
  const open = records.require('payment_intent', record.session.payment_intent ?? '');
  const charge = records.require('charge', open.latest_charge ?? '');
  const isPaid = record.pendingDebit?.succeeds ?? false;
  const attempt = conclude(open, charge, isPaid ? null : bankRefusal(charge.id));
  const session: Session = isPaid
    ? { ...record.session, payment_status: 'paid', invoice: invoiceOf(record.session) }
    : record.session;
  await Promise.all([
    records.save('session', session.id, { ...record, session, pendingDebit: null }),
    saveAttempt(emulator, attempt),
  ]);
  const outcome = isPaid ? 'succeeded' : 'failed';
  await webhooks.emit(isPaid ? 'payment_intent.succeeded' : 'payment_intent.payment_failed', attempt.intent);
  await webhooks.emit(`checkout.session.async_payment_${outcome}`, session);
}

function bankRefusal(charge: string): NonNullable<Intent['last_payment_error']> {
  return {
    type: 'invalid_request_error',
    charge,
    code: 'payment_intent_payment_attempt_failed',
    message: 'The bank refused the debit.',
  };
}
