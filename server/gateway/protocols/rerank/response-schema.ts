import { z } from 'zod';

const count = z.int().optional();

export const rerankResultsSchema = z.object({
  id: z.string(),
  model: z.string(),
  results: z
    .array(
      z.object({
        index: z.int().meta({ description: 'The place of the document in the request, from 0.' }),
        relevance_score: z.number(),
        document: z.object({ text: z.string() }).optional(),
      }),
    )
    .meta({ description: 'The most relevant first.' }),
  meta: z.object({
    api_version: z.object({ version: z.literal('2') }),
    billed_units: z.object({ search_units: count, total_tokens: count }),
  }),
  usage: z.object({
    search_units: count.meta({ description: 'For models that are priced by queries.' }),
    total_tokens: count.meta({ description: 'For models that are priced by tokens.' }),
    cost: z.number().meta({ description: 'What the user was charged, in USD.' }),
  }),
});
