import type { ApiError } from '../../errors';
import { readProviderFailure } from '../provider-failure';

/** What a client may learn of a provider's refusal. */
export function toClientError(status: number, body: string, retryAfter: string | null): ApiError {
  return readProviderFailure({ status, body, retryAfter }).error;
}
