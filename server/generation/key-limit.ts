import { SECOND_MS } from '../clock';
import { ApiError } from '../errors';
import { requireUserKey } from '../http/authenticate';
import { isModelAllowed } from '../partners/model-access';
import { takeKeyTurn } from '../rate-limit/key-turns';
import { TokenBuckets } from '../rate-limit/token-buckets';
import { modelNotAllowed } from './refusals';

const MAX_RETRY_AFTER_SECONDS = 60;

/** A key over its limit is looked up at most once a second, so that a flood does not reach the database. */
const lookups = new TokenBuckets({ perMinute: 60, burst: 1 });

/**
 * Returns undefined while the key is within its limit. That path is synchronous, so that it does not delay
 * the request.
 */
export function refuseBeyondLimit(
  request: Request,
  keyHash: Buffer,
  model: string,
): Promise<ApiError> | undefined {
  const waitMs = takeKeyTurn(keyHash);
  return waitMs === 0 ? undefined : findRefusal(request, keyHash, model, waitMs);
}

/**
 * Finds the error for a revoked key, or for an app that may not use the model. It takes precedence over the
 * rate limit.
 */
async function findRefusal(
  request: Request,
  keyHash: Buffer,
  model: string,
  waitMs: number,
): Promise<ApiError> {
  if (lookups.take(keyHash.toString('latin1')) === 0) {
    const { partnerId } = await requireUserKey(request);
    if (!(await isModelAllowed(partnerId, model))) return modelNotAllowed(model);
  }
  return new ApiError('rate_limited', 'Too many requests with this key. Slow down and retry.', {
    retryAfterSeconds: Math.min(MAX_RETRY_AFTER_SECONDS, Math.ceil(waitMs / SECOND_MS)),
  });
}
