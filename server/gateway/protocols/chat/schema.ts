import { z } from 'zod';
import {
  anyNumber,
  expecting,
  flag,
  json,
  objectList,
  positiveInteger,
  text,
  unread,
  wholeNumber,
} from '../read-fields';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

/**
 * The fields of a chat request that metering needs. The provider validates the rest of the format, as far as
 * its known fields reach it.
 */
export const chatRequestSchema = z.looseObject({
  model: z
    .string({ error: expecting('a model id such as openai/gpt-4.1-mini') })
    .min(1)
    .meta({ description: 'Such as `openai/gpt-4.1-mini`; `GET /v1/models` lists them.' }),
  messages: z
    .array(
      z.looseObject(
        {
          role: z.enum(ROLES, { error: expecting('one of system, developer, user, assistant, tool') }),
          content: unread(
            ['string', 'array', 'null'],
            'Text, or parts: `text`, `image_url`, `file`, `input_audio`.',
          ),
          tool_calls: unread('array', 'On an assistant message: the calls that it made.'),
          tool_call_id: unread('string', 'On a tool message: the call that it is the result of.'),
        },
        { error: 'must be an object with role and content' },
      ),
      { error: expecting('an array of messages') },
    )
    .min(1, { error: 'must hold at least one message' })
    .meta({ description: 'The conversation, oldest first.' }),
  stream: flag.nullish().meta({ description: 'Stream the response as server-sent events.' }),
  max_tokens: positiveInteger.nullish().meta({ description: 'Maximum output tokens per choice.' }),
  max_completion_tokens: positiveInteger
    .nullish()
    .meta({ description: 'The newer name of `max_tokens`; wins when both are given.' }),
  n: wholeNumber
    .min(1, { error: 'must be at least 1' })
    .max(8, { error: 'must be at most 8' })
    .nullish()
    .meta({ description: 'Number of choices; some models support only one.' }),
  temperature: anyNumber.nullish().meta({ description: '0 to 2.' }),
  top_p: anyNumber.nullish().meta({ description: '0 to 1.' }),
  top_k: wholeNumber
    .nullish()
    .meta({ description: 'Sample from this many of the likeliest tokens, where the model supports it.' }),
  stop: z
    .union([z.string(), z.array(text)], { error: 'must be a string or an array of strings' })
    .nullish()
    .meta({ description: 'Texts that end the output.' }),
  stream_options: z
    .looseObject(
      { include_usage: flag.nullish().meta({ description: 'Report usage in a final chunk.' }) },
      { error: 'must be an object' },
    )
    .nullish(),
  usage: unread('object', '`{"include": true}` reports usage with its cost, also in streams.'),
  response_format: json
    .nullish()
    .meta({ description: '`text`, `json_object`, or `json_schema` with a schema.' }),
  reasoning_effort: unread(
    'string',
    'How long a reasoning model thinks: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`.',
  ),
  modalities: unread('array', 'The types of output: `text`, and `audio` if the model supports it.'),
  audio: unread('object', 'The `voice` and `format` of an audio response. Streams require `pcm16`.'),
  tools: objectList('tools').nullish().meta({
    description:
      'Functions that the model may call, and `openrouter:web_search`, with `max_uses` in `parameters`.',
  }),
  tool_choice: unread(['string', 'object'], '`auto`, `none`, `required`, or one function.'),
  functions: objectList('functions')
    .nullish()
    .meta({ description: 'The old name of `tools`.', deprecated: true }),
  // Other tiers have prices that the catalogue does not contain.
  service_tier: z.enum(['auto', 'default'], { error: 'only the default tier is supported' }).nullish(),
  web_search_options: json.nullish().meta({
    description:
      'Lets the model search the web up to 5 times, where it has a price for that: `search_context_size` and `user_location`. The response cites its sources in `annotations`.',
  }),
  plugins: objectList('plugins').nullish().meta({
    description: 'OpenRouter\'s plugin for one web search, such as `{"id": "web", "max_results": 3}`.',
  }),
  max_tool_calls: unread('integer', 'The maximum number of web searches.'),
});

export type ChatRequest = z.output<typeof chatRequestSchema>;

/** The client's output limit, under either name. */
export function requestedOutputTokens(request: ChatRequest): number | null {
  return request.max_completion_tokens ?? request.max_tokens ?? null;
}
