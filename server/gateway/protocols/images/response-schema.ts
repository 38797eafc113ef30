import { z } from 'zod';

export const imageListSchema = z.looseObject({
  created: z.int().meta({ description: 'Unix seconds.' }),
  data: z.array(
    z.looseObject({
      b64_json: z.string().meta({ description: 'The image, as base64.' }),
      revised_prompt: z.string().optional().meta({ description: 'The prompt as the provider changed it.' }),
    }),
  ),
  usage: z.looseObject({
    input_tokens: z.int().optional(),
    output_tokens: z.int().optional(),
    total_tokens: z.int().optional(),
    cost: z.number().meta({ description: 'What the user was charged, in USD.' }),
  }),
});
