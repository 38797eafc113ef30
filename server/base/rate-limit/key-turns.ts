import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { MINUTE_MS, SECOND_MS } from '../clock';
import { settings } from '../env';
import { sha256 } from '../ids';
import { redis } from './redis';
import { TokenBuckets } from './token-buckets';

/**
 * Rate limit per user key, decided in memory without waiting. With Redis, every request is also
 * counted there in the background: a key that exceeds the limit across all instances is refused from
 * its next request on.
 */

/** A burst of six seconds: 60 of 600 per minute. */
const BURST_SHARE = 10;
const MIN_BURST = 60;

let buckets: { perMinute: number; turns: TokenBuckets } | undefined;

/**
 * Counts a request of a key, given its stored hash. Returns 0, or the milliseconds until the next request is
 * allowed.
 */
export function takeKeyTurn(keyHash: Buffer): number {
  const { LIMIT_REQUESTS_PER_KEY_PER_MINUTE: perMinute } = settings();
  if (perMinute === 0) return 0;
  if (buckets?.perMinute !== perMinute) {
    buckets = { perMinute, turns: new TokenBuckets({ perMinute, burst: burstOf(perMinute) }) };
  }
  const name = keyHash.toString('latin1');
  const waitMs = buckets.turns.take(name);
  if (waitMs === 0) countInRedis(name, perMinute, buckets.turns);
  return waitMs;
}

const burstOf = (perMinute: number): number =>
  Math.min(perMinute, Math.max(MIN_BURST, Math.floor(perMinute / BURST_SHARE)));

let shared: { perMinute: number; limiter: RateLimiterRedis } | undefined;

function countInRedis(name: string, perMinute: number, turns: TokenBuckets): void {
  const storeClient = redis();
  if (storeClient === null) return;
  if (shared?.perMinute !== perMinute) {
    const points = perMinute + burstOf(perMinute);
    const duration = MINUTE_MS / SECOND_MS;
    shared = {
      perMinute,
      limiter: new RateLimiterRedis({
        storeClient,
        keyPrefix: 'svc:key',
        points,
        duration,
        rejectIfRedisNotReady: true,
      }),
    };
  }
  // Redis never contains the stored hash.
  shared.limiter.consume(sha256(name).toString('base64url')).catch((refusal: unknown) => {
    if (refusal instanceof RateLimiterRes) turns.block(name, refusal.msBeforeNext);
  });
}
