import { ERROR_STATUS, type ErrorCode } from '@/server/base/errors';

/** What an error code means for an app, and how to fix it. */
export type ErrorWords = { status: number; advice: string };

const ADVICE: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'The request was malformed. Your users cannot fix this: check what your app sends.',
  content_refused: 'The provider refused the content. It may charge for that: the receipt has the amount.',
  missing_api_key: 'No user key was sent.',
  invalid_user_key:
    'The key is unknown or was revoked. Open the checkout so that the user can sign in again.',
  insufficient_credits: 'The user ran out of credits. Open the checkout.',
  partner_not_permitted:
    'The user has credits bought elsewhere but no allowance for your app. Open the checkout.',
  partner_limit_reached:
    'The user’s allowance for your app is used up, or a limit of the user or of your app is reached. Unless the error’s param names a limit, open the checkout.',
  model_not_allowed: 'The model is not one your app allows.',
  model_not_found: 'There is no such model. See the list of models.',
  partner_disabled: 'Your app was disabled.',
  key_restricted:
    'The key was used outside the networks that you allow, or that its owner allows. It may have leaked.',
  paused_for_review:
    'Requests of the user or of your app cost more than the amount held. The service reviews them.',
  request_timeout: 'Your app sent the request too slowly.',
  request_too_large: 'The request body was too large.',
  url_too_long: 'The URL was too long.',
  headers_too_large: 'The request had too many headers.',
  unsupported_encoding: 'The request body was compressed in an unsupported way.',
  rate_limited: 'Too many requests. Wait for the time in Retry-After.',
  upstream_error: 'The provider failed, even after our retries. Try again or choose another model.',
  overloaded: 'The service was overloaded. Wait for the time in Retry-After.',
  internal_error: 'An error on our side.',
};

export const ERROR_WORDS: Partial<Record<string, ErrorWords>> = Object.fromEntries(
  (Object.keys(ERROR_STATUS) as ErrorCode[]).map((code) => [
    code,
    { status: ERROR_STATUS[code], advice: ADVICE[code] ?? '' },
  ]),
);
