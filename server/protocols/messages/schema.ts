import { z } from 'zod';
import { flag, objectList, wholeNumber } from '../read-fields';

const block = z.looseObject(
  { type: z.string({ error: 'is required' }) },
  { error: 'must be a content block' },
);
const content = z.union([z.string(), z.array(block)], {
  error: 'must be a string or an array of content blocks',
});

/** What counts as input: all of a `count_tokens` request, and a part of every other. */
export const countTokensSchema = z.looseObject({
  model: z.string({ error: 'is required: a model id such as anthropic/claude-sonnet-5' }).min(1),
  // Claude Code sends system turns inside the list.
  messages: z
    .array(
      z.looseObject({
        role: z.enum(['user', 'assistant', 'system'], { error: 'must be user or assistant' }),
        content,
      }),
      { error: 'is required: an array of messages' },
    )
    .min(1, { error: 'must hold at least one message' }),
  system: content.nullish(),
  tools: objectList('tools').nullish(),
  output_config: z.looseObject({}, { error: 'must be an object' }).nullish(),
  output_format: z.looseObject({}, { error: 'must be an object' }).nullish(),
});

/** What a messages request must look like for us to meter it; the rest goes through unread. */
export const messagesRequestSchema = countTokensSchema.extend({
  max_tokens: wholeNumber.min(1, { error: 'must be at least 1' }),
  stream: flag.nullish(),
  thinking: z
    .looseObject({ type: z.string({ error: 'is required' }) }, { error: 'must be an object' })
    .nullish(),
  stop_sequences: z.array(z.string(), { error: 'must be an array of strings' }).nullish(),
});

export type CountTokensRequest = z.output<typeof countTokensSchema>;
export type MessagesRequest = z.output<typeof messagesRequestSchema>;
