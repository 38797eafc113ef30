import { joinSentences, textOf, writeDelay } from '@/texts/say';
import type { Words } from '../messages';
import { failureCode, type PaymentStatus, retryAfterSeconds } from './api';

/** The message for a failed request that is not about one field. */
export function describeFailure(error: unknown, { say, language }: Words): string {
  switch (failureCode(error)) {
    case 'offline':
      return say.offline;
    case 'rate_limited':
      return say.tooMany({ when: writeDelay(retryAfterSeconds(error), language) });
    case 'payments_unavailable':
      return say.paymentsUnavailable;
    case 'purchases_blocked':
      return say.purchasesBlocked;
    default:
      return say.wrong;
  }
}

/** The same, for a request that may contain an e-mailed code. */
export function describeCodeFailure(error: unknown, words: Words): string {
  const { say } = words;
  const code = failureCode(error);
  if (code === 'invalid_code') return say.codeInvalid;
  if (code === 'passkey_required') return say.passkeyNeeded;
  return code === 'code_expired' ? say.codeExpired : describeFailure(error, words);
}

/** The same, for a saved card. */
export function describeCardFailure(error: unknown, words: Words): string {
  const { say } = words;
  const code = failureCode(error);
  if (code === 'not_found') return say.cardGone;
  return code === 'passkey_required' ? say.cardPasskey : describeFailure(error, words);
}

/** The message for a payment that ended without credits. */
export function describeOutcome(
  { status, failure }: PaymentStatus,
  { say, language }: Words,
): { title: string; text: string; canRetry: boolean } {
  if (status === 'expired') return { title: say.expiredTitle, text: say.expiredText, canRetry: true };
  if (failure === 'wrong_payment')
    return { title: say.wrongPaymentTitle, text: say.wrongPaymentText, canRetry: false };
  return {
    title: say.failedTitle,
    text: joinSentences(language, [textOf(say.failures, failure), say.failedText]),
    canRetry: true,
  };
}
