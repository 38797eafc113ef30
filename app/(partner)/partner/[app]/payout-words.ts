import type { BadgeLook } from '@/app/_ui/badge';
import type { PayoutView } from '@/server/payments/payouts/list-payouts';
import { inDollars } from './money';

/** A payout's state in words, for the team that is paid. */
export type PayoutWords = {
  label: string;
  look: BadgeLook;
  /** What happened. */
  text: string;
  /** What the team can do. */
  advice?: string;
};

type State = Pick<
  PayoutView,
  | 'state'
  | 'method'
  | 'isApproved'
  | 'isHeld'
  | 'heldReason'
  | 'failure'
  | 'bankState'
  | 'bankFailure'
  | 'reversedMinor'
>;

export function describePayout(payout: State): PayoutWords {
  const { state, method, failure } = payout;
  if (payout.isHeld && (state === 'planned' || state === 'waiting_for_balance'))
    return {
      label: 'Paused',
      look: 'warning',
      text: `We paused this payout${because(payout.heldReason)}`,
      advice: 'Contact us if you have questions.',
    };
  if (state === 'planned') return describePlanned(payout);
  if (state === 'sending')
    return { label: 'Sending', look: 'neutral', text: 'It is being transferred to your Stripe account.' };
  if (state === 'waiting_for_balance')
    return {
      label: 'Waiting for balance',
      look: 'warning',
      text: 'Our balance at Stripe does not cover it yet. We try again every day.',
      advice: 'You do not need to do anything.',
    };
  if (state === 'sent') return method === 'stripe' ? describeBank(payout) : SENT_BY_HAND;
  const isReturned = state === 'returned';
  return {
    label: isReturned ? 'Returned' : 'Failed',
    look: 'danger',
    text: `${isReturned ? 'The money came back' : 'It was not sent'}${because(failure)} The amount is payable again.`,
    advice: `Check your ${method === 'stripe' ? 'payout account' : 'payee details'}, then request a new payout.`,
  };
}

/** The end of a sentence. Reasons come with and without a full stop. */
export const because = (reason: string | null): string => (reason ? `: ${reason.replace(/[.]$/, '')}.` : '.');

function describePlanned({ isApproved, method }: State): PayoutWords {
  if (!isApproved)
    return {
      label: 'Awaiting approval',
      look: 'neutral',
      text: 'We check the first payout to a new destination. It is sent once we approve it.',
      advice: 'You do not need to do anything.',
    };
  return {
    label: 'Planned',
    look: 'neutral',
    text:
      method === 'stripe'
        ? 'It is transferred to your Stripe account within minutes.'
        : 'We transfer it to you and record the reference here.',
  };
}

const SENT_BY_HAND: PayoutWords = {
  label: 'Sent',
  look: 'positive',
  text: 'We transferred it to the account in your payee details.',
};

function describeBank({ bankState, bankFailure, reversedMinor }: State): PayoutWords {
  const look = 'positive';
  if (reversedMinor !== null)
    return {
      label: 'Reversed in part',
      look: 'warning',
      text: `${inDollars(reversedMinor * 1_000_000n)} of this payout was taken back from your Stripe account.`,
      advice: 'We are looking into it. Contact us if you have questions.',
    };
  if (bankState === 'failed')
    return {
      label: 'Returned by the bank',
      look: 'danger',
      text: `Your bank returned it${because(bankFailure)} The money is in your Stripe account.`,
      advice: 'Correct the bank account at Stripe, which then pays it out again.',
    };
  if (bankState === 'in_transit')
    return { label: 'On the way to the bank', look, text: 'Stripe is paying it out to your bank.' };
  if (bankState === 'paid') return { label: 'Paid', look, text: 'Stripe paid it out to your bank.' };
  return {
    label: 'Sent',
    look,
    text: 'It is in your Stripe account, which pays it out to your bank on its own schedule.',
  };
}

/** `October 2026` */
export function writeMonth(period: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return format.format(new Date(`${period}-01`));
}
