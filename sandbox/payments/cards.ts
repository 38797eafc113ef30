export type CardOutcome =
  | { kind: 'pays'; later?: 'dispute' | 'inquiry' | 'warning' }
  /** `unlessSetUp`: only until the bank has agreed to payments without the buyer. */
  | { kind: 'challenge'; unlessSetUp?: boolean }
  | { kind: 'declines'; decline: Decline };

export type Decline = {
  code: string;
  declineCode: string;
  message: string;
  field: 'number' | 'expiry' | 'cvc' | null;
};

type TestCard = { number: string; label: string; outcome: CardOutcome };

const decline = (
  code: string,
  declineCode: string,
  message: string,
  field: Decline['field'] = null,
): CardOutcome => ({ kind: 'declines', decline: { code, declineCode, message, field } });

export const TEST_CARDS: readonly TestCard[] = [
  { number: '4242424242424242', label: 'Pays', outcome: { kind: 'pays' } },
  { number: '4000002760003184', label: '3-D Secure', outcome: { kind: 'challenge' } },
  { number: '4000000000003220', label: '3-D Secure 2', outcome: { kind: 'challenge' } },
  {
    number: '4000002500003155',
    label: '3-D Secure, unless set up',
    outcome: { kind: 'challenge', unlessSetUp: true },
  },
  { number: '4000000000000259', label: 'Pays, then disputed', outcome: { kind: 'pays', later: 'dispute' } },
  { number: '4000000000001976', label: 'Pays, then inquiry', outcome: { kind: 'pays', later: 'inquiry' } },
  {
    number: '4000000000005423',
    label: 'Pays, then fraud warning',
    outcome: { kind: 'pays', later: 'warning' },
  },
  {
    number: '4000000000000341',
    label: 'Can be saved, then declined',
    outcome: decline('card_declined', 'generic_decline', 'Your card was declined.'),
  },
  {
    number: '4000000000000002',
    label: 'Declined',
    outcome: decline('card_declined', 'generic_decline', 'Your card was declined.'),
  },
  {
    number: '4000000000009995',
    label: 'Insufficient funds',
    outcome: decline('card_declined', 'insufficient_funds', 'Your card has insufficient funds.'),
  },
  {
    number: '4000000000000069',
    label: 'Expired card',
    outcome: decline('expired_card', 'expired_card', 'Your card has expired.', 'expiry'),
  },
  {
    number: '4000000000000127',
    label: 'Incorrect CVC',
    outcome: decline('incorrect_cvc', 'incorrect_cvc', "Your card's security code is incorrect.", 'cvc'),
  },
];

export const AUTHENTICATION_REQUIRED: Decline = {
  code: 'authentication_required',
  declineCode: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
  field: null,
};

export const AUTHENTICATION_FAILED: Decline = {
  code: 'payment_intent_authentication_failure',
  declineCode: 'authentication_failure',
  message: 'We could not authenticate your card. Choose a different card and try again.',
  field: null,
};

/** A number that is not a test card is a real card used by mistake. */
const LIVE_CARD = decline(
  'card_declined',
  'live_mode_test_card',
  'Your card was declined. The sandbox accepts only test cards, such as 4242 4242 4242 4242.',
  'number',
);

export function findOutcome(number: string): CardOutcome {
  return TEST_CARDS.find((card) => card.number === number)?.outcome ?? LIVE_CARD;
}

/** Verifies the check digit of a card number. */
export function passesLuhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
