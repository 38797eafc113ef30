import type { ErrorCode } from '../../../base/errors';
import { historyQuerySchema } from '../../history';
import { statementsQuerySchema } from '../../statements';
import type { Operation } from '../operation';

/** Signed texts are shortened. */
const JWS = 'eyJhbGciOiJFZERTQSJ9.eyJkYXkiOiIyMDI2LTExLTIxIn0.MEQCIB4fXk2Lw9XvTzB1nRcYd7Gh';
const HASH = 'vFq2m1rX0bJt3c8sKq2Lw9XvTzB1nRcYd7GhM3pE6aU';

const KEY_ERRORS: ErrorCode[] = ['missing_api_key', 'invalid_user_key', 'partner_disabled', 'key_restricted'];

export const CREDITS: Operation[] = [
  {
    id: 'readBalance',
    method: 'get',
    path: '/v1/credits/balance',
    group: 'credits',
    summary: 'Read the balance',
    description:
      'Returns what this app can spend for this user now: credits bought in the app, plus the user’s allowance for credits bought elsewhere. `status` is computed by the same function that decides about a 402.',
    auth: 'user-key',
    response: {
      description: 'The balance.',
      schema: 'Balance',
      example: { balance: 987.654321, currency: 'credits', minimum_required: 1, status: 'ok' },
    },
    errorFormat: 'chat',
    errors: KEY_ERRORS,
  },
  {
    id: 'createQuote',
    method: 'post',
    path: '/v1/credits/quote',
    group: 'credits',
    summary: 'Quote a request',
    description:
      'Returns the most that a request can cost now, and what it will probably cost, before it is sent. Free of charge. For ten minutes, a request sent with the id in `x-svc-quote` never costs more than the maximum, even if prices change. The user’s balance and limits may allow less.',
    auth: 'user-key',
    body: {
      schema: 'QuoteRequest',
      examples: {
        chat: {
          summary: 'A chat completion',
          value: {
            endpoint: '/v1/chat/completions',
            request: {
              model: 'sandbox/story',
              max_tokens: 100,
              messages: [{ role: 'user', content: 'Tell me about the sea' }],
            },
          },
        },
      },
    },
    response: {
      description: 'The quote.',
      schema: 'Quote',
      example: {
        id: 'quo_AeX9v1mYtQ4m7XK2kPzS5cW8rT3uB6nJ0hGdLfVaQ1wEoRiYpUtZxCvBnM',
        model: 'sandbox/story',
        likely: 0.012345,
        maximum: 0.15,
        basis: {
          method: 'recent_requests',
          requests: 20,
          input_tokens: 12,
          cached_input_tokens: 0,
          output_tokens: 7,
        },
        price_version: 'sandbox/story@2000-01-01.1f0c2a9b',
        expires_at: '2026-11-21T09:40:00.000Z',
      },
    },
    errorFormat: 'chat',
    errors: [
      'invalid_request',
      'model_not_found',
      'model_not_allowed',
      'request_too_large',
      'unsupported_encoding',
      ...KEY_ERRORS,
    ],
  },
  {
    id: 'readRun',
    method: 'get',
    path: '/v1/credits/runs/{id}',
    group: 'credits',
    summary: 'Read a run',
    description:
      'Sums the requests that were sent with this `x-svc-run`, by the key of the request or those minted below it. A run is forgotten after 90 days without one.',
    auth: 'user-key',
    pathParameters: { id: { description: 'The id of the run, as in `x-svc-run`.', example: 'nightly-7' } },
    response: {
      description: 'The run.',
      schema: 'Run',
      example: {
        id: 'nightly-7',
        requests: 12,
        credits: 3.25,
        held: 0.5,
        max_credits: 10,
        left: 6.25,
        first_request_at: '2026-11-21T09:00:00.000Z',
        last_request_at: '2026-11-21T09:30:00.000Z',
      },
    },
    errorFormat: 'chat',
    errors: [...KEY_ERRORS, 'not_found'],
  },
  {
    id: 'readHistory',
    method: 'get',
    path: '/v1/credits/history',
    group: 'credits',
    summary: 'Read the history',
    description:
      'Lists purchases, requests, permissions and corrections of this user in this app, newest first.',
    auth: 'user-key',
    query: { schema: historyQuerySchema, examples: { limit: 50 } },
    response: {
      description: 'One page of entries.',
      schema: 'HistoryPage',
      example: {
        data: [
          {
            id: 'txn_8sKq2Lw9XvTzB1nRcYd7Gh',
            type: 'usage',
            created_at: '2026-11-21T09:30:00.000Z',
            credits: -0.012345,
            balance_after: 987.654321,
            request_id: 'req_5hQk2vX8yTzN4mBfR7cWdA',
            model: 'sandbox/story',
            input_tokens: 12,
            cached_input_tokens: 0,
            cache_write_tokens: 0,
            output_tokens: 7,
            reasoning_tokens: 0,
            provider_credits: 0.009876,
            commission_credits: 0.002469,
            estimated: false,
          },
          {
            id: 'txn_4fJ8sKq2Lw9XvTzB1nRcYd',
            type: 'purchase',
            created_at: '2026-11-21T09:00:00.000Z',
            credits: 1000,
            balance_after: 1000,
            session_id: 'cks_2Lw9XvTzB1nRcYd7GhM3pE',
            amount: 10,
            currency: 'usd',
          },
        ],
        total: 2,
        limit: 50,
        offset: 0,
        has_more: false,
      },
    },
    errorFormat: 'chat',
    errors: ['invalid_request', ...KEY_ERRORS],
  },
  {
    id: 'readReceipt',
    method: 'get',
    path: '/v1/credits/receipts/{id}',
    group: 'credits',
    summary: 'Read a receipt',
    description:
      'Returns what was metered and charged for one request. `id` is the `x-request-id` of its response.',
    auth: 'user-key',
    pathParameters: { id: { description: 'The request id.', example: 'req_5hQk2vX8yTzN4mBfR7cWdA' } },
    response: {
      description: 'The receipt.',
      schema: 'Receipt',
      example: {
        request_id: 'req_5hQk2vX8yTzN4mBfR7cWdA',
        created_at: '2026-11-21T09:30:00.000Z',
        key_id: null,
        label: null,
        model: 'sandbox/story',
        provider: 'sandbox',
        price_version: 'sandbox/story@2000-01-01.1f0c2a9b',
        outcome: 'completed',
        attempts: null,
        data_rules: [],
        estimated: false,
        input_tokens: 12,
        cached_input_tokens: 0,
        cache_write_tokens: 0,
        cache_write_1h_tokens: 0,
        output_tokens: 7,
        reasoning_tokens: 0,
        web_searches: 0,
        input_units: 0,
        output_units: 0,
        held_credits: 20.48,
        provider_credits: 0.009876,
        commission_credits: 0.002469,
        overrun_credits: 0,
        charged_credits: 0.012345,
        corrections: [],
        proof: {
          receipt: JWS,
          price: JWS,
          inclusion: { index: 0, size: 2, path: [HASH] },
          statement: JWS,
        },
      },
    },
    errorFormat: 'chat',
    errors: [...KEY_ERRORS, 'not_found'],
  },
  {
    id: 'listStatements',
    method: 'get',
    path: '/v1/credits/statements',
    group: 'credits',
    summary: 'List daily statements',
    description:
      'Lists the signed statements of this user in this app, newest first. A day (UTC) is closed ten minutes after it ends; days without bookings have no statement.',
    auth: 'user-key',
    query: { schema: statementsQuerySchema, examples: { limit: 31 } },
    response: {
      description: 'One page of statements.',
      schema: 'StatementList',
      example: {
        data: [
          {
            day: '2026-11-21',
            entries: 2,
            charged_credits: 0.012345,
            other_credits: 1000,
            opening_credits: 0,
            closing_credits: 999.987655,
            root: HASH,
            statement: JWS,
          },
        ],
        has_more: false,
      },
    },
    errorFormat: 'chat',
    errors: ['invalid_request', ...KEY_ERRORS],
  },
  {
    id: 'readStatement',
    method: 'get',
    path: '/v1/credits/statements/{day}',
    group: 'credits',
    summary: 'Read a day with its statement',
    description:
      'Returns the bookings of a closed day of this user in this app with everything that proves them: the signed statement, the hashes that it covers, and the price versions. `svc-verify` checks the response.',
    auth: 'user-key',
    pathParameters: { day: { description: 'The day (UTC).', example: '2026-11-21' } },
    response: {
      description: 'The day.',
      schema: 'StatementDay',
      example: {
        statement: JWS,
        entries: [
          {
            type: 'purchase',
            id: 'txn_4fJ8sKq2Lw9XvTzB1nRcYd',
            created_at: '2026-11-21T09:00:00.000Z',
            credits: 1_000_000_000,
          },
        ],
        leaves: [HASH],
        prices: [],
      },
    },
    errorFormat: 'chat',
    errors: [...KEY_ERRORS, 'not_found'],
  },
  {
    id: 'readKeySet',
    method: 'get',
    path: '/.well-known/jwks.json',
    group: 'credits',
    summary: 'Read the signing keys',
    description:
      'Returns the public keys that sign receipts and daily statements, as a JSON Web Key Set. Retired keys stay in it indefinitely.',
    auth: 'none',
    response: {
      description: 'The keys, newest first.',
      schema: 'KeySet',
      example: {
        keys: [
          {
            kty: 'OKP',
            crv: 'Ed25519',
            alg: 'EdDSA',
            use: 'sig',
            kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
            x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
            created_at: '2026-11-21T09:00:00.000Z',
            retired_at: null,
          },
        ],
      },
    },
    errorFormat: 'chat',
    errors: [],
  },
];
