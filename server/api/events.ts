import { z } from 'zod';
import { EVENT_DATA } from '../partners/webhooks/events';
import type { EventPage } from '../partners/webhooks/list-events';
import { wholeNumber } from './whole-number';

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 50;

export const eventQuerySchema = z.object({
  after: z.string().max(64).optional().meta({
    description: 'The `id` of the last event you have processed. Omit it to start with the oldest.',
  }),
  limit: wholeNumber
    .refine((limit) => limit >= 1, { error: 'must be at least 1' })
    .transform((limit) => Math.min(limit, MAX_LIMIT))
    .default(DEFAULT_LIMIT)
    .meta({
      description: `Number of events to return, from 1 to ${MAX_LIMIT}. Larger values are treated as ${MAX_LIMIT}.`,
      default: DEFAULT_LIMIT,
      minimum: 1,
    }),
});

const head = { id: z.string().startsWith('evt_'), created_at: z.iso.datetime() };
const created = EVENT_DATA['user_key.created'].extend({
  user_key: EVENT_DATA['user_key.created'].shape.user_key
    .nullable()
    .meta({ description: 'Null once it was delivered to your endpoint, or after one day.' }),
});

const eventSchema = z.discriminatedUnion('type', [
  z.object({ ...head, type: z.literal('user_key.created'), data: created }),
  z.object({ ...head, type: z.literal('user_key.revoked'), data: EVENT_DATA['user_key.revoked'] }),
  z.object({ ...head, type: z.literal('credits.added'), data: EVENT_DATA['credits.added'] }),
  z.object({ ...head, type: z.literal('test'), data: EVENT_DATA.test }),
]);

export const eventPageSchema = z.object({
  data: z
    .array(eventSchema)
    .meta({ description: 'In the order in which they became visible. New events come after all others.' }),
  has_more: z.boolean().meta({ description: 'Whether events follow the last one of this page.' }),
});

export const writeEventPage = ({ events, hasMore }: EventPage) => ({ data: events, has_more: hasMore });
