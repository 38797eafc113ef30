import { ApiError, type ErrorCode, overloaded } from '../../base/errors';
import { invalidUserKey, keyRestricted, missingApiKey } from '../../base/http/credentials';
import { unsupportedEncoding } from '../../base/http/decode-body';
import { type ErrorFormat, errorBody } from '../../base/http/error-bodies';
import { GENERATION_BODY_BYTES } from '../../base/http/read-body';
import { tooLarge, tooSlow } from '../../base/http/receive-body';
import { internalError } from '../../base/http/respond';
import { contentRefused } from '../../gateway/providers/provider-failure';
import {
  alreadyCharged,
  modelNotAllowed,
  modelNotFound,
  pausedForReview,
  providerUnavailable,
  tooFewCredits,
  tooManyRunning,
} from '../../gateway/run/refusals';
import { originNotAllowed } from '../../partners/origins';
import { invalidPublishableKey, partnerDisabled } from '../../partners/partner';
import { wrongSigningSecret } from '../../partners/partner-backend';
import { paymentsUnavailable } from '../../payments/checkout/account-not-ready';
import { conflict } from '../../payments/checkout/idempotency';
import { purchasesBlocked } from '../../payments/checkout/purchase-block';
import { passkeyRequired } from '../../payments/checkout/visit-allowance';
import { codeExpired, invalidCode } from '../../people/login-codes';
import { invalidSignature } from '../../people/scanner-keys';
import { invalidGrant } from '../../people/sign-in-tokens';
import { deviceWait, invalidClient, unsupportedGrantType } from '../oauth';

/** The meaning of each error code and how to resolve it, for the API document and the pages. */

export type ErrorGuide = {
  when: string;
  remedy: string /** As the place that refuses writes it. */;
  example: () => ApiError;
};

const REQUEST_ID = 'req_5hQk2vX8yTzN4mBfR7cWdA';
const ACTION_URL = 'https://svc.example/continue?token=AX3k…';

export const ERROR_GUIDE: Readonly<Record<ErrorCode, ErrorGuide>> = {
  invalid_request: {
    when: 'The body is malformed, or a field is missing or has an invalid value.',
    remedy: 'Fix the request. `message` and `param` name the field.',
    example: () => new ApiError('invalid_request', 'messages: is required: an array of messages'),
  },
  content_refused: {
    when: 'The provider refused the content of the request. A provider may charge for that, as xAI does.',
    remedy: 'Change the content. The receipt contains what was charged.',
    example: contentRefused,
  },
  invalid_code: {
    when: 'The sign-in code does not match the one that was sent.',
    remedy: 'Ask the user to enter it again. The code expires after five wrong attempts.',
    example: invalidCode,
  },
  code_expired: {
    when: 'The sign-in code is older than ten minutes, was already used, or had too many wrong attempts.',
    remedy: 'Send a new code.',
    example: codeExpired,
  },
  invalid_grant: {
    when: 'The sign-in token or code is unknown, already used, older than 60 seconds, or was issued to another page or app; or the code of a device is unknown or already used.',
    remedy: 'Ask the user to sign in again.',
    example: () => invalidGrant(),
  },
  invalid_client: {
    when: 'A request to an endpoint under `/oauth` has an `Authorization` header. Clients have no secret.',
    remedy: 'Send the `client_id` in the body. In Go, set `AuthStyle: oauth2.AuthStyleInParams`.',
    example: invalidClient,
  },
  unsupported_grant_type: {
    when: 'The `grant_type` of a request to `/oauth/token` is unknown.',
    remedy:
      'Send one of those that the metadata lists. There are no refresh tokens: a user key does not expire.',
    example: unsupportedGrantType,
  },
  authorization_pending: {
    when: 'The user has not entered the code of a device, or not decided.',
    remedy: 'Ask again after `interval` seconds, until the code expires.',
    example: () => deviceWait('authorization_pending'),
  },
  slow_down: {
    when: 'A program asked for the token of a device again before the interval had passed.',
    remedy: 'Wait five seconds longer before each request from now on.',
    example: () => deviceWait('slow_down'),
  },
  access_denied: {
    when: 'The user refused to connect the device, or signed out before it received its key.',
    remedy: 'Do not ask again. Begin again if the user wants to.',
    example: () => deviceWait('access_denied'),
  },
  expired_token: {
    when: 'The code of a device is older than ten minutes.',
    remedy: 'Begin again, and show the new code.',
    example: () => deviceWait('expired_token'),
  },
  missing_api_key: {
    when: 'The request does not include a user key.',
    remedy: 'Send it as `Authorization: Bearer svc_sk_…`, `x-api-key` or `X-User-Key`.',
    example: missingApiKey,
  },
  invalid_user_key: {
    when: 'The key is not a user key, or it has been revoked.',
    remedy: 'Delete the key and ask the user to sign in again.',
    example: invalidUserKey,
  },
  invalid_publishable_key: {
    when: 'The publishable key is unknown, or it belongs to a different app than the user key.',
    remedy: 'Copy the key from the partner dashboard.',
    example: () => invalidPublishableKey('svc_pk_…', 'publishable_key'),
  },
  invalid_signature: {
    when: 'A report of leaked keys is not signed by a key of the scanner’s public list.',
    remedy: 'Sign the body exactly as it is sent.',
    example: invalidSignature,
  },
  invalid_signing_secret: {
    when: 'A request for the events or settings of an app lacks its signing secret, or has another one.',
    remedy:
      'Send the publishable key as user name and the signing secret as password (HTTP Basic). Copy both from the partner dashboard.',
    example: wrongSigningSecret,
  },
  insufficient_credits: {
    when: 'The user does not have enough credits for this request.',
    remedy:
      'Without `param`, open the checkout so that the user can buy credits, or show `action_url`. With `param`, the balance is enough for a request like the previous one: show the message, which says what this one needs, and shorten the prompt.',
    example: () => tooFewCredits('insufficient_credits', ACTION_URL),
  },
  partner_not_permitted: {
    when: 'The user has credits bought elsewhere but has not allowed this app to use them.',
    remedy:
      'Open the checkout, where the user can allow the app to use them or buy credits in it, or show `action_url`. The user does have credits.',
    example: () => tooFewCredits('partner_not_permitted', ACTION_URL),
  },
  partner_limit_reached: {
    when: 'The user’s allowance for this app is used up, or a limit is reached: `param` then names it, such as `limits.app.day` or `limits.all.stop` for one that the user set, `limits.partner.day` for one that the app sets, `limits.key.credits` for the budget of a run key, `limits.run.credits` for the ceiling of a run, and `max_credits` for that of the request.',
    remedy:
      'Without `param`, open the checkout or show `action_url`, where the user can raise the allowance or buy credits. The user does have credits. With `param`, show the message: it says when the limit resets and, if the user set it, where to raise it. Only you can raise one of `limits.partner`, in the partner dashboard.',
    example: () => tooFewCredits('partner_limit_reached', ACTION_URL),
  },
  model_not_allowed: {
    when: 'The app is not allowed to use this model.',
    remedy: 'Use another model, or allow this one in the partner dashboard.',
    example: () => modelNotAllowed('openai/gpt-4.1'),
  },
  origin_not_allowed: {
    when: 'The request came from a page whose origin is not registered for the app.',
    remedy: 'Register the origin exactly as the browser shows it, including the scheme.',
    example: () => originNotAllowed('https://example.com'),
  },
  partner_disabled: {
    when: 'The app is disabled. Its keys work again once it is enabled.',
    remedy: 'Keep the keys and try again later.',
    example: partnerDisabled,
  },
  key_restricted: {
    when: 'The user key is valid but may not be used from here: the app restricted its keys to networks, or the owner of the key restricted it to networks or websites.',
    remedy:
      'Send the request from an allowed network or page. The owner changes the restrictions of a key in their account, the partner those of its app in the partner dashboard.',
    example: () => keyRestricted('key_networks'),
  },
  paused_for_review: {
    when: 'Requests of this user, or of this app, cost more than could be held for them. The service reviews them before it accepts more.',
    remedy:
      'Do not retry and do not open the checkout. Requests work again after the review; if they do not, report the `x-request-id`.',
    example: pausedForReview,
  },
  purchases_blocked: {
    when: 'An operator of the service blocked the purchases of this user. Credits that they bought still work.',
    remedy: 'Do not retry. Tell the user to contact the support of the service.',
    example: purchasesBlocked,
  },
  step_up_required: {
    when: 'The request requires the user to sign in. A user key does not prove that the user is present.',
    remedy: 'Ask the user to confirm with a code sent by e-mail.',
    example: () => new ApiError('step_up_required', 'This device has been signed out. Please sign in again.'),
  },
  passkey_required: {
    when: 'An operator or the owner of an app, who confirms changes with a passkey, sets an allowance in the checkout.',
    remedy: 'The user sets the allowance in their account.',
    example: passkeyRequired,
  },
  model_not_found: {
    when: 'No model with this id is available.',
    remedy: 'Use an id from `GET /v1/models`. Ids must match exactly.',
    example: () => modelNotFound('openai/gpt-9'),
  },
  not_found: {
    when: 'The URL does not exist, or the object belongs to another app.',
    remedy: 'Check the URL and the id. The message names what to use instead, where there is something.',
    example: () => new ApiError('not_found', 'This checkout session does not exist.'),
  },
  method_not_allowed: {
    when: 'The URL does not support this method.',
    remedy: 'Use a method that `Allow` lists.',
    example: () => new ApiError('method_not_allowed', 'This URL only accepts POST.'),
  },
  request_timeout: {
    when: 'The body arrived too slowly: nothing for 10 seconds, or less than 16 kB per second after that.',
    remedy: 'Send the request again over a faster connection.',
    example: tooSlow,
  },
  idempotency_conflict: {
    when: 'The `Idempotency-Key` was already used with a different request.',
    remedy: 'Use a new key for each purchase and for each generation request.',
    example: conflict,
  },
  already_charged: {
    when: 'A generation request with this `Idempotency-Key` was charged, and its response is not kept: it ended early, was too large, or the operator keeps responses for a shorter time.',
    remedy:
      'Nothing more was charged. The message names the receipt of the first request. To send the request again, and pay for it, use a new key.',
    example: () => alreadyCharged(REQUEST_ID),
  },
  request_too_large: {
    when: 'The body exceeds 32 MB on the generation endpoints, or 64 kB elsewhere.',
    remedy: 'Reduce the size of the request.',
    example: () => tooLarge(GENERATION_BODY_BYTES),
  },
  url_too_long: {
    when: 'The URL exceeds 8 kB.',
    remedy: 'Send less in the URL. No endpoint needs more.',
    example: () => new ApiError('url_too_long', 'The URL exceeds the maximum size of 8 kB.'),
  },
  headers_too_large: {
    when: 'The request has more than 100 headers, or more than 16 kB of them.',
    remedy: 'Remove headers. No endpoint needs more than a few.',
    example: () =>
      new ApiError('headers_too_large', 'The request has more than 100 headers, or more than 16 kB of them.'),
  },
  unsupported_encoding: {
    when: 'The body is compressed in a way that the service cannot decode.',
    remedy:
      'Send the body uncompressed, or in an encoding that the `Accept-Encoding` header of the response lists.',
    example: unsupportedEncoding,
  },
  rate_limited: {
    when: 'Too many requests, the user’s other running requests hold the credits that this one needs, or clients of this user disconnected from many responses.',
    remedy: 'Wait for the number of seconds in `Retry-After`, then retry.',
    example: tooManyRunning,
  },
  internal_error: {
    when: 'Something went wrong on our side.',
    remedy: 'Retry. If the error persists, report the `x-request-id`.',
    example: internalError,
  },
  upstream_error: {
    when: 'The model provider or the payment processor failed or could not be reached, even after our own retries.',
    remedy: 'Retry later, or use another model. Nothing was charged, unless a stream had started.',
    example: () => providerUnavailable(1),
  },
  overloaded: {
    when: 'The service is temporarily overloaded, or restarted before the response was complete. In a stream, it is the last event.',
    remedy: 'Wait for the number of seconds in `Retry-After`, then retry.',
    example: overloaded,
  },
  payments_unavailable: {
    when: 'The payment processor refuses every payment until an operator completes its account.',
    remedy: 'Try again later. The operator has been notified.',
    example: paymentsUnavailable,
  },
};

/** An error as the endpoint returns it. */
export const exampleError = (format: ErrorFormat, code: ErrorCode): object =>
  errorBody(format, ERROR_GUIDE[code].example(), REQUEST_ID);
