import { z } from 'zod';

export const embeddingListSchema = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      object: z.literal('embedding'),
      index: z.int().meta({ description: 'The place of its input in the request, from 0.' }),
      embedding: z
        .union([z.array(z.number()), z.string()])
        .meta({ description: 'The vector, or its bytes as base64.' }),
    }),
  ),
  model: z.string(),
  usage: z.object({
    prompt_tokens: z.int(),
    total_tokens: z.int(),
    cost: z.number().meta({ description: 'What the user was charged, in USD.' }),
  }),
});
