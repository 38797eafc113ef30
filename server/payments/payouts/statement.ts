import type { Seller } from '../invoices/document';
import { findSeller } from '../invoices/seller';
import { findPayout, type PayoutDetails } from './list-payouts';
import { type PayoutPayee, readPayeeDetails } from './payee-details';

/** What a statement says in every format: the payout, who pays and who is paid. */
export type Statement = {
  payout: PayoutDetails;
  /** Null while the operator has not set who sells. */
  payer: Seller | null;
  /** Null if the team has entered none. */
  payee: Omit<PayoutPayee, 'payer' | 'savedAt'> | null;
};

/** With `teamId` null, of any team. Null if there is no such payout. */
export async function findStatement(payoutId: string, teamId: string | null): Promise<Statement | null> {
  const payout = await findPayout(payoutId, teamId);
  if (payout === null) return null;
  return {
    payout,
    payer: payout.payee?.payer ?? findSeller(),
    payee: payout.payee ?? (await readPayeeDetails(payout.teamId)),
  };
}

const DECIMALS = 8;

/** Exact: a microcredit is 10⁻⁸ USD. */
export function inUsd(amount: bigint, decimals = DECIMALS): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).slice(0, decimals);
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${fraction}`;
}

/** `€11.50 (1 USD = 0.92 EUR)` */
export function writePaid({ currency, minor, rate }: NonNullable<PayoutDetails['paid']>): string {
  const code = currency.toUpperCase();
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: code });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  const amount = format.format(Number(minor) / 10 ** digits);
  return rate === null ? amount : `${amount} (1 USD = ${rate} ${code})`;
}
