import { Agent, type Dispatcher, request } from 'undici';
import { ApiError } from '../errors';
import type { CatalogModel } from '../pricing/catalog';
import { findTarget } from '../pricing/served';
import { chatCompletionsUrl, writeHeaders } from '../providers/openai/request';

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
  const target = findTarget(model.provider);
  if (target === null)
    throw new ApiError('model_not_found', `The model ${model.id} does not exist`, { param: 'model' });
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
