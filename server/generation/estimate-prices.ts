import type { z } from 'zod';
import { modelNotFound } from './refusals';
import type { pricingRequestSchema } from '../http/pricing-request';
import { requirePartner } from '../partners/partner';
import { estimateCredits } from '../pricing/estimate';
import { servedModels } from './upstream';

type PricingRequest = z.output<typeof pricingRequestSchema>;

/** What a request costs in an app, commission included, for the models that the app may use. */
export async function estimatePrices(request: PricingRequest): Promise<object> {
  const partner = await requirePartner(request.publishable_key);
  const allowed = servedModels().filter((model) => partner.allModels || partner.allowedModels.includes(model.id));
  const wanted = request.models;
  const unknown = wanted?.find((id) => !servedModels().some((model) => model.id === id));
  if (unknown !== undefined) throw modelNotFound(unknown.slice(0, 200));
  const size = { input: request.input_tokens, output: request.output_tokens };
  return {
    token_assumption: size,
    models: allowed
      .filter((model) => wanted === undefined || wanted.includes(model.id))
      .map((model) => ({
        id: model.id,
        name: model.name,
        credits_per_request: estimateCredits(model, size, partner.rateBp),
      })),
  };
}
