import { ERROR_STATUS, type ErrorCode } from '@/server/errors';

/** What an error code means for an app, and what helps. */
export type ErrorWords = { status: number; advice: string };

const ADVICE: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'The request was malformed. Your own users cannot mend this: check what your app sends.',
  missing_api_key: 'No user key was sent.',
  invalid_user_key:
    'The key was revoked, or is none of ours. Open the checkout so that the user signs in again.',
  insufficient_credits: 'The user ran out of credits. Open the checkout.',
  partner_not_permitted:
    'The user has credits from elsewhere and has not allowed your app. Open the checkout.',
  partner_limit_reached: 'The user’s allowance for your app is used up. Open the checkout.',
  model_not_allowed: 'The model is not among those you allow.',
  model_not_found: 'There is no such model. See the list of models.',
  partner_disabled: 'Your app was disabled.',
  request_too_large: 'The request’s body was too large.',
  rate_limited: 'Too many requests at once. Wait as Retry-After says.',
  upstream_error: 'The provider failed, our own retries included. Try again or choose another model.',
  overloaded: 'We had too much to do. Wait as Retry-After says.',
  internal_error: 'A fault of ours.',
};

export const ERROR_WORDS: Partial<Record<string, ErrorWords>> = Object.fromEntries(
  (Object.keys(ERROR_STATUS) as ErrorCode[]).map((code) => [
    code,
    { status: ERROR_STATUS[code], advice: ADVICE[code] ?? '' },
  ]),
);
