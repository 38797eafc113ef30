import type { Messages } from '../messages';
import { failureCode, type PaymentStatus, retryAfterSeconds } from './api';

/** The message for a failed request that is not about one field. */
export function describeFailure(error: unknown, say: Messages): string {
  switch (failureCode(error)) {
    case 'offline':
      return say.offline;
    case 'rate_limited':
      return say.tooMany(retryAfterSeconds(error));
    case 'payments_unavailable':
      return say.paymentsUnavailable;
    case 'purchases_blocked':
      return say.purchasesBlocked;
    default:
      return say.wrong;
  }
}

/** The same, for a request that may contain an e-mailed code. */
export function describeCodeFailure(error: unknown, say: Messages): string {
  const code = failureCode(error);
  if (code === 'invalid_code') return say.codeInvalid;
  if (code === 'passkey_required') return say.passkeyNeeded;
  return code === 'code_expired' ? say.codeExpired : describeFailure(error, say);
}

/** The same, for a saved card. */
export function describeCardFailure(error: unknown, say: Messages): string {
  const code = failureCode(error);
  if (code === 'not_found') return say.cardGone;
  return code === 'passkey_required' ? say.cardPasskey : describeFailure(error, say);
}

/** The message for a payment that ended without credits. */
export function describeOutcome(
  { status, failure }: PaymentStatus,
  say: Messages,
): { title: string; text: string; canRetry: boolean } {
  if (status === 'expired') return { title: say.expiredTitle, text: say.expiredText, canRetry: true };
  if (failure === 'wrong_payment')
    return { title: say.wrongPaymentTitle, text: say.wrongPaymentText, canRetry: false };
  const reason = failure === undefined ? undefined : say.failures[failure];
  return {
    title: say.failedTitle,
    text: [reason, say.failedText].filter(Boolean).join(' '),
    canRetry: true,
  };
}
