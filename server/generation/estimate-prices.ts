import type { z } from 'zod';
import type { pricingRequestSchema } from '../http/pricing-request';
import { requirePartner } from '../partners/partner';
import { estimateCredits } from '../pricing/estimate';
import { servedModels } from '../pricing/served';

type PricingRequest = z.output<typeof pricingRequestSchema>;

/**
 * What a request costs in an app, commission included, for the models that the app may use.
 * `models` is a filter: an id that is not served, or not for this app, is simply not there.
 */
export async function estimatePrices(request: PricingRequest): Promise<object> {
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
