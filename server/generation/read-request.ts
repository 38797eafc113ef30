import { requireUserKey } from '../http/authenticate';
import { requireUserKeyHash } from '../http/credentials';
import { GENERATION_BODY_BYTES, parseJsonObject, readText } from '../http/read-body';
import { isModelAllowed } from '../partners/model-access';
import type { CatalogModel } from '../pricing/catalog';
import { findServedModel } from '../pricing/served';
import { keepNumbers } from '../protocols/exact-numbers';
import { refuse } from '../protocols/read-fields';
import { modelNotAllowed, modelNotFound, ofPartner } from './refusals';

export type ReadRequest<Body> = { keyHash: Buffer; model: CatalogModel; body: Body };

/**
 * Reads a request in the order that clients rely on: key, JSON and model name, known model, access
 * to it, fields. Admission decides key and access together with the money; only when something else
 * is wrong are they asked first, so that a bad key is told as such whatever the body says.
 */
export async function readModelRequest<Body>(
  request: Request,
  validateBody: (json: Record<string, unknown>) => Body,
): Promise<ReadRequest<Body>> {
  const keyHash = requireUserKeyHash(request);
  let model: CatalogModel | undefined;
  try {
    const text = await readText(request, GENERATION_BODY_BYTES);
    const json = parseJsonObject(text);
    model = requireModel(json.model);
    return { keyHash, model, body: validateBody(keepNumbers(json, text)) };
  } catch (error) {
    const { partnerId } = await requireUserKey(request);
    if (model && !(await isModelAllowed(partnerId, model.id)))
      throw ofPartner(modelNotAllowed(model.id), partnerId);
    throw ofPartner(error, partnerId);
  }
}

function requireModel(id: unknown): CatalogModel {
  if (typeof id !== 'string' || id === '') {
    const isMissing = id === undefined || id === null || id === '';
    throw refuse(
      'model',
      `${isMissing ? 'is required: a' : 'must be a'} model id such as openai/gpt-4.1-mini`,
    );
  }
  const model = findServedModel(id);
  if (model === null) throw modelNotFound(id.slice(0, 200));
  return model;
}
