import { ApiError } from '@/server/base/errors';
import type { CatalogModel } from '@/server/gateway/pricing/catalog';
import type { ClientProtocol } from '@/server/gateway/protocols/client-protocol';
import { CLIENT_PROTOCOLS, type ClientRequest } from '@/server/gateway/protocols/client-protocols';
import { writeExactly } from '@/server/gateway/protocols/exact-numbers';
import { measureDocuments } from '@/server/gateway/protocols/measure-size';
import { type Json, NO_TOKENS } from '@/server/gateway/protocols/neutral';
import { prepareExchange } from '@/server/gateway/providers/prepare-exchange';
import { resolveCandidates, runsSearches } from '@/server/gateway/run/candidates';
import { type Plan, planRequest } from '@/server/gateway/run/plan';
import { countInput, feesOf, mostInput, mostSearches, priceOf, type Vendor } from '../../harness/honest/bill';
import type { ApiRequest } from './random-requests';

/** The hold of a request, and what an honest provider bills for the body that it would receive. */

export type Held = { plan: Plan; model: CatalogModel; sent: Json; tokens: number; fees: bigint };

const FORMATS = {
  '/v1/chat/completions': 'chat',
  '/v1/messages': 'messages',
  '/v1/responses': 'responses',
} as const;

/** Null if the request is refused, with a reason. */
export async function planAndPrepare({ path, body }: ApiRequest): Promise<Held | null> {
  const format = FORMATS[path];
  const protocol = CLIENT_PROTOCOLS[format] as ClientProtocol<ClientRequest>;
  const candidates = resolveCandidates(String(body.model));
  if (candidates === null) throw new Error(`${body.model} is not served`);
  const [{ model, profile }] = candidates;
  try {
    const client = protocol.validate(body);
    const plan = planRequest(protocol, client, candidates, await measureDocuments(protocol.measure(client)));
    const exchange = prepareExchange({
      client,
      provider: profile,
      upstreamModel: model.upstreamModel,
      requestedModel: model.id,
      outputCap: plan.outputCap,
      searches: runsSearches(candidates[0]) ? plan.searches : 0,
      reasoning: model.capabilities.reasoning,
      clientHeaders: {},
      newId: () => 'id',
      created: 1,
      estimate: () => NO_TOKENS,
    });
    const sent = JSON.parse(writeExactly(exchange.body)) as Json;
    return { plan, model, sent, ...countInput(model.provider as Vendor, model.upstreamModel, sent) };
  } catch (error) {
    if (error instanceof ApiError && [400, 413].includes(error.status) && error.message !== '') return null;
    throw error;
  }
}

/** The most that the provider may bill. It refuses a prompt longer than the context, and bills nothing. */
export function billOf({ model, sent, tokens, fees }: Held, output: number): bigint {
  const searches = mostSearches(sent);
  const { contextWindow: context } = model;
  const vendor = model.provider as Vendor;
  const input = mostInput(tokens, { vendor, searches, output, context });
  return priceOf(model.id, { ...worstSplit(sent, input), output }) + fees + feesOf(vendor, searches);
}

/** The dearest class that the provider may bill the prompt as. */
function worstSplit(sent: Json, input: number) {
  const none = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  const text = JSON.stringify(sent);
  if (!text.includes('"cache_control"')) return { ...none, input };
  return text.includes('"ttl":"1h"') ? { ...none, cacheWrite1h: input } : { ...none, cacheWrite5m: input };
}
