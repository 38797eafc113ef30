import { z } from 'zod';
import { anyNumber, expecting, flag, json, objectList, text, unread, wholeNumber } from '../read-fields';

const block = z.looseObject({ type: text }, { error: 'must be a content block: an object with a type' });
const content = z.union([z.string(), z.array(block)], {
  error: expecting('a string or an array of content blocks'),
});

/** The input: all of a `count_tokens` request, and a part of every other. */
export const countTokensSchema = z.looseObject({
  model: z
    .string({ error: expecting('a model id such as anthropic/claude-sonnet-5') })
    .min(1)
    .meta({ description: 'Such as `anthropic/claude-sonnet-5`; `GET /v1/models` lists them.' }),
  // Claude Code sends system turns inside the list.
  messages: z
    .array(
      z.looseObject(
        { role: z.enum(['user', 'assistant', 'system'], { error: expecting('user or assistant') }), content },
        { error: 'must be an object with role and content' },
      ),
      { error: expecting('an array of messages') },
    )
    .min(1, { error: 'must hold at least one message' })
    .meta({ description: 'The conversation, oldest first.' }),
  system: content.nullish().meta({ description: 'Instructions that precede the conversation.' }),
  tools: objectList('tools').nullish().meta({ description: 'Tools that the model may use.' }),
  output_config: json.nullish(),
  output_format: json.nullish(),
});

/** The fields of a messages request that metering needs. The provider validates the rest. */
export const messagesRequestSchema = countTokensSchema.extend({
  max_tokens: wholeNumber
    .min(1, { error: 'must be at least 1' })
    .meta({ description: 'Maximum output tokens, thinking included.' }),
  stream: flag.nullish().meta({ description: 'Stream the response as server-sent events.' }),
  temperature: anyNumber.nullish().meta({ description: '0 to 1.' }),
  top_p: anyNumber.nullish().meta({ description: '0 to 1.' }),
  top_k: wholeNumber.nullish().meta({ description: 'Sample from this many of the likeliest tokens.' }),
  tool_choice: json.nullish().meta({ description: '`auto`, `any`, `none`, or one tool.' }),
  metadata: unread('object', 'Accepted but not forwarded.'),
  thinking: z
    .looseObject({ type: text }, { error: 'must be an object' })
    .nullish()
    .meta({ description: '`enabled` with `budget_tokens`, `adaptive` or `disabled`.' }),
  stop_sequences: z
    .array(text, { error: 'must be an array of strings' })
    .nullish()
    .meta({ description: 'Texts that end the output.' }),
});

export type CountTokensRequest = z.output<typeof countTokensSchema>;
export type MessagesRequest = z.output<typeof messagesRequestSchema>;
