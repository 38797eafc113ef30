import { ApiError, ERROR_STATUS, type ErrorCode } from '../../base/errors';
import { type ErrorFormat, errorBody } from '../../base/http/error-bodies';

/** The meaning of each error code and how to resolve it, for the API document and the pages. */

export type ErrorGuide = { when: string; remedy: string; message: string };

const REQUEST_ID = 'req_5hQk2vX8yTzN4mBfR7cWdA';
const ACTION_URL = 'https://svc.example/continue?token=AX3k…';

export const ERROR_GUIDE: Readonly<Record<ErrorCode, ErrorGuide>> = {
  invalid_request: {
    when: 'The body is malformed, or a field is missing or has an invalid value.',
    remedy: 'Fix the request. `message` and `param` name the field.',
    message: 'messages: is required: an array of messages',
  },
  content_refused: {
    when: 'The provider refused the content of the request. A provider may charge for that, as xAI does.',
    remedy: 'Change the content. The receipt contains what was charged.',
    message: "The request was blocked by the provider's content policy",
  },
  invalid_code: {
    when: 'The sign-in code does not match the one that was sent.',
    remedy: 'Ask the user to enter it again. The code expires after five wrong attempts.',
    message: 'The code is incorrect. Check it, or request a new one.',
  },
  code_expired: {
    when: 'The sign-in code is older than ten minutes, was already used, or had too many wrong attempts.',
    remedy: 'Send a new code.',
    message: 'The code has expired. Request a new one.',
  },
  invalid_grant: {
    when: 'The sign-in token or code is unknown, already used, older than 60 seconds, or was issued to another page or app; or the code of a device is unknown or already used.',
    remedy: 'Ask the user to sign in again.',
    message: 'The sign-in token is invalid. Please sign in again.',
  },
  invalid_client: {
    when: 'A request to an endpoint under `/oauth` has an `Authorization` header. Clients have no secret.',
    remedy: 'Send the `client_id` in the body. In Go, set `AuthStyle: oauth2.AuthStyleInParams`.',
    message: 'Clients do not authenticate. Send client_id in the body, and no Authorization header.',
  },
  unsupported_grant_type: {
    when: 'The `grant_type` of a request to `/oauth/token` is unknown.',
    remedy:
      'Send one of those that the metadata lists. There are no refresh tokens: a user key does not expire.',
    message: 'grant_type: expected authorization_code or urn:ietf:params:oauth:grant-type:device_code',
  },
  authorization_pending: {
    when: 'The user has not entered the code of a device, or not decided.',
    remedy: 'Ask again after `interval` seconds, until the code expires.',
    message: 'Authorization is still pending. Poll again after the interval.',
  },
  slow_down: {
    when: 'A program asked for the token of a device again before the interval had passed.',
    remedy: 'Wait five seconds longer before each request from now on.',
    message: 'Polling too fast. Wait 5 more seconds between requests.',
  },
  access_denied: {
    when: 'The user refused to connect the device, or signed out before it received its key.',
    remedy: 'Do not ask again. Begin again if the user wants to.',
    message: 'The user refused.',
  },
  expired_token: {
    when: 'The code of a device is older than ten minutes.',
    remedy: 'Begin again, and show the new code.',
    message: 'The device code has expired. Begin again.',
  },
  missing_api_key: {
    when: 'The request does not include a user key.',
    remedy: 'Send it as `Authorization: Bearer svc_sk_…`, `x-api-key` or `X-User-Key`.',
    message: 'No user key provided. Send it as "Authorization: Bearer svc_sk_…".',
  },
  invalid_user_key: {
    when: 'The key is not a user key, or it has been revoked.',
    remedy: 'Delete the key and ask the user to sign in again.',
    message: 'This user key is invalid or has been revoked.',
  },
  invalid_publishable_key: {
    when: 'The publishable key is unknown, or it belongs to a different app than the user key.',
    remedy: 'Copy the key from the partner dashboard.',
    message: 'Unknown publishable key. Copy it from the partner dashboard.',
  },
  invalid_signature: {
    when: 'A report of leaked keys is not signed by a key of the scanner’s public list.',
    remedy: 'Sign the body exactly as it is sent.',
    message:
      'Expected Github-Public-Key-Identifier and Github-Public-Key-Signature, the ECDSA P-256 signature of the body by a listed key.',
  },
  invalid_signing_secret: {
    when: 'A request for the events of an app lacks its signing secret, or has another one.',
    remedy:
      'Send the publishable key as user name and the signing secret as password (HTTP Basic). Copy both from the partner dashboard.',
    message: 'This is not the signing secret of the app. Copy it from the partner dashboard.',
  },
  insufficient_credits: {
    when: 'The user does not have enough credits for this request.',
    remedy:
      'Open the checkout so that the user can buy credits, or show `action_url`. Retrying before that fails again.',
    message: `Not enough credits. Open the checkout to buy more, or buy them at ${ACTION_URL}`,
  },
  partner_not_permitted: {
    when: 'The user has credits bought elsewhere but has not allowed this app to use them.',
    remedy:
      'Open the checkout, where the user can allow the app to use them or buy credits in it, or show `action_url`. The user does have credits.',
    message: `The user has credits bought elsewhere but has not allowed this app to spend them. Open the checkout to ask, or set an allowance at ${ACTION_URL}`,
  },
  partner_limit_reached: {
    when: 'The user’s allowance for this app is used up, or a limit is reached: `param` then names it, such as `limits.app.day` or `limits.all.stop` for one that the user set, and `limits.partner.day` for one that the app sets.',
    remedy:
      'Without `param`, open the checkout or show `action_url`, where the user can raise the allowance or buy credits. The user does have credits. With `param`, show the message: it says when the limit resets and, if the user set it, where to raise it. Only you can raise one of `limits.partner`, in the partner dashboard.',
    message: `The user's allowance for this app is used up. Open the checkout to ask for more, or raise it at ${ACTION_URL}`,
  },
  model_not_allowed: {
    when: 'The app is not allowed to use this model.',
    remedy: 'Use another model, or allow this one in the partner dashboard.',
    message: 'This app may not use the model openai/gpt-4.1',
  },
  origin_not_allowed: {
    when: 'The request came from a page whose origin is not registered for the app.',
    remedy: 'Register the origin exactly as the browser shows it, including the scheme.',
    message:
      "The origin https://example.com is not registered for this app. Add it to the app's origins in the partner dashboard.",
  },
  partner_disabled: {
    when: 'The app is disabled. Its keys work again once it is enabled.',
    remedy: 'Keep the keys and try again later.',
    message: 'This app is currently disabled.',
  },
  key_restricted: {
    when: 'The user key is valid but may not be used from here: the app restricted its keys to networks, or the owner of the key restricted it to networks or websites.',
    remedy:
      'Send the request from an allowed network or page. The owner changes the restrictions of a key in their account, the partner those of its app in the partner dashboard.',
    message:
      'This user key only works from networks that its owner chose, and this request comes from another.',
  },
  paused_for_review: {
    when: 'Requests of this user, or of this app, cost more than could be held for them. The service reviews them before it accepts more.',
    remedy:
      'Do not retry and do not open the checkout. Requests work again after the review; if they do not, report the `x-request-id`.',
    message:
      'This user or app is paused for review by the service. Retrying does not help until the review is done.',
  },
  purchases_blocked: {
    when: 'An operator of the service blocked the purchases of this user. Credits that they bought still work.',
    remedy: 'Do not retry. Tell the user to contact the support of the service.',
    message: 'Purchases are blocked for this account. The credits in it still work. Please contact support.',
  },
  step_up_required: {
    when: 'The request requires the user to sign in. A user key does not prove that the user is present.',
    remedy: 'Ask the user to confirm with a code sent by e-mail.',
    message: 'This device has been signed out. Please sign in again.',
  },
  passkey_required: {
    when: 'An operator or the owner of an app, who confirms changes with a passkey, sets an allowance in the checkout.',
    remedy: 'The user sets the allowance in their account.',
    message: 'Set this allowance in your account, where you confirm with your passkey.',
  },
  model_not_found: {
    when: 'No model with this id is available.',
    remedy: 'Use an id from `GET /v1/models`. Ids must match exactly.',
    message: 'The model openai/gpt-9 does not exist. GET /v1/models lists all models.',
  },
  not_found: {
    when: 'The URL does not exist, or the object belongs to another app.',
    remedy: 'Check the URL and the id. The message names what to use instead, where there is something.',
    message: 'This checkout session does not exist.',
  },
  method_not_allowed: {
    when: 'The URL does not support this method.',
    remedy: 'Use a method that `Allow` lists.',
    message: 'This URL only accepts POST.',
  },
  request_timeout: {
    when: 'The body arrived too slowly: nothing for 10 seconds, or less than 16 kB per second after that.',
    remedy: 'Send the request again over a faster connection.',
    message:
      'The request body arrived too slowly: expected progress every 10 seconds, and 16 kB per second on average.',
  },
  idempotency_conflict: {
    when: 'The `Idempotency-Key` was already used with a different request.',
    remedy: 'Use a new key for each purchase and for each generation request.',
    message:
      'This Idempotency-Key was already used with a different request. Use a new key for each purchase.',
  },
  already_charged: {
    when: 'A generation request with this `Idempotency-Key` was charged, and its response is not kept: it ended early, was too large, or the operator keeps responses for a shorter time.',
    remedy:
      'Nothing more was charged. The message names the receipt of the first request. To send the request again, and pay for it, use a new key.',
    message:
      'A request with this Idempotency-Key was charged, and its response is not kept. Its receipt is req_5hQk2vX8yTzN4mBfR7cWdA. Use a new key to send the request again.',
  },
  request_too_large: {
    when: 'The body exceeds 32 MB on the generation endpoints, or 64 kB elsewhere.',
    remedy: 'Reduce the size of the request.',
    message: 'The request body exceeds the maximum size of 32 MB.',
  },
  url_too_long: {
    when: 'The URL exceeds 8 kB.',
    remedy: 'Send less in the URL. No endpoint needs more.',
    message: 'The URL exceeds the maximum size of 8 kB.',
  },
  headers_too_large: {
    when: 'The request has more than 100 headers, or more than 16 kB of them.',
    remedy: 'Remove headers. No endpoint needs more than a few.',
    message: 'The request has more than 100 headers, or more than 16 kB of them.',
  },
  unsupported_encoding: {
    when: 'The body is compressed in a way that the service cannot decode.',
    remedy:
      'Send the body uncompressed, or in an encoding that the `Accept-Encoding` header of the response lists.',
    message: 'The Content-Encoding of the request must be one of gzip, deflate, br, or absent.',
  },
  rate_limited: {
    when: 'Too many requests, the user’s other running requests hold the credits that this one needs, or clients of this user disconnected from many responses.',
    remedy: 'Wait for the number of seconds in `Retry-After`, then retry.',
    message: 'This user has too many requests running at the same time',
  },
  internal_error: {
    when: 'Something went wrong on our side.',
    remedy: 'Retry. If the error persists, report the `x-request-id`.',
    message: 'Something went wrong on our side. Please retry.',
  },
  upstream_error: {
    when: 'The model provider or the payment processor failed or could not be reached, even after our own retries.',
    remedy: 'Retry later, or use another model. Nothing was charged, unless a stream had started.',
    message: 'The provider for this model is currently unavailable',
  },
  overloaded: {
    when: 'The service is temporarily overloaded, or restarted before the response was complete. In a stream, it is the last event.',
    remedy: 'Wait for the number of seconds in `Retry-After`, then retry.',
    message: 'The service is busy. Please retry.',
  },
  payments_unavailable: {
    when: 'The payment processor refuses every payment until an operator completes its account.',
    remedy: 'Try again later. The operator has been notified.',
    message: 'Payments are not available right now. The operator has been notified.',
  },
};

/** An error as the endpoint returns it. */
export function exampleError(format: ErrorFormat, code: ErrorCode): object {
  const { message } = ERROR_GUIDE[code];
  const actionUrl = ERROR_STATUS[code] === 402 ? ACTION_URL : undefined;
  return errorBody(format, new ApiError(code, message, { ...(actionUrl && { actionUrl }) }), REQUEST_ID);
}
