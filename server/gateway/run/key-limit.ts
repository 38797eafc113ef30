import { SECOND_MS } from '../../base/clock';
import { ApiError } from '../../base/errors';
import type { ApiRequest } from '../../base/http/api-request';
import { limitNameOf } from '../../base/rate-limit/key-turns';
import { TokenBuckets } from '../../base/rate-limit/token-buckets';
import { requireUserKey } from '../../people/access/authenticate';
import type { Candidates } from './candidates';
import { requireModelAccess } from './model-access';

const MAX_RETRY_AFTER_SECONDS = 60;

/** A key over its limit is looked up at most once a second, so that a flood does not reach the database. */
const lookups = new TokenBuckets({ perMinute: 60, burst: 1 });

/**
 * Finds the error for a key that must wait. That of a revoked key, or of an app that may not use the model, if
 * the request was read, takes precedence over the rate limit.
 */
export async function findLimitRefusal(
  request: ApiRequest,
  keyHash: Buffer,
  waitMs: number,
  candidates?: Candidates,
): Promise<ApiError> {
  if (lookups.take(limitNameOf(keyHash)) === 0) {
    const caller = await requireUserKey(request);
    if (candidates !== undefined) await requireModelAccess(caller, candidates);
  }
  return new ApiError('rate_limited', 'Too many requests with this key. Slow down and retry.', {
    retryAfterSeconds: Math.min(MAX_RETRY_AFTER_SECONDS, Math.ceil(waitMs / SECOND_MS)),
  });
}
