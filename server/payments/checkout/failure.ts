/** The reason why a payment failed, as a code that the pages translate into text. */
export type PaymentFailure =
  | 'insufficient_funds'
  | 'expired_card'
  | 'wrong_security_code'
  | 'wrong_number'
  | 'card_limit'
  | 'not_confirmed'
  | 'try_later'
  /** Any other reason. Details that would help card thieves are not exposed. */
  | 'declined'
  /** The saved card was removed. */
  | 'unknown_card'
  /** Tax needs an address, which the buyer enters in the processor's form. */
  | 'no_tax_address'
  /** The processor could not be reached, so the payment never started. */
  | 'not_started'
  /** The payment did not match the order, so the operator has to review it. */
  | 'wrong_payment';

const OF_DECLINE: Record<string, PaymentFailure> = {
  insufficient_funds: 'insufficient_funds',
  expired_card: 'expired_card',
  incorrect_cvc: 'wrong_security_code',
  invalid_cvc: 'wrong_security_code',
  incorrect_number: 'wrong_number',
  card_velocity_exceeded: 'card_limit',
  withdrawal_count_limit_exceeded: 'card_limit',
  authentication_required: 'not_confirmed',
  payment_intent_authentication_failure: 'not_confirmed',
  processing_error: 'try_later',
  try_again_later: 'try_later',
};

export function classifyDecline({
  code,
  decline_code,
}: {
  code?: string;
  decline_code?: string;
}): PaymentFailure {
  return OF_DECLINE[decline_code ?? ''] ?? OF_DECLINE[code ?? ''] ?? 'declined';
}
