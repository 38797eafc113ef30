import { z } from 'zod';

export const ocrResultSchema = z.looseObject({
  pages: z.array(
    z.looseObject({
      index: z.int().meta({ description: 'The number of the page, from 0.' }),
      markdown: z.string(),
      images: z.array(z.looseObject({ id: z.string() })),
    }),
  ),
  model: z.string(),
  usage_info: z.looseObject({
    pages_processed: z.int(),
    cost: z.number().meta({ description: 'What the user was charged, in USD.' }),
  }),
});
