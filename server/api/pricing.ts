import { z } from 'zod';
import { ApiError } from '../base/errors';

const DEFAULT_TOKENS = 2_500;
const MAX_TOKENS = 100_000_000;

/** Query parameters carry numbers as text. An empty string, null or true is not a number. */
const tokens = z
  .preprocess(
    (value) => (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value),
    z
      .number({ error: 'must be a whole number' })
      .int({ error: 'must be a whole number' })
      .min(0, { error: 'must not be negative' })
      .max(MAX_TOKENS, { error: `must be at most ${MAX_TOKENS}` }),
  )
  .default(DEFAULT_TOKENS);

export const pricingRequestSchema = z.object({
  publishable_key: z
    .string({ error: 'is required: your app’s publishable key' })
    .meta({ description: 'Identifies the app, whose commission is included in the estimate.' }),
  models: z
    .array(z.string({ error: 'must be a list of model ids' }), { error: 'must be a list of model ids' })
    .optional()
    .meta({ description: 'Limits the result to these model ids.' }),
  input_tokens: tokens.meta({ description: 'Input tokens assumed per request.', default: DEFAULT_TOKENS }),
  output_tokens: tokens.meta({ description: 'Output tokens assumed per request.', default: DEFAULT_TOKENS }),
});

/** In the query of a GET, `models` is one comma-separated value; an empty one means all. */
export function readPricingQuery(url: string): Record<string, unknown> {
  const query = new URL(url).searchParams;
  const names = new Set<string>();
  for (const name of query.keys()) {
    if (names.has(name))
      throw new ApiError('invalid_request', `${name}: must be given only once`, { param: name });
    names.add(name);
  }
  const { models = '', ...rest } = Object.fromEntries(query);
  const ids = models.split(',').flatMap((id) => id.trim() || []);
  return { ...rest, ...(ids.length > 0 && { models: ids }) };
}

export type PricingRequest = z.output<typeof pricingRequestSchema>;

export const priceEstimateSchema = z.object({
  token_assumption: z.object({ input: z.int(), output: z.int() }),
  models: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      assumption: z.string().optional().meta({
        description:
          'What the estimate is for, such as `1 page` or `1 minute`, for models that are not priced by text tokens alone. The token assumption does not apply to them.',
      }),
      credits_per_request: z.number().meta({ description: 'Commission included; at most six decimals.' }),
      off_peak_credits_per_request: z.number().optional().meta({
        description:
          'Only for models whose provider charges less outside peak hours; `credits_per_request` is then the peak price.',
      }),
    }),
  ),
});

export type PriceEstimate = z.output<typeof priceEstimateSchema>;
