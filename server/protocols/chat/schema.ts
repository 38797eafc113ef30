import { z } from 'zod';
import { flag, objectList, positiveInteger, wholeNumber } from '../read-fields';

/**
 * What a chat request must look like for us to meter it. The rest of the format goes through
 * unread: it grows monthly, and the provider validates it.
 */
export const chatRequestSchema = z.looseObject({
  model: z.string({ error: 'is required: a model id such as openai/gpt-4.1-mini' }).min(1),
  messages: z
    .array(
      z.looseObject({
        role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function'], {
          error: 'must be one of system, developer, user, assistant, tool',
        }),
      }),
      { error: 'is required: an array of messages' },
    )
    .min(1, { error: 'must hold at least one message' }),
  stream: flag.nullish(),
  max_tokens: positiveInteger.nullish(),
  max_completion_tokens: positiveInteger.nullish(),
  n: wholeNumber.min(1, { error: 'must be at least 1' }).max(8, { error: 'must be at most 8' }).nullish(),
  stream_options: z.looseObject({ include_usage: flag.nullish() }).nullish(),
  tools: objectList('tools').nullish(),
  functions: objectList('functions').nullish(),
  // Priced differently than the catalogue says, so not passed on.
  service_tier: z.enum(['auto', 'default'], { error: 'only the default tier is offered' }).nullish(),
  web_search_options: z.null({ error: 'is not offered' }).optional(),
});

export type ChatRequest = z.output<typeof chatRequestSchema>;

/** The output limit that the client asked for, under either name. */
export function requestedOutputTokens(request: ChatRequest): number | null {
  return request.max_completion_tokens ?? request.max_tokens ?? null;
}
