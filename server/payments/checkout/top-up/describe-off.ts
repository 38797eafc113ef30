import type { OffReason } from './auto-top-up';

/** Why auto top-up is off, as the page and the mail say it. */
export function describeOff(
  reason: OffReason,
  amount: string,
  card: string,
): { title: string; text: string } {
  const title = `Auto top-up is off: ${TITLES[reason] ?? 'your bank declined the payment'}`;
  return { title, text: writeText(reason, amount, card) };
}

const TITLES: Partial<Record<OffReason, string>> = {
  unknown_card: 'the card was removed',
  expired_card: 'your card has expired',
  insufficient_funds: 'your card has insufficient funds',
  no_tax_address: 'your billing address is missing',
  not_allowed: 'your bank did not allow it',
  not_confirmed: 'the payment was not confirmed',
  reversed: 'a payment was returned',
  user: 'you turned it off',
};

function writeText(reason: OffReason, amount: string, card: string): string {
  const payment = `the payment of ${amount} with your ${card}`;
  switch (reason) {
    case 'user':
      return 'Your credits are not topped up automatically.';
    case 'not_allowed':
      return `Your bank does not allow automatic payments with your ${card}. Choose another one, or contact your bank.`;
    case 'unknown_card':
      return `Your ${card} is no longer saved. To continue, turn auto top-up on with another card.`;
    case 'reversed':
      return 'A payment was refunded or disputed, so no further payment is made. You can turn it on again at any time.';
    case 'no_tax_address':
      return `The tax of ${payment} could not be calculated. Buy credits once and enter your address, then turn auto top-up on again.`;
    case 'not_confirmed':
      return `You did not confirm ${payment} in time, so it was cancelled. You were not charged.`;
    case 'insufficient_funds':
    case 'expired_card':
      return `Your bank declined ${payment}. You were not charged. To continue, turn auto top-up on again or choose another card.`;
    default:
      return `Your bank declined ${payment} and gave no reason that we can show. You were not charged. To continue, choose another card or contact your bank, then turn auto top-up on again.`;
  }
}
