import { estimateCredits } from '../gateway/pricing/estimate';
import { modelsOf } from '../gateway/pricing/served';
import { requirePartner } from '../partners/partner';
import type { PriceEstimate, PricingRequest } from './pricing';

/**
 * Estimates the price of a request in an app, commission included, for the models that the app may use.
 * `models` is a filter: ids that are not served, or not available to this app, are omitted.
 */
export async function estimatePrices(request: PricingRequest): Promise<PriceEstimate> {
  const partner = await requirePartner(request.publishable_key);
  const size = { input: request.input_tokens, output: request.output_tokens };
  return {
    token_assumption: size,
    models: modelsOf(partner)
      .filter(({ id }) => request.models === undefined || request.models.includes(id))
      .map((model) => ({
        id: model.id,
        name: model.name,
        credits_per_request: estimateCredits(model, size, partner.rateBp),
        ...(model.offPeak && {
          off_peak_credits_per_request: estimateCredits(model.offPeak, size, partner.rateBp),
        }),
      })),
  };
}
