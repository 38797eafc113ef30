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
      'Starts a purchase for the user who owns the key and returns the URL of the payment page. Open that page in its own tab or window, because it cannot be framed. A return to `return_url` does not prove that the user paid: read the purchase, or wait for the `credits.added` webhook. Price and exchange rate are fixed while the session is open. Send an `Idempotency-Key` to retry safely: the same request with the same key starts only one session and returns the same response for 24 hours. For a user who has just signed in and does not have a key yet, send `publishable_key`, a sign-in `token` and its `code_verifier` instead of the header; the response then includes their first `user_key`.',
    auth: 'user-key',
    requestHeaders: {
      'Idempotency-Key': {
        description: 'A unique value for each purchase, 1 to 255 printable characters.',
        example: 'order-1042',
      },
    },
    body: {
      schema: 'CheckoutRequest',
      examples: {
        ten: { summary: '10 US dollars', value: { amount: 10, currency: 'usd' } },
        euro: {
          summary: '25 euros, returning to the app',
          value: { amount: 25, currency: 'eur', return_url: 'http://localhost:5173/credits' },
        },
        first: {
          summary: 'Right after sign-in, without a user key',
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
      'key_restricted',
      'purchases_blocked',
      'idempotency_conflict',
      'request_too_large',
      'unsupported_encoding',
      'rate_limited',
      'upstream_error',
      'payments_unavailable',
    ],
  },
  {
    id: 'readCheckout',
    method: 'get',
    path: '/v1/credits/checkout/{id}',
    group: 'checkout',
    summary: 'Read a purchase',
    description:
      'Returns the status of a purchase. While it is open, each call checks with the payment processor, so a late notification makes no difference. Poll it every few seconds, or listen for the `credits.added` webhook.',
    auth: 'user-key',
    pathParameters: { id: { description: 'The checkout session id.', example: SESSION_ID } },
    response: {
      description: 'The checkout session.',
      schema: 'CheckoutStatus',
      example: { session_id: SESSION_ID, status: 'completed', credits_added: 1000, balance: 1000 },
    },
    errorFormat: 'chat',
    errors: ['missing_api_key', 'invalid_user_key', 'partner_disabled', 'key_restricted', 'not_found'],
  },
];
