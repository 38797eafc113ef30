import { z } from 'zod';
import type { pricingRequestSchema } from '../http/pricing-request';
import { requirePartner } from '../partners/partner';
import { estimateCredits } from '../pricing/estimate';
import { servedModels } from '../pricing/served';

type PricingRequest = z.output<typeof pricingRequestSchema>;

export const priceEstimateSchema = z.object({
  token_assumption: z.object({ input: z.int(), output: z.int() }),
  models: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      credits_per_request: z.number().meta({ description: 'Commission included; at most six decimals.' }),
    }),
  ),
});

/**
 * The price of a request in an app, commission included, for the models that the app may use.
 * `models` is a filter: ids that are not served, or not available to this app, are left out.
 */
export async function estimatePrices(request: PricingRequest): Promise<z.output<typeof priceEstimateSchema>> {
  const partner = await requirePartner(request.publishable_key);
  const allowed = servedModels().filter(
    (model) => partner.allModels || partner.allowedModels.includes(model.id),
  );
  const size = { input: request.input_tokens, output: request.output_tokens };
  return {
    token_assumption: size,
    models: allowed
      .filter(({ id }) => request.models === undefined || request.models.includes(id))
      .map((model) => ({
        id: model.id,
        name: model.name,
        credits_per_request: estimateCredits(model, size, partner.rateBp),
      })),
  };
}
