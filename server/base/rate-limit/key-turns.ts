import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { MINUTE_MS, SECOND_MS } from '../clock';
import { instanceNumber, settings } from '../env';
import { sha256 } from '../ids';
import { askPrimary } from '../primary';
import { redis } from './redis';
import { TokenBuckets } from './token-buckets';

/**
 * Rate limit per user key with its run keys, decided in memory without waiting. With Redis, or for several instances
 * with one primary, every request is also counted there in the background: a key that exceeds the limit across all
 * instances is refused from its next request on.
 */

/** A burst of six seconds: 60 of 600 per minute. */
const BURST_SHARE = 10;
const MIN_BURST = 60;

let buckets: { perMinute: number; turns: TokenBuckets } | undefined;

/** Run keys, and the ordinary key whose limits each shares. An instance learns it with their first request. */
const sharers = new Map<string, string>();
const MAX_SHARERS = 10_000;

/** The name under which the limits of a key are counted, given its stored hash. */
export function limitNameOf(keyHash: Buffer): string {
  const name = keyHash.toString('latin1');
  return sharers.get(name) ?? name;
}

export const sharesLimits = (keyHash: Buffer): boolean => sharers.has(keyHash.toString('latin1'));

/** From now on, the key counts as the other one, with what it has already used. */
export function shareLimits(keyHash: Buffer, ofHash: Buffer): void {
  const [name, other] = [keyHash.toString('latin1'), ofHash.toString('latin1')];
  if (sharers.has(name)) return;
  sharers.set(name, other);
  buckets?.turns.move(name, other);
  const [oldest] = sharers.keys();
  if (sharers.size > MAX_SHARERS && oldest !== undefined) sharers.delete(oldest);
}

/**
 * Counts a request of a key, given its stored hash. Returns 0, or the milliseconds until the next request is
 * allowed.
 */
export function takeKeyTurn(keyHash: Buffer): number {
  const { LIMIT_REQUESTS_PER_KEY_PER_MINUTE: perMinute } = settings();
  if (perMinute === 0) return 0;
  const name = limitNameOf(keyHash);
  const turns = bucketsFor(perMinute);
  const waitMs = turns.take(name);
  if (waitMs > 0) return waitMs;
  const storeClient = redis();
  if (storeClient !== null) countInRedis(storeClient, name, perMinute, turns);
  else if (instanceNumber() !== undefined) countInPrimary(name);
  return 0;
}

function bucketsFor(perMinute: number): TokenBuckets {
  if (buckets?.perMinute !== perMinute)
    buckets = { perMinute, turns: new TokenBuckets({ perMinute, burst: burstOf(perMinute) }) };
  return buckets.turns;
}

const burstOf = (perMinute: number): number =>
  Math.min(perMinute, Math.max(MIN_BURST, Math.floor(perMinute / BURST_SHARE)));

let shared: { perMinute: number; limiter: RateLimiterRedis } | undefined;

function countInRedis(storeClient: Redis, name: string, perMinute: number, turns: TokenBuckets): void {
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

/** One message for all requests of this time: one for each would take a tenth of a request's processor time. */
const REPORT_AFTER_MS = 10;

type Counted = [name: string, count: number];
const unreported = new Map<string, number>();

function countInPrimary(name: string): void {
  if (unreported.size === 0) setTimeout(reportTurns, REPORT_AFTER_MS);
  unreported.set(name, (unreported.get(name) ?? 0) + 1);
}

async function reportTurns(): Promise<void> {
  const counted: Counted[] = [...unreported];
  unreported.clear();
  const used = (await askPrimary<Counted[]>('turns', counted)) ?? [];
  const turns = bucketsFor(settings().LIMIT_REQUESTS_PER_KEY_PER_MINUTE);
  for (const [name, waitMs] of used) turns.block(name, waitMs);
}

/** For the primary: counts what its instances have allowed. Returns the keys that have used up their limit, and for how long. */
export function countTurns(counted: Counted[]): [name: string, waitMs: number][] {
  const turns = bucketsFor(settings().LIMIT_REQUESTS_PER_KEY_PER_MINUTE);
  return counted
    .map(([name, count]): Counted => [name, turns.charge(name, count)])
    .filter(([, waitMs]) => waitMs > 0);
}
