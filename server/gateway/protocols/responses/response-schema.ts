import { z } from 'zod';

/**
 * The fields of responses that clients may rely on. The schema is loose, like the request: additional fields of
 * OpenAI pass through.
 */

const responsesUsageSchema = z
  .looseObject({
    input_tokens: z.int().meta({ description: 'All input, cached tokens included.' }),
    input_tokens_details: z.looseObject({
      cached_tokens: z.int(),
      cache_write_tokens: z.int().nullish(),
    }),
    output_tokens: z.int().meta({ description: 'All output, reasoning included.' }),
    output_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
    total_tokens: z.int(),
  })
  .meta({ description: 'Tokens, as the provider counted them. What was charged is in the header.' });

export type ResponsesUsage = z.output<typeof responsesUsageSchema>;

const outputItem = z
  .looseObject({
    id: z.string().optional(),
    type: z.string().meta({
      description: '`message`, `reasoning`, `function_call`, `custom_tool_call` or `web_search_call`.',
    }),
    status: z.string().optional().meta({ description: '`in_progress`, `completed` or `incomplete`.' }),
    content: z
      .array(z.looseObject({ type: z.string() }))
      .nullish()
      .meta({ description: 'Of a message: `output_text` and `refusal` parts.' }),
    summary: z
      .array(z.looseObject({ type: z.string(), text: z.string() }))
      .optional()
      .meta({ description: 'Of reasoning: as far as it is visible.' }),
    encrypted_content: z
      .string()
      .nullish()
      .meta({ description: 'Of reasoning: send it back unchanged with the item.' }),
    call_id: z.string().optional().meta({ description: 'Of a call: the id that its output names.' }),
    name: z.string().optional(),
    arguments: z
      .string()
      .optional()
      .meta({ description: 'Of a function call: JSON, as the model wrote it.' }),
    input: z.string().optional().meta({ description: 'Of a call of a custom tool.' }),
    action: z
      .looseObject({ type: z.string() })
      .optional()
      .meta({ description: 'Of a web search: `search` with its `query`, or a page that was opened.' }),
  })
  .meta({ description: 'An item that the model wrote.' });

export const responseSchema = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.number().meta({ description: 'Unix seconds.' }),
    status: z.string().meta({ description: '`in_progress`, `completed`, `incomplete` or `failed`.' }),
    model: z.string(),
    output: z.array(outputItem),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
    incomplete_details: z
      .looseObject({ reason: z.string().optional() })
      .nullable()
      .meta({ description: 'Why it ended early: `max_output_tokens` or `content_filter`.' }),
    previous_response_id: z.string().nullish(),
    metadata: z.looseObject({}).nullish(),
    store: z.boolean().optional().meta({ description: 'Whether it is kept for a short time.' }),
    usage: responsesUsageSchema.nullish(),
  })
  .meta({ description: 'A response in the responses format.' });

export type WrittenResponse = z.output<typeof responseSchema>;

export const responseEventSchema = z
  .looseObject({
    type: z.string().meta({
      description:
        'The event, such as `response.created`, `response.output_item.added`, `response.output_text.delta`, `response.output_item.done` or `response.completed`. A stream that fails ends with `error` and `response.failed`.',
    }),
    sequence_number: z.int().meta({ description: 'Counts the events of a stream from 0.' }),
    response: responseSchema.optional().meta({ description: 'Of the first and last events.' }),
    output_index: z.int().optional().meta({ description: 'Which item the event belongs to.' }),
    item: outputItem.optional(),
    delta: z.string().optional().meta({ description: 'The next piece of text or arguments.' }),
    code: z.string().nullish().meta({ description: 'Of an `error`: the error code.' }),
    message: z.string().optional().meta({ description: 'Of an `error`: an explanation.' }),
    param: z.string().nullish(),
  })
  .meta({ description: 'One event of a stream in the responses format.' });
