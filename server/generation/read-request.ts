import { ApiError } from '../errors';
import { requireUserKeyHash } from '../http/credentials';
import { GENERATION_BODY_BYTES, parseJsonObject, readText, validate } from '../http/read-body';
import { requireUserKey } from '../keys/authenticate';
import { isModelAllowed } from '../partners/model-access';
import type { CatalogModel } from '../pricing/catalog';
import { findServedModel } from '../pricing/served';
import { type ChatRequest, chatRequestSchema } from '../protocols/chat/schema';
import { modelNotAllowed, modelNotFound } from './refusals';

export type GenerationRequest = { keyHash: Buffer; model: CatalogModel; body: ChatRequest };

/**
 * Reads a generation request in the order that clients rely on: key, JSON and model name, known
 * model, access to it, fields. The key and the access are decided by admission together with the
 * money; only when something else is wrong are they asked first, so that a bad key is told as
 * such whatever the body says.
 */
export async function readGenerationRequest(request: Request): Promise<GenerationRequest> {
  const keyHash = requireUserKeyHash(request);
  try {
    const json = parseJsonObject(await readText(request, GENERATION_BODY_BYTES));
    const model = requireModel(json.model);
    return { keyHash, model, body: await validateBody(json, model, request) };
  } catch (error) {
    await requireUserKey(request);
    throw error;
  }
}

function requireModel(id: unknown): CatalogModel {
  if (typeof id !== 'string' || id === '') {
    throw new ApiError('invalid_request', 'model: is required, such as openai/gpt-4.1-mini', {
      param: 'model',
    });
  }
  const model = findServedModel(id);
  if (model === null) throw modelNotFound(id.slice(0, 200));
  return model;
}

async function validateBody(
  json: Record<string, unknown>,
  model: CatalogModel,
  request: Request,
): Promise<ChatRequest> {
  try {
    return validate(chatRequestSchema, json);
  } catch (error) {
    const { partnerId } = await requireUserKey(request);
    if (!(await isModelAllowed(partnerId, model.id))) throw modelNotAllowed(model.id);
    throw error;
  }
}
