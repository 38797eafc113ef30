import { ERROR_STATUS, type ErrorCode } from '../errors';

/** What each error code means and what to do about it: for the API document and the pages. */

export type ErrorGuide = { when: string; remedy: string; message: string };

export const ERROR_GUIDE: Readonly<Record<ErrorCode, ErrorGuide>> = {
  invalid_request: {
    when: 'The body is malformed, or a field is missing or has a value that is not taken.',
    remedy: 'Mend the request; `message` and `param` name the field.',
    message: 'messages: is required: an array of messages',
  },
  invalid_code: {
    when: 'The sign-in code is not the one that was sent.',
    remedy: 'Let the user type it again. After five wrong tries the code is used up.',
    message: 'This code is not right. Check it, or ask for a new one.',
  },
  code_expired: {
    when: 'The sign-in code is older than ten minutes, was used, or is used up by wrong tries.',
    remedy: 'Send a new code.',
    message: 'This code is no longer valid. Ask for a new one.',
  },
  invalid_grant: {
    when: 'The sign-in token is unknown, used, older than 60 seconds, or made for another page or app.',
    remedy: 'Let the user sign in again.',
    message: 'This sign-in token is not valid. Please sign in again.',
  },
  missing_api_key: {
    when: 'The request has no user key.',
    remedy: 'Send it as `Authorization: Bearer svc_sk_…`, `x-api-key` or `X-User-Key`.',
    message: 'Send the user key as "Authorization: Bearer svc_sk_…"',
  },
  invalid_user_key: {
    when: 'The key is not a user key, or it was revoked.',
    remedy: 'Forget the key and let the user sign in again.',
    message: 'This user key is not valid or has been revoked',
  },
  invalid_publishable_key: {
    when: 'The publishable key is not known, or belongs to another app than the user key.',
    remedy: 'Copy the key from the partner dashboard again.',
    message: 'This publishable key is not known',
  },
  insufficient_credits: {
    when: 'The user has too few credits for this request.',
    remedy: 'Open the checkout so that the user can buy credits. Do not retry before.',
    message: 'Not enough credits. Open the checkout to buy more.',
  },
  partner_not_permitted: {
    when: 'The user has credits, but bought them elsewhere and has not allowed this app to use them.',
    remedy: 'Open the checkout: the user may allow the app or buy credits in it. This is not “no credits”.',
    message:
      'The user has credits bought elsewhere but has not allowed this app to spend them. Open the checkout to ask.',
  },
  partner_limit_reached: {
    when: 'What the user allowed this app to spend is used up.',
    remedy: 'Open the checkout: the user may raise the limit or buy credits. This is not “no credits”.',
    message: "The user's allowance for this app is used up. Open the checkout to ask for more.",
  },
  model_not_allowed: {
    when: 'The app may not use this model.',
    remedy: 'Use another model, or allow it in the partner dashboard.',
    message: 'This app may not use the model openai/gpt-4.1',
  },
  origin_not_allowed: {
    when: 'The page that asks is not on an origin that the app registered.',
    remedy: 'Register the origin, scheme and host exactly as the browser shows them.',
    message:
      "https://example.com is not registered for this app: add it to the app's origins in the partner dashboard",
  },
  partner_disabled: {
    when: 'The app is disabled at the moment. Its keys rest and work again when it is enabled.',
    remedy: 'Keep the keys; try later.',
    message: 'This app is disabled at the moment',
  },
  step_up_required: {
    when: 'What is asked for needs the user’s own sign-in; a user key does not prove that the user is there.',
    remedy: 'Let the user confirm with a code sent by e-mail.',
    message: 'This device was signed out. Please sign in again.',
  },
  model_not_found: {
    when: 'No model of this id is served.',
    remedy: 'Take an id from `GET /v1/models`. Ids are exact and never guessed.',
    message: 'The model openai/gpt-9 does not exist. GET /v1/models lists all models.',
  },
  not_found: {
    when: 'There is nothing at this address, it takes another method, or it belongs to another app.',
    remedy: 'Check the address, the method and the id.',
    message: 'There is no such checkout session',
  },
  idempotency_conflict: {
    when: 'The `Idempotency-Key` was used for a different request.',
    remedy: 'Use a new key for a new purchase.',
    message: 'This Idempotency-Key was used for another request; use a new key for a new purchase',
  },
  request_too_large: {
    when: 'The body is larger than 32 MB on the generation endpoints, 64 kB elsewhere.',
    remedy: 'Send less.',
    message: 'The request body is larger than 32 MB',
  },
  rate_limited: {
    when: 'Too many requests, or the user’s own running requests hold the credits that this one needs.',
    remedy: 'Wait for the seconds in `Retry-After`, then try again.',
    message: 'This user has too many requests running at the same time',
  },
  internal_error: {
    when: 'Something went wrong on our side.',
    remedy: 'Try again. If it stays, report the `x-request-id`.',
    message: 'Something went wrong on our side. Please try again.',
  },
  upstream_error: {
    when: 'The provider of the model, or of payments, failed or could not be reached, also after our own retries.',
    remedy: 'Try again later, or another model. Nothing was charged, unless a stream had begun.',
    message: 'The provider for this model is currently unavailable',
  },
  overloaded: {
    when: 'The service is busy.',
    remedy: 'Wait for the seconds in `Retry-After`, then try again.',
    message: 'The service is busy. Please retry.',
  },
};

/** An error as the endpoint would write it. */
export function exampleError(format: 'chat' | 'messages', code: ErrorCode): object {
  const { message } = ERROR_GUIDE[code];
  return format === 'messages'
    ? { type: 'error', error: { type: code, message }, request_id: 'req_5hQk2vX8yTzN4mBfR7cWdA' }
    : { error: { message, type: code, param: null, code: String(ERROR_STATUS[code]) } };
}
