/** Why a payment failed, for the buyer. Codes that would help a thief all get the general text. */
const GENERAL = 'The payment was declined. Please try another payment method.';

const TEXTS: Record<string, string> = {
  insufficient_funds: 'The card does not have enough funds. Please try another payment method.',
  expired_card: 'The card has expired. Please try another card.',
  incorrect_cvc: "The card's security code is wrong. Please check it and try again.",
  invalid_cvc: "The card's security code is wrong. Please check it and try again.",
  incorrect_number: 'The card number is wrong. Please check it and try again.',
  card_velocity_exceeded: "The card's limit is reached. Please try another payment method.",
  withdrawal_count_limit_exceeded: "The card's limit is reached. Please try another payment method.",
  authentication_required: 'The bank asked for a confirmation that did not happen. Please try again.',
  payment_intent_authentication_failure:
    'The bank asked for a confirmation that did not happen. Please try again.',
  processing_error: 'The payment could not be processed just now. Please try again.',
  try_again_later: 'The payment could not be processed just now. Please try again.',
};

export function describeDecline({ code, decline_code }: { code?: string; decline_code?: string }): string {
  return TEXTS[decline_code ?? ''] ?? TEXTS[code ?? ''] ?? GENERAL;
}
