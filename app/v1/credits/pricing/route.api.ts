import { estimatePrices } from '@/server/api/estimate-prices';
import { pricingRequestSchema, readPricingQuery } from '@/server/api/pricing';
import { preflight } from '@/server/base/http/cors';
import { readBody, validate } from '@/server/base/http/read-body';
import { privateJson, respond } from '@/server/base/http/respond';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', async () => {
    const query = validate(pricingRequestSchema, readPricingQuery(request.url));
    return privateJson(await estimatePrices(query));
  });

export const POST = (request: Request): Promise<Response> =>
  respond('chat', async () =>
    privateJson(await estimatePrices(await readBody(request, pricingRequestSchema))),
  );

export const OPTIONS = preflight;
