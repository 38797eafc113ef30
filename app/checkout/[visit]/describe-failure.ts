import type { Messages } from '../messages';
import { failureCode, type PaymentStatus } from './api';

/** What to tell the user of a request that failed, where no field is to blame. */
export function describeFailure(error: unknown, say: Messages): string {
  switch (failureCode(error)) {
    case 'offline':
      return say.offline;
    case 'rate_limited':
      return say.tooMany;
    default:
      return say.wrong;
  }
}

/** A payment that ended without credits. */
export function describeOutcome(
  { status, failure }: PaymentStatus,
  say: Messages,
): { title: string; text: string; isOver: boolean } {
  if (status === 'expired') return { title: say.expiredTitle, text: say.expiredText, isOver: false };
  if (failure === 'wrong_payment')
    return { title: say.wrongPaymentTitle, text: say.wrongPaymentText, isOver: true };
  const reason = failure === undefined ? undefined : say.failures[failure];
  return {
    title: say.failedTitle,
    text: [reason, say.failedText].filter(Boolean).join(' '),
    isOver: false,
  };
}
