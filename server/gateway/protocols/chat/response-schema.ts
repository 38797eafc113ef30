import { z } from 'zod';

/**
 * The fields of chat responses that clients may rely on. The schema is loose, like the request: additional
 * fields of a provider of the same format pass through.
 */

const chatUsageSchema = z
  .looseObject({
    prompt_tokens: z.int().meta({ description: 'All input, cached tokens included.' }),
    completion_tokens: z.int().meta({ description: 'All output, reasoning included.' }),
    total_tokens: z.int(),
    prompt_tokens_details: z
      .looseObject({ cached_tokens: z.int().nullish(), cache_write_tokens: z.int().nullish() })
      .nullish(),
    completion_tokens_details: z.looseObject({ reasoning_tokens: z.int().nullish() }).nullish(),
    cost: z.number().nullish().meta({
      description:
        'What the user was charged, in USD (1 credit is 0.01 USD). In every usage chunk, and in a whole response if the request has `usage: {"include": true}`.',
    }),
  })
  .meta({ description: 'Tokens, as the provider counted them, and what was charged.' });

export type ChatUsage = z.output<typeof chatUsageSchema>;

const toolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string(),
    arguments: z.string().meta({ description: 'JSON, as the model wrote it.' }),
  }),
});

const audio = z
  .looseObject({
    id: z.string().nullish(),
    data: z.string().nullish().meta({ description: 'Base64, in the format of the request.' }),
    transcript: z.string().nullish(),
    expires_at: z.int().nullish(),
  })
  .nullish()
  .meta({ description: 'The audio response, if `modalities` includes `audio`.' });

const annotations = z
  .array(z.looseObject({}))
  .nullish()
  .meta({ description: 'Sources that the text cites: `url_citation`.' });

const reasoning = {
  reasoning_content: z
    .string()
    .nullish()
    .meta({ description: 'The thinking of the model, where it is visible.' }),
  reasoning_details: z
    .array(z.looseObject({ type: z.string() }))
    .nullish()
    .meta({ description: 'Signed thoughts: send them back unchanged with the message.' }),
};

export const chatCompletionSchema = z
  .looseObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int().meta({ description: 'Unix seconds.' }),
    model: z.string(),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        message: z.looseObject({
          role: z.literal('assistant'),
          content: z.string().nullish().meta({ description: 'Null when the model only calls tools.' }),
          refusal: z.string().nullish(),
          ...reasoning,
          annotations,
          audio,
          tool_calls: z.array(toolCall).nullish(),
        }),
        finish_reason: z
          .string()
          .nullable()
          .meta({ description: '`stop`, `length`, `tool_calls` or `content_filter`.' }),
      }),
    ),
    usage: chatUsageSchema.nullish(),
  })
  .meta({ description: 'A complete response in the chat format.' });

export type ChatCompletion = z.output<typeof chatCompletionSchema>;

export const chatChunkSchema = z
  .looseObject({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: z.int(),
    model: z.string(),
    choices: z
      .array(
        z.looseObject({
          index: z.int(),
          delta: z.looseObject({
            role: z.literal('assistant').nullish(),
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            ...reasoning,
            annotations,
            audio,
            tool_calls: z
              .array(
                z.looseObject({
                  index: z.int().meta({ description: 'Which of the calls this piece belongs to.' }),
                  id: z.string().nullish(),
                  function: z
                    .looseObject({ name: z.string().nullish(), arguments: z.string().nullish() })
                    .nullish(),
                }),
              )
              .nullish(),
          }),
          finish_reason: z.string().nullish(),
        }),
      )
      .meta({ description: 'Empty in the chunk that carries the usage.' }),
    usage: chatUsageSchema.nullish().meta({
      description: 'In the last chunk, when `stream_options.include_usage` or `usage.include` is true.',
    }),
  })
  .meta({ description: 'One event of a chat stream, which ends with `data: [DONE]`.' });

export type ChatChunk = z.output<typeof chatChunkSchema>;
