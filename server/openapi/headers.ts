import type { JsonObject } from './json';

/** The headers of answers. */
const TEXT = { type: 'string' };

export const HEADERS = {
  'x-request-id': {
    description: 'Names this request; give it when you report a problem. Also sent as `request-id`.',
    schema: TEXT,
    example: 'req_5hQk2vX8yTzN4mBfR7cWdA',
  },
  'retry-after': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 1, maximum: 60 },
    example: 1,
  },
  'x-should-retry': {
    description: '`false` when trying again cannot help. The official clients obey it.',
    schema: { type: 'string', enum: ['false'] },
  },
  'x-svc-credits-charged': {
    description: 'What the request cost. Not in a stream: read the receipt.',
    schema: TEXT,
    example: '0.012345',
  },
  'x-svc-output-cap': {
    description: 'The output limit, when it was lowered to what the model can write or the balance can pay.',
    schema: TEXT,
    example: '4096',
  },
  'x-svc-warnings': {
    description: 'What was left out of the request, because the model’s provider does not take it.',
    schema: TEXT,
    example: 'seed was dropped',
  },
} satisfies Record<string, JsonObject>;

export type HeaderName = keyof typeof HEADERS;
