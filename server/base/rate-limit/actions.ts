import { SECOND_MS } from '../clock';
import { ApiError } from '../errors';
import { countAttempt } from './attempts';

/** Far more than a person does, and few enough that rows, mails and calls of the processor stay bounded. */
const ACTIONS_PER_MINUTE = 120;

/** Counts an action of a signed-in user, whatever it does. */
export async function countAction(userId: string): Promise<void> {
  const waitMs = await countAttempt('action', userId, ACTIONS_PER_MINUTE);
  if (waitMs > 0)
    throw new ApiError('rate_limited', 'Too many changes in one minute. Wait a minute, then try again.', {
      retryAfterSeconds: Math.ceil(waitMs / SECOND_MS),
    });
}
