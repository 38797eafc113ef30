import type { Operation } from '../operation';

const SESSION_ID = 'cks_2Lw9XvTzB1nRcYd7GhM3pE';

export const CHECKOUT: Operation[] = [
  {
    id: 'startCheckout',
    method: 'post',
    path: '/v1/credits/checkout',
    group: 'checkout',
    summary: 'Start a purchase',
    description:
      'Starts a purchase for the user of the key and gives the address of its payment page. Open that page in a tab or window of its own, since it refuses to be framed. That the user comes back to `return_url` proves nothing: read the purchase, or wait for the webhook `credits.added`. Price and exchange rate are fixed for as long as the session is open. Send an `Idempotency-Key`: the same request with the same key starts one session, and gets the same answer for a day. A user who has just signed in and holds no key yet is named by `publishable_key`, a sign-in `token` and its `code_verifier` instead of the header; the answer then brings their first `user_key`.',
    auth: 'user-key',
    requestHeaders: {
      'Idempotency-Key': {
        description: '1 to 255 printable characters, new for each purchase.',
        example: 'order-1042',
      },
    },
    body: {
      schema: 'CheckoutRequest',
      examples: {
        ten: { summary: '10 US dollars', value: { amount: 10, currency: 'usd' } },
        euro: {
          summary: '25 euro, and back to the app',
          value: { amount: 25, currency: 'eur', return_url: 'http://localhost:5173/credits' },
        },
        first: {
          summary: 'Right after the sign-in, without a user key',
          value: {
            publishable_key: 'svc_pk_…',
            token: 'svc_st_…',
            code_verifier: 'the secret of the app',
            amount: 10,
          },
        },
      },
    },
    response: {
      description: 'The open session.',
      schema: 'StartedCheckout',
      example: {
        session_id: SESSION_ID,
        checkout_url: 'https://checkout.example.com/pay/cs_a1b2c3',
        status: 'open',
        amount: 10,
        currency: 'usd',
        credits: 1000,
        expires_at: '2026-11-21T10:01:00.000Z',
        user_key: null,
        key_id: 'key_9XvTzB1nRcYd7GhM3pE6aU',
      },
    },
    errorFormat: 'chat',
    errors: [
      'invalid_request',
      'missing_api_key',
      'invalid_user_key',
      'invalid_grant',
      'invalid_publishable_key',
      'origin_not_allowed',
      'partner_disabled',
      'idempotency_conflict',
      'request_too_large',
      'rate_limited',
      'upstream_error',
    ],
  },
  {
    id: 'readCheckout',
    method: 'get',
    path: '/v1/credits/checkout/{id}',
    group: 'checkout',
    summary: 'Read a purchase',
    description:
      'How a purchase stands. While it is open the processor is asked again, so a late notification loses nothing. Poll it every few seconds, or listen to the webhook `credits.added`.',
    auth: 'user-key',
    pathParameters: { id: { description: 'A checkout session id.', example: SESSION_ID } },
    response: {
      description: 'The state of the session.',
      schema: 'CheckoutStatus',
      example: { session_id: SESSION_ID, status: 'completed', credits_added: 1000, balance: 1000 },
    },
    errorFormat: 'chat',
    errors: ['missing_api_key', 'invalid_user_key', 'partner_disabled', 'not_found'],
  },
];
