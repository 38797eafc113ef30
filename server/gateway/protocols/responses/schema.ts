import { z } from 'zod';
import type { Json } from '../neutral';
import {
  anyNumber,
  expecting,
  flag,
  json,
  objectList,
  positiveInteger,
  refuse,
  text,
  unread,
  validateRequest,
} from '../read-fields';

/**
 * The fields of a responses request that metering needs. The provider validates the rest of the format, as far
 * as its known fields reach it.
 */
export const responsesRequestSchema = z.looseObject({
  model: z
    .string({ error: expecting('a model id such as openai/gpt-4.1-mini') })
    .min(1)
    .meta({ description: 'Such as `openai/gpt-4.1-mini`; `GET /v1/models` lists them.' }),
  input: z
    .union([z.string(), objectList('items')], { error: 'must be a string or an array of items' })
    .optional()
    .meta({
      description:
        'Text, or items, oldest first: `message`, `function_call`, `function_call_output`, `custom_tool_call`, `custom_tool_call_output`, `reasoning`, `item_reference`. Required unless `previous_response_id` is set.',
    }),
  instructions: z.string({ error: 'must be a string' }).nullish().meta({ description: 'A system message.' }),
  previous_response_id: z
    .string({ error: 'must be a string' })
    .nullish()
    .meta({ description: 'A kept response whose input and output come before `input`.' }),
  store: flag.nullish().meta({
    description: 'Keep the response for a short time, for references to it. On unless `false`.',
  }),
  stream: flag.nullish().meta({ description: 'Stream the response as server-sent events.' }),
  max_output_tokens: positiveInteger.nullish().meta({ description: 'Maximum output tokens.' }),
  temperature: anyNumber.nullish().meta({ description: '0 to 2.' }),
  top_p: anyNumber.nullish().meta({ description: '0 to 1.' }),
  reasoning: json
    .nullish()
    .meta({ description: '`effort`: how long a reasoning model thinks; `summary`: whether it shows that.' }),
  text: z
    .looseObject(
      {
        format: json
          .nullish()
          .meta({ description: '`text`, `json_object`, or `json_schema` with a schema.' }),
      },
      { error: 'must be an object' },
    )
    .nullish(),
  tools: objectList('tools')
    .nullish()
    .meta({ description: 'Functions that the model may call, and `web_search`.' }),
  tool_choice: unread(['string', 'object'], '`auto`, `none`, `required`, or one function.'),
  max_tool_calls: unread(
    'integer',
    'With `web_search`: the most searches, and pages that they open. 5 by default, and 20 at most.',
  ),
  parallel_tool_calls: flag
    .nullish()
    .meta({ description: 'Whether the model may call several tools at once.' }),
  include: z
    .array(text, { error: 'must be an array of strings' })
    .nullish()
    .meta({ description: 'Reasoning always contains `encrypted_content`. Other values are dropped.' }),
  metadata: json.nullish().meta({ description: 'Returned with the response, and not sent to the provider.' }),
  truncation: z.enum(['auto', 'disabled'], { error: 'must be auto or disabled' }).nullish(),
  // Other tiers have prices that the catalogue does not contain.
  service_tier: z.enum(['auto', 'default'], { error: 'only the default tier is supported' }).nullish(),
  background: z
    .literal(false, { error: 'is not supported: send the request without it, or with stream' })
    .nullish(),
  conversation: z
    .null({ error: 'is not supported: send the whole conversation as input, or previous_response_id' })
    .optional(),
  prompt: z.null({ error: 'is not supported: send instructions and input' }).optional(),
});

export type ResponsesRequest = z.output<typeof responsesRequestSchema>;

export function validateResponses(request: Json): ResponsesRequest {
  const body = validateRequest(responsesRequestSchema, request);
  if (body.input === undefined && body.previous_response_id == null)
    throw refuse('input', 'is required: a string or an array of items');
  const both = itemsOf(body).findIndex(({ content, output }) => content != null && Array.isArray(output));
  if (both !== -1) throw refuse(`input.${both}`, 'must have either content or output');
  return body;
}

/** The items of a request; text is one message. */
export function itemsOf({ input }: Pick<ResponsesRequest, 'input'>): readonly Json[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? []);
}
