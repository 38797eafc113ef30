import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { MINUTE_MS, SECOND_MS } from '../clock';
import { askPrimary } from '../primary';
import { redis } from './redis';

/** Limits other than for paid requests, such as attempts per client IP. Counted in Redis, in the primary or in memory. */

const limiters = new Map<string, RateLimiterAbstract>();

/** Counts one attempt against a limit, per minute by default. Returns 0, or the milliseconds until the next is allowed. */
export async function countAttempt(
  what: string,
  of: string,
  limit: number,
  perMs = MINUTE_MS,
): Promise<number> {
  const inPrimary = await countInPrimary({ what, of, limit, perMs });
  if (inPrimary !== undefined) return inPrimary;
  const name = `${what}:${limit}`;
  const limiter = limiters.get(name) ?? newLimiter(what, limit, perMs);
  limiters.set(name, limiter);
  try {
    await limiter.consume(of);
    return 0;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return Math.max(1, refusal.msBeforeNext);
    throw refusal;
  }
}

type Attempt = { what: string; of: string; limit: number; perMs: number };

/** Several instances with one primary count there, unless they have Redis. */
const countInPrimary = async (attempt: Attempt): Promise<number | undefined> =>
  redis() === null ? askPrimary<number>('attempt', attempt) : undefined;

function newLimiter(what: string, points: number, perMs: number): RateLimiterAbstract {
  const limit = { keyPrefix: `svc:${what}`, points, duration: perMs / SECOND_MS };
  const inMemory = new RateLimiterMemory(limit);
  const storeClient = redis();
  return storeClient === null
    ? inMemory
    : new RateLimiterRedis({
        ...limit,
        storeClient,
        rejectIfRedisNotReady: true,
        insuranceLimiter: inMemory,
      });
}
