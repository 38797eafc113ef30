import { HOUR_MS, MINUTE_MS, now } from '../../base/clock';
import { creditsToJson } from '../../base/credits';
import { settings } from '../../base/env';
import { ApiError } from '../../base/errors';
import { countRunning, type Hold } from '../../ledger';

/**
 * A user whose clients keep disconnecting from responses that then have to be read in the background may run
 * only a few requests at a time. One disconnect is forgotten each minute. Counted per process.
 */
const FORGET_ONE_MS = MINUTE_MS;
const TOLERATED = 10;
const MOST = 30;
const RUNNING_AFTERWARDS = 2;
const MAX_USERS = 10_000;

/** When all of what a user did will be forgotten. */
type Forgotten = Map<string, number>;
const disconnects: Forgotten = new Map();
const unreportedInput: Forgotten = new Map();

export function noteDisconnect(userId: string): void {
  note(disconnects, userId, FORGET_ONE_MS, MOST * FORGET_ONE_MS);
}

/** Notes input that a provider will not report because its call is cancelled: if the hold was too low, nobody notices. */
export function noteUnreportedInput(userId: string, charge: bigint): void {
  note(unreportedInput, userId, unreportedMs(charge), 2 * HOUR_MS);
}

/**
 * Whether a user who leaves this input unreported has left more of it within an hour than overruns are tolerated,
 * so that the response has to be read to its usage.
 */
export function leavesTooMuchUnreported(userId: string, charge: bigint): boolean {
  return remainingMs(unreportedInput, userId) + unreportedMs(charge) > HOUR_MS;
}

function unreportedMs(charge: bigint): number {
  const tolerated = Math.max(1, settings().LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY);
  return (creditsToJson(charge) / tolerated) * HOUR_MS;
}

function note(forgotten: Forgotten, userId: string, addedMs: number, mostMs: number): void {
  const timeMs = now();
  const afterMs = Math.min(remainingMs(forgotten, userId) + addedMs, mostMs);
  if (forgotten.size >= MAX_USERS) forgetOld(forgotten, timeMs);
  forgotten.set(userId, timeMs + afterMs);
}

/** The time after which all will be forgotten. */
const remainingMs = (forgotten: Forgotten, userId: string): number =>
  Math.max(0, (forgotten.get(userId) ?? 0) - now());

/** Also forgets the users who were noted first, if there are still too many. */
function forgetOld(forgotten: Forgotten, timeMs: number): void {
  for (const [userId, clearMs] of forgotten) {
    if (clearMs <= timeMs || forgotten.size >= MAX_USERS) forgotten.delete(userId);
  }
}

/** Returns the error for a request that such a user sends while others are running. */
export function findDisconnectRefusal({ userId }: Hold): ApiError | null {
  const clearMs = disconnects.get(userId);
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
