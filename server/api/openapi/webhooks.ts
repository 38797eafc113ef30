import { z } from 'zod';
import { EVENT_DATA, type EventType } from '../../partners/webhooks/events';
import type { JsonObject } from './json';
import { toJsonSchema } from './schemas';

/** The events sent to an app's endpoint, from the schemas that validate them. */

const EVENTS: Record<EventType, { summary: string; when: string; example: object }> = {
  'user_key.created': {
    summary: 'A user key was created',
    when: 'Sent when a user signs in to the app or starts their first purchase in it. The only event that contains the key itself. The user’s other keys keep working.',
    example: {
      user_key: 'svc_sk_7GhM3pE6aU0oI5YdJ8sKq2Lw9XvTzB1nRcQf',
      key_id: 'key_9XvTzB1nRcYd7GhM3pE6aU',
      user_id: 'au_1nRcYd7GhM3pE6aU0oI5Kq',
      metadata: { workspace: 'w_42' },
    },
  },
  'user_key.revoked': {
    summary: 'A user key was revoked',
    when: 'Sent when the user revokes the key or logs the device out, or when an eleventh key replaces the one idle longest. Delete the key with this `key_id`.',
    example: {
      key_id: 'key_9XvTzB1nRcYd7GhM3pE6aU',
      user_id: 'au_1nRcYd7GhM3pE6aU0oI5Kq',
      reason: 'user_revoked',
      metadata: {},
    },
  },
  'credits.added': {
    summary: 'Credits were added',
    when: 'Sent when the user buys credits in the app or saves the app’s allowance. Saving always sends a `permission` event, even if it adds nothing. The sums of a `purchase` include the bonus credits of a promotion code.',
    example: {
      type: 'purchase',
      user_id: 'au_1nRcYd7GhM3pE6aU0oI5Kq',
      metadata: { workspace: 'w_42' },
      balance: 1000,
      credits_added: 1000,
      transaction_id: 'txn_4fJ8sKq2Lw9XvTzB1nRcYd',
    },
  },
  test: {
    summary: 'A test event',
    when: 'Sent when someone clicks “Send test event” in the partner dashboard.',
    example: { partner_id: 'prt_5YdJ8sKq2Lw9XvTzB1nRcQ', message: 'This is a test event.' },
  },
};

export const EVENT_TYPES = Object.keys(EVENT_DATA) as EventType[];

export function writeWebhooks(brand: string): JsonObject {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: writeEvent(type, brand) }]));
}

function writeEvent(type: EventType, brand: string): JsonObject {
  const { summary, when, example } = EVENTS[type];
  return {
    operationId: `on_${type.replace('.', '_')}`,
    tags: ['webhooks'],
    summary,
    description: when,
    parameters: [
      header(`X-${brand}-Event`, 'The type of the event.', type),
      header(
        `X-${brand}-Signature`,
        'HMAC-SHA-256 of `<t>.<raw body>` with the signing secret, as hex. Reject timestamps more than 300 seconds from the current time.',
        't=1795996800,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
      ),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: envelope(type),
          examples: { event: { summary, value: exampleEnvelope(type, example) } },
        },
      },
    },
    responses: {
      '2XX': { description: 'Delivered. The event is not sent again.' },
      '4XX': {
        description:
          'Rejected. Not sent again, except after 408 and 429. Respond with 400 if the signature is invalid.',
      },
      '5XX': { description: 'Retried after 2 seconds and again after 8 seconds, then marked as failed.' },
    },
  };
}

function header(name: string, description: string, example: string): JsonObject {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example };
}

function envelope(type: EventType) {
  const schema = z.object({
    id: z
      .string()
      .startsWith('evt_')
      .meta({ description: 'The same on every retry. Use it to detect duplicates.' }),
    type: z.literal(type),
    created_at: z.iso.datetime().meta({ description: 'Events may arrive out of order. Sort by this time.' }),
    data: EVENT_DATA[type],
  });
  return toJsonSchema(schema, 'output');
}

function exampleEnvelope(type: EventType, data: object): JsonObject {
  return { id: 'evt_0oI5YdJ8sKq2Lw9XvTzB1n', type, created_at: '2026-11-21T09:30:00.000Z', data };
}
