import { z } from 'zod';

/**
 * The fields of messages responses that clients may rely on. Additional fields of the provider pass through.
 */

const messageUsageSchema = z
  .looseObject({
    input_tokens: z.int().meta({ description: 'Input that was neither read from nor written to the cache.' }),
    cache_creation_input_tokens: z.int().nullish(),
    cache_read_input_tokens: z.int().nullish(),
    output_tokens: z.int().meta({ description: 'All output, thinking included.' }),
    server_tool_use: z
      .looseObject({ web_search_requests: z.int() })
      .nullish()
      .meta({ description: 'Web searches that the provider ran.' }),
  })
  .meta({ description: 'Tokens, as the provider counted them. What was charged is in the header.' });

export const toolInputSchema = z.record(z.string(), z.unknown());

export const contentBlockSchema = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.looseObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: toolInputSchema,
  }),
  z
    .looseObject({
      type: z.literal('server_tool_use'),
      id: z.string(),
      name: z.string(),
      input: toolInputSchema,
    })
    .meta({ description: 'A web search that the provider ran.' }),
  z
    .looseObject({ type: z.literal('web_search_tool_result'), tool_use_id: z.string(), content: z.unknown() })
    .meta({ description: 'What it found. Send it back unchanged.' }),
]);

const stop = {
  stop_reason: z
    .string()
    .nullable()
    .meta({ description: '`end_turn`, `max_tokens`, `stop_sequence`, `tool_use` or `refusal`.' }),
  stop_sequence: z.string().nullish(),
};

export const messageSchema = z
  .looseObject({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(contentBlockSchema),
    ...stop,
    usage: messageUsageSchema,
  })
  .meta({ description: 'A complete response in the messages format.' });

export type Message = z.output<typeof messageSchema>;

export const contentDeltaSchema = z.union([
  z.looseObject({ type: z.literal('text_delta'), text: z.string() }),
  z.looseObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.looseObject({ type: z.literal('signature_delta'), signature: z.string() }),
  z.looseObject({ type: z.literal('input_json_delta'), partial_json: z.string() }),
  z.looseObject({ type: z.literal('citations_delta') }),
]);

export const messageDeltaSchema = z.looseObject(stop);

const event = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.looseObject({ type: z.literal(type), ...fields });
const index = z.int().meta({ description: 'Which content block.' });

export const messageEventSchema = z
  .union([
    event('message_start', { message: messageSchema }),
    event('content_block_start', { index, content_block: contentBlockSchema }),
    event('content_block_delta', {
      index,
      delta: contentDeltaSchema,
    }),
    event('content_block_stop', { index }),
    event('message_delta', {
      delta: messageDeltaSchema,
      usage: messageUsageSchema.partial().nullish(),
    }),
    event('message_stop', {}),
    event('ping', {
      usage: z
        .object({ cost: z.number().meta({ description: 'What the user was charged, in USD.' }) })
        .optional()
        .meta({ description: 'In the last ping, right before `message_stop`.' }),
    }),
  ])
  .meta({ description: 'One event of a messages stream, named like its type; it ends with `message_stop`.' });
