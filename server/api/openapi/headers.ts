import type { JsonObject } from './json';

/** Response headers. */
const TEXT = { type: 'string' };

export const HEADERS = {
  'x-request-id': {
    description: 'The id of this request. Include it when you report a problem. Also sent as `request-id`.',
    schema: TEXT,
    example: 'req_5hQk2vX8yTzN4mBfR7cWdA',
  },
  'retry-after': {
    description: 'Number of seconds to wait before retrying.',
    schema: { type: 'integer', minimum: 1, maximum: 60 },
    example: 1,
  },
  'x-should-retry': {
    description: '`false` when a retry cannot succeed. The official clients respect it.',
    schema: { type: 'string', enum: ['false'] },
  },
  'idempotent-replayed': {
    description:
      '`true` if this is the response to an earlier request with the same `Idempotency-Key`. `x-request-id` is then the id of that request, and nothing was charged.',
    schema: { type: 'string', enum: ['true'] },
  },
  'x-svc-credits-charged': {
    description: 'The credits charged for the request. Not sent with streams: read the receipt instead.',
    schema: TEXT,
    example: '0.012345',
  },
  'x-svc-output-cap': {
    description:
      'The output limit that was applied, when it was lowered to the model’s maximum or to what the balance, or `x-svc-max-credits`, can pay for.',
    schema: TEXT,
    example: '4096',
  },
  'x-svc-warnings': {
    description: 'Parameters removed from the request because the model’s provider does not support them.',
    schema: TEXT,
    example: 'seed was dropped',
  },
} satisfies Record<string, JsonObject>;

export type HeaderName = keyof typeof HEADERS;
