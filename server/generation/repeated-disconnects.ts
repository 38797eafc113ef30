import { MINUTE_MS, now } from '../clock';
import { ApiError } from '../errors';
import { countRunning, type Hold } from '../ledger';

/**
 * A user whose clients keep disconnecting from responses that then have to be read in the background may run
 * only a few requests at a time. One disconnect is forgotten each minute. Counted per process.
 */
const FORGET_ONE_MS = MINUTE_MS;
const TOLERATED = 10;
const MOST = 30;
const RUNNING_AFTERWARDS = 2;
const MAX_USERS = 10_000;

/** When the last disconnect of a user will be forgotten. */
const clearAtMs = new Map<string, number>();

export function noteDisconnect(userId: string): void {
  const timeMs = now();
  const clearMs = Math.max(clearAtMs.get(userId) ?? 0, timeMs) + FORGET_ONE_MS;
  if (clearAtMs.size >= MAX_USERS) forgetOld(timeMs);
  clearAtMs.set(userId, Math.min(clearMs, timeMs + MOST * FORGET_ONE_MS));
}

/** Also forgets the users who were noted first, if there are still too many. */
function forgetOld(timeMs: number): void {
  for (const [userId, clearMs] of clearAtMs) {
    if (clearMs <= timeMs || clearAtMs.size >= MAX_USERS) clearAtMs.delete(userId);
  }
}

/** Returns the error for a request that such a user sends while others are running. */
export function findDisconnectRefusal({ userId }: Hold): ApiError | null {
  const clearMs = clearAtMs.get(userId);
  if (clearMs === undefined) return null;
  const pausedMs = clearMs - now() - TOLERATED * FORGET_ONE_MS;
  if (pausedMs <= 0 || countRunning(userId) < RUNNING_AFTERWARDS) return null;
  return new ApiError(
    'rate_limited',
    `Clients of this user disconnected repeatedly before their responses ended, so only ${RUNNING_AFTERWARDS} requests may run at the same time. Wait until the running ones end.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

const RETRY_SECONDS = 10;
