import { Prisma } from '../../../prisma/client/client';
import { DAY_MS, nowDate } from '../../base/clock';
import type { Tx } from '../../base/db';
import { type PayoutState, returnPayout } from '../../ledger';
import { refusal, requirePayout, requireState } from './approve';
import { decimalsOf, isCurrency, parsePaidAmount, writePaidAmount } from './paid-amount';

/** Payouts that an operator makes outside the service, and records. */

export type ManualPayment = {
  /** What the operator's bank calls the payment. Unique for the team. */
  reference: string;
  currency: string;
  paidMinor: bigint;
  /** Units of the currency per USD. */
  rate: string;
  sentAt: Date;
};

/** As entered on a page or the command line. */
export type PaymentEntry = {
  reference: string;
  currency: string;
  amount: string;
  rate: string;
  /** A day in UTC: `2026-12-01`. Empty for today. */
  date: string;
};

const MAX_REFERENCE = 140;
const RATE = /^\d{1,9}(\.\d{1,8})?$/;

export function readPayment(entry: PaymentEntry): ManualPayment {
  const reference = entry.reference.trim();
  if (reference === '' || reference.length > MAX_REFERENCE)
    throw refusal(`Enter a reference of 1 to ${MAX_REFERENCE} characters`, 'reference');
  const currency = entry.currency.trim().toLowerCase();
  if (!isCurrency(currency)) throw refusal('Enter a currency of three letters, such as EUR', 'currency');
  const paidMinor = parsePaidAmount(entry.amount, currency);
  if (paidMinor === null)
    throw refusal(
      `Enter an amount in ${currency.toUpperCase()} with at most ${decimalsOf(currency)} decimals`,
      'amount',
    );
  const rate = entry.rate.trim();
  if (!RATE.test(rate) || Number(rate) === 0)
    throw refusal('Enter the rate as units per USD, such as 0.92', 'rate');
  return { reference, currency, paidMinor, rate, sentAt: readDay(entry.date.trim()) };
}

function readDay(text: string): Date {
  if (text === '') return nowDate();
  const day = new Date(`${text}T00:00:00Z`);
  // JavaScript turns 31 February into March.
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(day.getTime());
  if (!isDay || day.toISOString().slice(0, 10) !== text)
    throw refusal('Enter the date as year, month and day, such as 2026-12-01', 'date');
  return day;
}

/** Records that a payout was made. The unique index decides between two payouts with one reference. */
export async function recordSent(tx: Tx, payoutId: string, payment: ManualPayment): Promise<void> {
  const { amount, createdAt } = await requirePayout(tx, payoutId);
  requireSameAmount(amount, payment);
  requirePossibleDate(payment.sentAt, createdAt);
  try {
    if (await markSent(tx, payoutId, payment)) return;
  } catch (error) {
    if (!isReferenceTaken(error)) throw error;
    throw refusal(`Another payout of this team has the reference ${payment.reference}`, 'reference');
  }
  throw await explainUnsendable(tx, payoutId);
}

async function markSent(tx: Tx, payoutId: string, payment: ManualPayment): Promise<boolean> {
  const { reference, currency, paidMinor, rate, sentAt } = payment;
  const moved = await tx.$executeRaw`
    UPDATE payout SET state = 'sent', sent_at = ${sentAt}, reference = ${reference}, paid_currency = ${currency},
           paid_minor = ${paidMinor}, rate = ${rate}::numeric
    WHERE id = ${payoutId} AND method = 'manual' AND state = 'planned' AND approved_by IS NOT NULL AND held_at IS NULL
      AND NOT EXISTS (SELECT FROM team WHERE team.id = payout.team_id AND payouts_held_at IS NOT NULL)`;
  return moved === 1;
}

async function explainUnsendable(tx: Tx, payoutId: string) {
  const payout = await requirePayout(tx, payoutId);
  if (payout.method !== 'manual') return refusal('This payout is sent by Stripe');
  requireState(payout, ['planned'], 'recorded as sent');
  if (payout.approvedBy === null) return refusal('Approve this payout first');
  return refusal(payout.heldAt === null ? 'The payouts of this team are paused' : 'This payout is paused');
}

/** Raw queries report the code of PostgreSQL. */
const isReferenceTaken = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError &&
  /P2002|23505/.test(`${error.code} ${error.message}`);

const RATE_DECIMALS = 8;
/** 1 USD in microcredits. */
const PER_DOLLAR = 100_000_000n;

/** The amount that arrived is the payout at the rate, to the minor unit. */
function requireSameAmount(amount: bigint, { currency, paidMinor, rate }: ManualPayment): void {
  const [whole = '', decimals = ''] = rate.split('.');
  const scale = 10n ** BigInt(RATE_DECIMALS);
  const scaledRate = BigInt(whole + decimals.padEnd(RATE_DECIMALS, '0'));
  if (currency === 'usd' && scaledRate !== scale) throw refusal('The rate of USD is 1', 'rate');
  const unit = PER_DOLLAR * scale;
  const expected = amount * scaledRate * 10n ** BigInt(decimalsOf(currency));
  const off = paidMinor * unit - expected;
  if ((off < 0n ? -off : off) <= unit) return;
  const rounded = (expected + unit / 2n) / unit;
  throw refusal(
    `At the rate ${rate} this payout is ${writePaidAmount(rounded, currency)}, not ${writePaidAmount(paidMinor, currency)}`,
    'amount',
  );
}

function requirePossibleDate(sentAt: Date, createdAt: Date): void {
  if (sentAt > nowDate()) throw refusal('The date is in the future', 'date');
  if (sentAt.getTime() <= createdAt.getTime() - DAY_MS)
    throw refusal('The date is before the payout was planned', 'date');
}

/** Records that a payout made by hand came back, and books the money back. */
export async function recordReturned(tx: Tx, payoutId: string, failure: string): Promise<void> {
  const payout = await requirePayout(tx, payoutId);
  if (payout.method !== 'manual') throw refusal('Reverse the transfer of this payout instead');
  await endPayout(tx, payoutId, { from: ['sent'], to: 'returned', failure });
}

/** Ends a payout that cannot be made, and books the money back. */
export const recordFailed = (tx: Tx, payoutId: string, failure: string): Promise<void> =>
  endPayout(tx, payoutId, { from: ['planned'], to: 'failed', failure });

type End = { from: PayoutState[]; to: 'returned' | 'failed'; failure: string };

async function endPayout(tx: Tx, payoutId: string, end: End): Promise<void> {
  if (await returnPayout({ payoutId, ...end }, tx)) return;
  requireState(await requirePayout(tx, payoutId), end.from, `recorded as ${end.to}`);
}
