import { z } from 'zod';

export const moderationSchema = z.object({
  id: z.string(),
  model: z.string(),
  results: z
    .array(
      z.object({
        flagged: z.boolean().meta({ description: 'Whether any category applies.' }),
        categories: z.record(z.string(), z.boolean()),
        category_scores: z.record(z.string(), z.number()),
        category_applied_input_types: z.record(z.string(), z.array(z.enum(['text', 'image']))).optional(),
      }),
    )
    .meta({ description: 'One for each text, or one for all parts of a message.' }),
});
