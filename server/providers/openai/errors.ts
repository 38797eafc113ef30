import { ApiError } from '../../errors';
import { maskSecrets } from '../../log';

const MAX_MESSAGE_LENGTH = 400;
const URL_LIKE = /https?:\/\/\S+/g;
/** Messages about our own account wear a request's status; none of it is the client's business. */
const ABOUT_OUR_ACCOUNT = /insufficient_quota|billing|spend_limit|credit balance|organization_on_hold|linked_organization|api key/i;

/**
 * What a client may learn of a provider's refusal. Trouble with our own credential or account is
 * an upstream error: the client's key is fine.
 */
export function toClientError(status: number, body: string, retryAfter: string | null): ApiError {
  const cause = new Error(`upstream answered ${status}: ${maskSecrets(body.slice(0, MAX_MESSAGE_LENGTH))}`);
  const message = readMessage(body);
  if (status === 429 && !ABOUT_OUR_ACCOUNT.test(body)) {
    return new ApiError('rate_limited', 'The provider of this model is busy. Please retry.', {
      retryAfterSeconds: clampRetryAfter(retryAfter),
      cause,
    });
  }
  const aboutTheRequest = status === 400 || status === 413 || status === 422;
  if (aboutTheRequest && message !== null && !ABOUT_OUR_ACCOUNT.test(body)) {
    return new ApiError('invalid_request', message, { cause });
  }
  return new ApiError('upstream_error', 'The provider of this model returned an error', { cause });
}

function readMessage(body: string): string | null {
  try {
    const message: unknown = JSON.parse(body)?.error?.message;
    if (typeof message !== 'string') return null;
    return maskSecrets(message).replace(URL_LIKE, '').slice(0, MAX_MESSAGE_LENGTH);
  } catch {
    return null;
  }
}

/** Whole seconds within what client libraries honour. */
function clampRetryAfter(header: string | null): number {
  const seconds = Math.ceil(Number(header));
  return Number.isFinite(seconds) && seconds >= 1 ? Math.min(60, seconds) : 1;
}
