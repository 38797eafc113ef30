import { z } from 'zod';

export const transcriptionSchema = z.looseObject({
  text: z.string(),
  usage: z.looseObject({
    type: z.enum(['duration', 'tokens']).meta({ description: 'What the model is priced by.' }),
    seconds: z.number().optional(),
    input_tokens: z.int().optional(),
    output_tokens: z.int().optional(),
    cost: z.number().meta({ description: 'What the user was charged, in USD.' }),
  }),
});
