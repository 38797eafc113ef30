import { z } from 'zod';
import { requireUserKey } from '../http/authenticate';
import { log } from '../log';
import { isModelAllowed } from '../partners/model-access';
import type { CatalogModel } from '../pricing/catalog';
import { validateCountTokens } from '../protocols/client-protocol';
import { measureMessages } from '../protocols/messages/measure';
import type { CountTokensRequest } from '../protocols/messages/schema';
import { prepareTokenCount } from '../providers/prepare-exchange';
import { refuseBeyondLimit } from './key-limit';
import { likelyInputTokens } from './likely-usage';
import { readModelRequest } from './read-request';
import { modelNotAllowed } from './refusals';
import { callProvider, profileFor } from './upstream';

export const tokenCountSchema = z.object({ input_tokens: z.int() });

const PATIENCE_MS = 10_000;

/** How many tokens a prompt has: counted by the provider where it does so for free, else estimated. No charge. */
export async function countTokens(request: Request): Promise<z.output<typeof tokenCountSchema>> {
  const { keyHash, model, body } = await readModelRequest(request, validateCountTokens);
  const refusal = refuseBeyondLimit(request, keyHash, model.id);
  if (refusal !== undefined) throw await refusal;
  const { partnerId } = await requireUserKey(request);
  if (!(await isModelAllowed(partnerId, model.id))) throw modelNotAllowed(model.id);
  return { input_tokens: (await countAtProvider(model, body, request)) ?? estimate(model, body) };
}

async function countAtProvider(
  model: CatalogModel,
  body: CountTokensRequest,
  request: Request,
): Promise<number | null> {
  const provider = profileFor(model.provider);
  if (provider.format !== 'anthropic') return null;
  const version = request.headers.get('anthropic-version') ?? undefined;
  const count = prepareTokenCount(body, {
    provider,
    upstreamModel: model.upstreamModel,
    clientHeaders: { 'anthropic-version': version },
  });
  try {
    const upstream = await callProvider(model.provider, count, AbortSignal.timeout(PATIENCE_MS));
    const text = await upstream.body.text();
    return upstream.statusCode === 200 ? count.readCount(text) : null;
  } catch {
    log().warn({ provider: model.provider }, 'the provider did not count tokens');
    return null;
  }
}

/** Rounded up: a client that believes it has more room than there is runs into the limit. */
function estimate(model: CatalogModel, body: CountTokensRequest): number {
  return likelyInputTokens((kind) => measureMessages(body, kind), model);
}
