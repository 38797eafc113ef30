import { Agent, type Dispatcher, request } from 'undici';
import { isLive, type Settings, settings } from '../env';
import { ApiError } from '../errors';
import { type CatalogModel, catalogModels, findCatalogModel } from '../pricing/catalog';
import { chatCompletionsUrl, type UpstreamTarget, writeHeaders } from '../providers/openai/request';

/**
 * Which providers this install can call. A provider is configured by its key; the sandbox is there
 * as long as no real money moves.
 */
function findTarget(provider: string, config: Settings): UpstreamTarget | null {
  switch (provider) {
    case 'openai':
      return config.OPENAI_API_KEY ? { baseUrl: config.OPENAI_BASE_URL, apiKey: config.OPENAI_API_KEY } : null;
    case 'sandbox':
      return config.SANDBOX_PROVIDER_URL && !isLive() ? { baseUrl: config.SANDBOX_PROVIDER_URL, apiKey: 'sandbox' } : null;
    default:
      return null;
  }
}

/** Models that are both priced and reachable: what is listed, and what is served. */
export function servedModels(): CatalogModel[] {
  return catalogModels().filter((model) => findTarget(model.provider, settings()) !== null);
}

export function findServedModel(id: string): CatalogModel | null {
  const model = findCatalogModel(id);
  return model !== null && findTarget(model.provider, settings()) !== null ? model : null;
}

const CONNECT_TIMEOUT_MS = 5_000;
const FIRST_BYTE_TIMEOUT_MS = 600_000;
const IDLE_TIMEOUT_MS = 90_000;

let agent: Agent | undefined;

/** Sends a request to the model's provider. Any failure before headers is an upstream error. */
export async function callProvider(
  model: CatalogModel,
  body: string,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const target = findTarget(model.provider, settings());
  if (target === null) throw new ApiError('model_not_found', `The model ${model.id} does not exist`, { param: 'model' });
  agent ??= new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: FIRST_BYTE_TIMEOUT_MS,
    bodyTimeout: IDLE_TIMEOUT_MS,
    keepAliveTimeout: 30_000,
  });
  try {
    return await request(chatCompletionsUrl(target), {
      dispatcher: agent,
      method: 'POST',
      headers: writeHeaders(target),
      body,
      signal,
    });
  } catch (cause) {
    throw new ApiError('upstream_error', 'The provider of this model could not be reached', { cause });
  }
}

export async function closeUpstreams(): Promise<void> {
  await agent?.close();
  agent = undefined;
}
