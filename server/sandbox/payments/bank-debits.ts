import { z } from 'zod';
import { invoiceOf } from './buyer-details';
import { buildCharge, type Charge, type Intent, type Session } from './objects';
import { saveAttempt } from './payment-intents';
import type { Records, SessionRecord } from './records';
import type { Emulator } from './sessions';
import { unixSeconds } from './time';

/** SEPA debits: a payment method whose bank decides after the buyer has left. */

type TestAccount = { iban: string; label: string; succeeds: boolean; afterSeconds: number };

export const TEST_ACCOUNTS: readonly TestAccount[] = [
  { iban: 'AT611904300234573201', label: 'Succeeds', succeeds: true, afterSeconds: 0 },
  {
    iban: 'AT321904300235473204',
    label: 'Succeeds after 3 minutes',
    succeeds: true,
    afterSeconds: 180,
  },
  { iban: 'AT861904300235473202', label: 'Fails', succeeds: false, afterSeconds: 0 },
  {
    iban: 'AT051904300235473205',
    label: 'Fails after 3 minutes',
    succeeds: false,
    afterSeconds: 180,
  },
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
  const paidWith = { type: 'sepa_debit' as const, sepa_debit: { last4: iban.slice(-4) } };
  const charge = buildCharge(open, { paidWith, status: 'pending' });
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
    saveAttempt(emulator, intent, charge),
  ]);
  await webhooks.emit('payment_intent.processing', intent);
  await webhooks.emit('checkout.session.completed', session);
  return session;
}

/** Lets the bank decide every debit whose time has come. */
export async function decideDueDebits(emulator: Emulator): Promise<void> {
  const decisions = emulator.records.all('session').flatMap((record) => {
    const { pendingDebit } = record;
    if (!pendingDebit || pendingDebit.decidesAt > unixSeconds()) return [];
    return [pendingDebit.succeeds ? settleDebit(emulator, record) : refuseDebit(emulator, record)];
  });
  await Promise.all(decisions);
}

async function settleDebit(emulator: Emulator, record: SessionRecord): Promise<void> {
  const { records, webhooks } = emulator;
  const { intent, charge } = requireDebit(records, record);
  const paid: Intent = { ...intent, status: 'succeeded', amount_received: intent.amount };
  const session: Session = {
    ...record.session,
    payment_status: 'paid',
    invoice: invoiceOf(record.session),
  };
  await Promise.all([
    records.save('session', session.id, { ...record, session, pendingDebit: null }),
    saveAttempt(emulator, paid, { ...charge, status: 'succeeded', paid: true }),
  ]);
  await webhooks.emit('payment_intent.succeeded', paid);
  await webhooks.emit('checkout.session.async_payment_succeeded', session);
}

async function refuseDebit(emulator: Emulator, record: SessionRecord): Promise<void> {
  const { records, webhooks } = emulator;
  const { intent, charge } = requireDebit(records, record);
  const refused: Intent = {
    ...intent,
    status: 'requires_payment_method',
    last_payment_error: {
      type: 'invalid_request_error',
      charge: charge.id,
      code: 'payment_intent_payment_attempt_failed',
      message: 'The bank refused the debit.',
    },
  };
  await Promise.all([
    records.save('session', record.session.id, { ...record, pendingDebit: null }),
    saveAttempt(emulator, refused, { ...charge, status: 'failed' }),
  ]);
  await webhooks.emit('payment_intent.payment_failed', refused);
  await webhooks.emit('checkout.session.async_payment_failed', record.session);
}

function requireDebit(records: Records, { session }: SessionRecord): { intent: Intent; charge: Charge } {
  const intent = records.require('payment_intent', session.payment_intent ?? '');
  return { intent, charge: records.require('charge', intent.latest_charge ?? '') };
}
