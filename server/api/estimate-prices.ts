import { estimateCredits } from '../gateway/pricing/estimate';
import { modelsOf } from '../gateway/pricing/served';
import { exampleOf } from '../gateway/pricing/unit-example';
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
      .map((model) => {
        const example = exampleOf(model);
        return {
          id: model.id,
          name: model.name,
          ...(example !== null && { assumption: example.what }),
          credits_per_request: estimateCredits(model, example?.usage ?? size, partner.rateBp),
          ...(model.offPeak && {
            off_peak_credits_per_request: estimateCredits(model.offPeak, size, partner.rateBp),
          }),
        };
      }),
  };
}
