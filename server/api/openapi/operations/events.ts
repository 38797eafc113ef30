import { eventQuerySchema } from '../../events';
import type { Operation } from '../operation';

export const EVENTS: Operation[] = [
  {
    id: 'listEvents',
    method: 'get',
    path: '/v1/events',
    group: 'events',
    summary: 'List events',
    description:
      'Returns the events of the last 30 days, oldest first, each as webhooks deliver it. Call it with the last `id` as `after` until `has_more` is false, then again later: no event is skipped. Events are recorded once the app has a signing secret, also without an endpoint. Up to 240 requests per minute and app.',
    auth: 'signing-secret',
    query: { schema: eventQuerySchema, examples: { after: 'evt_0oI5YdJ8sKq2Lw9XvTzB1n', limit: 50 } },
    response: {
      description: 'One page of events.',
      schema: 'EventPage',
      example: {
        data: [
          {
            id: 'evt_5YdJ8sKq2Lw9XvTzB1nRcQ',
            type: 'user_key.revoked',
            created_at: '2026-11-21T09:30:00.000Z',
            data: {
              key_id: 'key_9XvTzB1nRcYd7GhM3pE6aU',
              user_id: 'au_1nRcYd7GhM3pE6aU0oI5Kq',
              reason: 'user_revoked',
              metadata: {},
            },
          },
        ],
        has_more: false,
      },
    },
    errorFormat: 'chat',
    errors: [
      'invalid_request',
      'invalid_signing_secret',
      'invalid_publishable_key',
      'partner_disabled',
      'rate_limited',
    ],
  },
];
