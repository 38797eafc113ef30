import { z } from 'zod';
import { EVENT_DATA, type EventType } from '../webhooks/events';
import type { JsonObject } from './json';
import { toJsonSchema } from './schemas';

/** What we send to an app's endpoint, from the schemas that events are checked with. */

const EVENTS: Record<EventType, { summary: string; when: string; example: object }> = {
  'user_key.created': {
    summary: 'A key was minted',
    when: 'A user signed in to the app or started a first purchase there. The only event that carries the key itself; other keys of the user keep working.',
    example: {
      user_key: 'svc_sk_7GhM3pE6aU0oI5YdJ8sKq2Lw9XvTzB1nRcQf',
      key_id: 'key_9XvTzB1nRcYd7GhM3pE6aU',
      user_id: 'au_1nRcYd7GhM3pE6aU0oI5Kq',
      metadata: { workspace: 'w_42' },
    },
  },
  'user_key.revoked': {
    summary: 'A key stopped working',
    when: 'The user revoked it, logged the device out, or an eleventh key pushed out the one idle longest. Delete the key of this `key_id`.',
    example: {
      key_id: 'key_9XvTzB1nRcYd7GhM3pE6aU',
      user_id: 'au_1nRcYd7GhM3pE6aU0oI5Kq',
      reason: 'user_revoked',
      metadata: {},
    },
  },
  'credits.added': {
    summary: 'The app can spend more',
    when: 'The user bought credits in the app, or saved what the app may spend. A permission is told at every save, even one that adds nothing.',
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
    summary: 'A test',
    when: 'Someone pressed “Send test event” in the partner dashboard.',
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
        'HMAC-SHA-256 of `<t>.<raw body>` with the signing secret, as hex. Refuse a timestamp that is more than 300 seconds away.',
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
      '2XX': { description: 'Received: the event is not sent again.' },
      '4XX': {
        description: 'Refused: not sent again, but after 408 and 429. Answer 400 to a bad signature.',
      },
      '5XX': { description: 'Sent again after 2 and after 8 seconds, then given up.' },
    },
  };
}

function header(name: string, description: string, example: string): JsonObject {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example };
}

function envelope(type: EventType) {
  const schema = z.object({
    id: z.string().startsWith('evt_').meta({ description: 'The same on every retry: deduplicate by it.' }),
    type: z.literal(type),
    created_at: z.iso.datetime().meta({ description: 'Events may arrive in another order: sort by this.' }),
    data: EVENT_DATA[type],
  });
  return toJsonSchema(schema, 'output');
}

function exampleEnvelope(type: EventType, data: object): JsonObject {
  return { id: 'evt_0oI5YdJ8sKq2Lw9XvTzB1n', type, created_at: '2026-11-21T09:30:00.000Z', data };
}
