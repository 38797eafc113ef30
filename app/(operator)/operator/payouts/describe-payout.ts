import type { Attention, ListedPayout } from '@/server/payments/payouts/operator-list';
import { inDollars } from '../write-amounts';
import type { PayoutButtonsProps } from './payout-buttons';
import type { PayoutRow } from './payout-table';

/** The kinds of payouts that need attention, with what to do about them. */
export const ATTENTION: Record<Attention, [title: string, what: string]> = {
  approve: [
    'To approve',
    'The first payout to a destination. Check that you know who is paid, and that the team was not taken over.',
  ],
  pay: ['To pay by hand', 'Pay at your bank, then record it as sent.'],
  bank_failed: [
    'Returned by the bank',
    'The money is in the team’s account at Stripe. The team corrects its bank account there, and Stripe pays it again.',
  ],
  reversed_in_part: [
    'Reversed in part',
    'Part of its transfer was reversed in Stripe’s dashboard. The books still say that the team was paid in full. Reverse the rest here: the full amount becomes payable again, and the next payout pays what is owed.',
  ],
  failed: ['Failed', 'The amount is payable again. Once the cause is fixed, plan another payout.'],
  returned: ['Returned', 'The amount is payable again. Once the cause is fixed, plan another payout.'],
  waiting_for_balance: [
    'Waiting for balance',
    'Your balance at Stripe is too low. svc tries again every day. Add funds, or pay out to your own bank less often.',
  ],
  held: ['Paused', 'Not sent until you resume it.'],
};

export const toRow = (payout: ListedPayout): PayoutRow => ({
  id: payout.id,
  teamName: payout.teamName,
  method: payout.method,
  state: payout.state,
  attention: payout.attention,
  period: payout.period,
  amount: inDollars(payout.amount),
  reference: payout.reference ?? '',
  at: payout.createdAt.toISOString(),
});

const MICROCREDITS_PER_CENT = 1_000_000n;

export const toButtons = (payout: ListedPayout): PayoutButtonsProps => ({
  id: payout.id,
  teamId: payout.teamId,
  method: payout.method,
  state: payout.state,
  attention: payout.attention,
  describe: `${inDollars(payout.amount)} to ${payout.teamName}`,
  dollars: (Number(payout.amount / MICROCREDITS_PER_CENT) / 100).toFixed(2),
  isHeld: payout.isHeld,
  payeeSavedAt: payout.payeeSavedAt,
});
