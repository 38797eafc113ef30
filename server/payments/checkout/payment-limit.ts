import { SECOND_MS } from '../../base/clock';
import { ApiError } from '../../base/errors';
import { countAttempt } from '../../base/rate-limit/attempts';
import { requireMayBuy } from './purchase-block';

const ATTEMPTS_PER_MINUTE = 20;

/**
 * Counts one payment, card or authorisation that a user begins: each costs rows here and calls of the processor. One
 * whose purchases are blocked begins none.
 */
export async function countPaymentAttempt(userId: string): Promise<void> {
  await requireMayBuy(userId);
  const waitMs = await countAttempt('payment', userId, ATTEMPTS_PER_MINUTE);
  if (waitMs > 0)
    throw new ApiError('rate_limited', 'Too many payments were started. Try again in a minute.', {
      retryAfterSeconds: Math.ceil(waitMs / SECOND_MS),
    });
}

const READS_PER_MINUTE = 20;

/** Whether a returned payment may be read from the processor: its page needs no sign-in. */
export async function mayReadReturned(checkoutSessionId: string): Promise<boolean> {
  return (await countAttempt('return', checkoutSessionId, READS_PER_MINUTE)) === 0;
}
