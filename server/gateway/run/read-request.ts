import { createHash } from 'node:crypto';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Microcredits } from '../../base/credits';
import { restoreStrings } from '../../base/cut-json';
import type { ApiRequest } from '../../base/http/api-request';
import { requireUserKeyHash } from '../../base/http/credentials';
import { readIdempotencyKey } from '../../base/http/idempotency-key';
import { GENERATION_BODY_BYTES, parseJsonObject, readCutJson } from '../../base/http/read-body';
import { digestForm, isMultipart, readMultipart, requireMultipart } from '../../base/http/read-multipart';
import { hasSmallBody } from '../../base/http/receive-body';
import { limitNameOf, takeKeyTurn } from '../../base/rate-limit/key-turns';
import type { Run } from '../../ledger';
import { requireUserKey } from '../../people/access/authenticate';
import { requireLiveKey } from '../../people/access/live-keys';
import { atResolution } from '../pricing/catalog';
import { findUnprefixedModel } from '../pricing/served';
import { type BodySource, countNames, readSource } from '../protocols/body-source';
import type { ClientProtocol } from '../protocols/client-protocol';
import { keepNumbers } from '../protocols/exact-numbers';
import { type FormShape, readFormFields } from '../protocols/form-fields';
import type { Json, ModelType, Resolution } from '../protocols/neutral';
import { refuse } from '../protocols/read-fields';
import { type Candidates, resolveCandidates } from './candidates';
import { readCeiling, readRunHeaders } from './ceiling';
import { findLimitRefusal } from './key-limit';
import { requireModelAccess } from './model-access';
import { modelNotFound, warnOfPrefix } from './refusals';

/** Up to this size, JSON is parsed at once, which takes some 15 ms, and written at once. Pieces take twice as long. */
export const AT_ONCE_BYTES = 4 * 1024 * 1024;

export type ReadRequest<Body> = {
  keyHash: Buffer;
  /** 0, or the milliseconds until the key is within its rate limit again. */
  waitMs: number;
  candidates: Candidates;
  /** Changes that svc made to the request, as warnings for the client. */
  warnings: readonly string[];
  body: Body;
  /** The JSON that the body was read from; null for a form, and for a small one, which costs less to write again. */
  source: BodySource | null;
  /** Whether it takes too little time to let others run between its steps. */
  isSmall: boolean;
  /** Whether it would block other requests to write the body at once. */
  isLarge: boolean;
  /** The most that the request may cost; null for no ceiling. */
  ceiling: Microcredits | null;
  /** The run that it belongs to. */
  run: Run | null;
  /** The `Idempotency-Key` with the hash of the body, or of the parts of a form; null without one, and for embeddings. */
  idempotency: { key: string; bodyHash: Buffer } | null;
};

/** What the body of a request is read as. */
type Reading<Body> = Pick<ClientProtocol<Body>, 'modelType' | 'validate' | 'form' | 'resolution'>;

/** Finds the request inside a body that contains it. */
export type Unwrap<Body> = (json: Json) => Reading<Body> & { json: Json };

/** The partner whose key a request carries; null until the key has been looked up. */
export type Caller = { partnerId: string | null };

/**
 * Reads a request in the order that clients rely on: key, JSON and model name, known model, access to it,
 * fields. Admission checks key and access together with the balance. This function checks them only for a
 * large body, before reading it, and when something else is wrong, so that a bad key is reported as such
 * whatever the body contains.
 */
export async function readModelRequest<Body>(
  request: ApiRequest,
  reading: Reading<Body> | Unwrap<Body>,
  caller: Caller = { partnerId: null },
): Promise<ReadRequest<Body>> {
  const keyHash = requireUserKeyHash(request);
  const waitMs = takeKeyTurn(keyHash);
  const isSmall = hasSmallBody(request);
  const isLarge = !isSmall && !hasSmallBody(request, AT_ONCE_BYTES);
  if (!isSmall) {
    if (waitMs > 0) throw await findLimitRefusal(request, keyHash, waitMs);
    await requireLiveKey(request);
  }
  let requested: RequestedModel | undefined;
  try {
    const ceiling = readCeiling(request.headers, keyHash);
    const run = readRunHeaders(request.headers);
    const isIdempotent = typeof reading !== 'function' && reading.modelType !== 'embedding';
    const key = isIdempotent ? readIdempotencyKey(request) : null;
    const form = typeof reading === 'function' ? undefined : reading.form;
    const reception = { keyHash, isSmall, isLarge, isHashed: key !== null };
    const {
      json: whole,
      source,
      bodyHash,
    } = form !== undefined && (form.isRequired || isMultipart(request))
      ? await readForm(request, reception, form.shape)
      : await readJson(request, reception);
    const { modelType, validate, resolution, json } =
      typeof reading === 'function' ? reading(whole) : { ...reading, json: whole };
    requested = requireModel(json.model, modelType);
    if (!isSmall) await letOthersRun();
    const body = validate(json);
    if (!isSmall) await letOthersRun();
    const { warnings } = requested;
    const candidates = pricedAt(requested.candidates, resolution?.(body));
    const idempotency = key === null || bodyHash === null ? null : { key, bodyHash };
    return {
      keyHash,
      waitMs,
      candidates,
      warnings,
      body,
      source,
      isSmall,
      isLarge,
      ceiling,
      run,
      idempotency,
    };
  } catch (error) {
    await requireAccess(request, caller, requested);
    throw error;
  }
}

/** What is wrong with the key takes precedence over what is wrong with the body. */
async function requireAccess(
  request: ApiRequest,
  caller: Caller,
  requested: RequestedModel | undefined,
): Promise<void> {
  // In a batch, and once for all requests with the same key: malformed bodies may come in floods.
  await requireLiveKey(request);
  const found = await requireUserKey(request);
  caller.partnerId = found.partnerId;
  if (requested !== undefined) await requireModelAccess(found, requested.candidates);
}

type Reception = { keyHash: Buffer; isSmall: boolean; isLarge: boolean; isHashed: boolean };
type Received = { json: Json; source: BodySource | null; bodyHash: Buffer | null };

/** The files of a form stay as they are; its fields become those of JSON. */
async function readForm(
  request: ApiRequest,
  { keyHash, isSmall, isHashed }: Reception,
  shape: FormShape,
): Promise<Received> {
  requireMultipart(request);
  const limits = { limitBytes: GENERATION_BODY_BYTES, key: limitNameOf(keyHash) };
  const form = await readMultipart(request, limits);
  if (!isSmall) await letOthersRun();
  const bodyHash = isHashed ? await digestForm(form) : null;
  return { json: readFormFields(form, shape), source: null, bodyHash };
}

/** Streams of others continue between the steps of what is not small, each of which may take some 30 ms. */
async function readJson(
  request: ApiRequest,
  { keyHash, isSmall, isLarge, isHashed }: Reception,
): Promise<Received> {
  const key = limitNameOf(keyHash);
  const digest = isHashed ? createHash('sha256') : undefined;
  const { cut, source } = await readCutJson(request, GENERATION_BODY_BYTES, { key, isLarge, digest });
  if (!isSmall) await letOthersRun();
  const parsed = parseJsonObject(cut.text);
  if (isLarge) await letOthersRun();
  const restored = restoreStrings(parsed, cut.strings);
  const { hasLongNumbers } = source.outline;
  const json = hasLongNumbers ? await keepNumbers(restored, cut) : restored;
  const names = countNames(json);
  const bodyHash = digest?.digest() ?? null;
  return { json, source: isSmall ? null : readSource(json, names, source), bodyHash };
}

type RequestedModel = Pick<ReadRequest<unknown>, 'candidates' | 'warnings'>;

function requireModel(id: unknown, modelType: ModelType): RequestedModel {
  if (typeof id !== 'string' || id === '') {
    const isMissing = id === undefined || id === null || id === '';
    throw refuse(
      'model',
      `${isMissing ? 'is required: a' : 'must be a'} model id such as openai/gpt-4.1-mini`,
    );
  }
  const exact = resolveCandidates(id);
  if (exact !== null) return { candidates: requireType(exact, modelType), warnings: NO_WARNINGS };
  const meant = findUnprefixedModel(id);
  const candidates = meant && resolveCandidates(meant.id);
  if (candidates === null) throw modelNotFound(id.slice(0, 200));
  return {
    candidates: requireType(candidates, modelType),
    warnings: [warnOfPrefix(id, candidates[0].model)],
  };
}

/** At the prices of this resolution. */
function pricedAt(candidates: Candidates, resolution: Resolution | undefined): Candidates {
  if (resolution === undefined) return candidates;
  const [first, ...others] = candidates.flatMap((candidate) => {
    const model = atResolution(candidate.model, resolution);
    return model === null ? [] : [{ ...candidate, model }];
  });
  if (first !== undefined) return [first, ...others];
  throw refuse('size', `${candidates[0].model.id} makes no videos of ${resolution}`);
}

const ENDPOINTS_OF: Readonly<Record<ModelType, string>> = {
  language: 'POST /v1/chat/completions, /v1/messages or /v1/responses',
  embedding: 'POST /v1/embeddings',
  image: 'POST /v1/images/generations or /v1/images/edits',
  speech: 'POST /v1/audio/speech',
  transcription: 'POST /v1/audio/transcriptions or /v1/audio/translations',
  rerank: 'POST /v1/rerank',
  moderation: 'POST /v1/moderations',
  ocr: 'POST /v1/ocr',
  video: 'POST /v1/videos',
  batch: 'POST /v1/batches or /v1/messages/batches',
};

function requireType(candidates: Candidates, modelType: ModelType): Candidates {
  const { id, type } = candidates[0].model;
  if (type === modelType) return candidates;
  const an = /^[aeio]/.test(type) ? 'an' : 'a';
  throw refuse('model', `${id} is ${an} ${type} model: use ${ENDPOINTS_OF[type]}`);
}

const NO_WARNINGS: readonly string[] = [];
