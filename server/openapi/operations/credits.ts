import { historyQuerySchema } from '../../api/history';
import type { ErrorCode } from '../../errors';
import type { Operation } from '../operation';

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
        model: 'sandbox/story',
        provider: 'sandbox',
        price_version: 'sandbox/story@2000-01-01.1f0c2a9b',
        outcome: 'completed',
        estimated: false,
        input_tokens: 12,
        cached_input_tokens: 0,
        cache_write_tokens: 0,
        cache_write_1h_tokens: 0,
        output_tokens: 7,
        reasoning_tokens: 0,
        held_credits: 20.48,
        provider_credits: 0.009876,
        commission_credits: 0.002469,
        overrun_credits: 0,
        charged_credits: 0.012345,
      },
    },
    errorFormat: 'chat',
    errors: [...KEY_ERRORS, 'not_found'],
  },
];
