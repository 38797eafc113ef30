import { ApiError, type ErrorDetails } from '../../base/errors';
import { maskSecrets } from '../../base/log';
import type { Json } from '../protocols/neutral';
import { asObject, asText, isObject, lookUp, parseJson } from '../protocols/read-fields';
import type { ResponseFacts } from './metered-usage';

/**
 * An error of a provider: what the client may see of it, and what it means for us.
 *
 * - `request`: the client's request is at fault; a retry cannot help
 * - `reasoning`: the provider rejects the reasoning in the history; a retry without it may help
 * - `busy`, `unavailable`: a retry or another provider may help
 * - `account`: our own key, quota or permission; the operator must act
 * - `model`: the provider does not offer the model, or not at its listed price
 */
export type FailureKind = 'request' | 'reasoning' | 'busy' | 'unavailable' | 'account' | 'model';

export type ProviderFailure = {
  kind: FailureKind;
  error: ApiError;
  /** The status that the provider sent, or that its error implies. */
  status: number;
  /** The provider reports an error. False if what it sent is none, and no response either. */
  isReported: boolean;
  /** The provider found that the content violates its rules, in the words of one that may bill for it. */
  violatesGuidelines: boolean;
  /** The wait that the provider requested, not clamped. Null when it requested none. */
  retryAfterSeconds: number | null;
  /** What the provider produced or billed before it failed. Null if it shows nothing of it. */
  produced: ResponseFacts | null;
};

const MAX_READ_LENGTH = 4_000;
const MAX_MESSAGE_LENGTH = 400;
const URL_LIKE = /(?:https?:\/\/|www\.)\S+/gi;
/** Ids of organisations, projects, workspaces and requests. */
const INTERNAL_ID =
  /\b(?:org|proj|project|wrkspc|workspace|req|request|acct|asst|sess|user|team)[-_][A-Za-z0-9_-]{6,}/gi;
/** A field of a request, such as `user_profile_id`. */
const FIELD_NAME = /^(?:user|request)(?:_[a-z]+)+$/;
const HOST_LIKE =
  /(?<![a-z0-9-])(?:[a-z0-9-]+\.){2,8}(?:com|net|org|io|ai|dev|internal|local|cloud|svc)\b(?::\d+)?/gi;
const KEY_LIKE = /\b(?:sk|gsk|xai|pk|AIza|key)[-_]?[A-Za-z0-9_*-]{12,}/g;

/** Errors about our own account may have the status of a bad request; clients must not see them. */
const ACCOUNT_CODE =
  /^(insufficient_(quota|balance|credits)|billing_\w+|\w{0,40}spend_limit\w{0,40}|(linked_)?organization_\w+|cmek_\w+|claude_code_\w+|(invalid|missing)_api_key|api_key_\w+|permission_\w+|authentication_error|unauthori[sz]ed|account_\w+)$/i;
const ACCOUNT_WORDS =
  /exceeded your current quota|billing (hard )?limit|(plan and|check your) billing|spend(ing)? limit|enforced_spend_limit|usage limits?\b|credit balance|insufficient (balance|credits|funds)|out of credits|organization has been|\bapi key\b|x-api-key|unauthori[sz]ed/i;
/** A provider quotes words of the client, which must not affect how its error is classified. */
const QUOTED = /`[^`]*`|"[^"]*"|(?<!\w)'[^']*'/g;
const CONTENT_POLICY =
  /content[ _-]?(policy|filter|management)|\bmoderation\b|safety (system|policy)|flagged|prohibited_content|violates (usage|safety) guidelines/i;
/**
 * xAI refuses content with the status and the code of a missing permission; only the beginning of the message
 * differs.
 */
const VIOLATION = /^Content violates usage guidelines\b/;
const ABOUT_REASONING = /signature|encrypted[ _]content|thinking.{0,40}block/is;
const WRONG = /expected|invalid|must/i;
const ABOUT_MODEL = /model/i;
/** OpenRouter's words where no provider of a model meets the request, such as its highest price. */
const NO_ENDPOINT = /^No (?:allowed |available )?(?:endpoints|providers)\b/i;

/** The status implied by the type of an Anthropic-style error or of an error inside a stream. */
const STATUS_OF_TYPE: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  tokens: 429,
  requests: 429,
  api_error: 500,
  server_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

type Reading = { status: number; body: string; retryAfter?: string | null };

export function readProviderFailure({ status, body, retryAfter = null }: Reading): ProviderFailure {
  const refusal = readRefusal(body);
  const kind = classify(status, refusal);
  // The message may reveal details of our account: only status and kind are logged.
  const cause = new Error(`upstream responded with ${status} (${kind})`);
  const retryAfterSeconds = readSeconds(retryAfter);
  return {
    kind,
    status,
    isReported: true,
    violatesGuidelines: kind === 'request' && VIOLATION.test(refusal.message),
    retryAfterSeconds,
    produced: null,
    error: toApiError({ kind, status, refusal, cause, retryAfterSeconds }),
  };
}

/** An error with status 200: as the whole body, or inside a stream. */
export function readEmbeddedFailure(value: unknown): ProviderFailure {
  const outer = asObject(value);
  const error = asObject(outer.error);
  const statuses = [error.code, error.status, error.status_code, outer.code, outer.status].map(Number);
  const numeric = statuses.find((code) => Number.isInteger(code) && code >= 400 && code <= 599);
  const named = [error.type, error.code]
    .map((name) => lookUp(STATUS_OF_TYPE, asText(name)))
    .find((code) => code !== undefined);
  return readProviderFailure({ status: numeric ?? named ?? 502, body: JSON.stringify(value) ?? '' });
}

/** Fields that give the reason of a failure, and that no part of a response has. */
const REASONS = [
  'message',
  'msg',
  'detail',
  'details',
  'reason',
  'code',
  'errors',
  'error_message',
  'error_msg',
  'errorMessage',
  'error_code',
  'errorCode',
  'error_description',
];
const ERROR_NAME = /(?:error|exception|failure)$/i;

/**
 * The failure that a body or an event with status 200 is: by its `error`, by its name or type, or because it gives
 * a reason and `says` nothing of a response. Null if it is none.
 */
export function findFailure(
  json: Json,
  { name = '', says }: { name?: string; says: boolean },
): ProviderFailure | null {
  const { error, type, object } = json;
  if (isObject(error) ? !says || Object.values(error).some(Boolean) : error) return readEmbeddedFailure(json);
  const isNamed = isErrorName(name) || isErrorName(type) || isErrorName(object);
  if (says && !isNamed) return null;
  const reasons = REASONS.filter((field) => json[field] != null && json[field] !== '');
  if (!isNamed && reasons.length === 0) return null;
  const message = reasons.map((field) => asText(json[field])).find((text) => text !== '');
  return readEmbeddedFailure({ error: Object.assign({}, json, { message }) });
}

const LONGEST_NAME = 64;

const isErrorName = (name: unknown): boolean =>
  typeof name === 'string' && name !== '' && name.length <= LONGEST_NAME && ERROR_NAME.test(name);

/** A response with status 200 that is an error, or none at all. */
export class FailedResponse extends ApiError {
  readonly failure: ProviderFailure;
  /** The provider reports an error, and nothing that it produced: another attempt is not billed twice. */
  readonly isRefusal: boolean;

  constructor(failure: ProviderFailure, facts: ResponseFacts, { isError }: { isError: boolean }) {
    const { code, message, param, retryAfterSeconds, cause } = failure.error;
    super(code, message, {
      cause,
      ...(param !== null && { param }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
    const produced = facts.usage === null && facts.outputBytes === 0 ? null : facts;
    this.failure = { ...failure, produced };
    this.isRefusal = isError && produced === null;
  }
}

/** A failure that the provider does not describe: cut off, not JSON, too large. */
export function brokenResponse(reason: string): ProviderFailure {
  const cause = new Error(reason);
  const error = new ApiError('upstream_error', 'The provider for this model ended the response early', {
    cause,
  });
  return {
    kind: 'unavailable',
    status: 502,
    isReported: false,
    violatesGuidelines: false,
    retryAfterSeconds: null,
    produced: null,
    error,
  };
}

function classify(status: number, refusal: Refusal): FailureKind {
  if (status === 401 || status === 402) return 'account';
  if (status === 400 || status === 403) return classifyRefusal(status, refusal);
  if (status === 413 || status === 422) return isAboutAccount(refusal) ? 'account' : 'request';
  if (status === 404) return namesModel(refusal) ? 'model' : 'unavailable';
  if (status === 429) return isAboutAccount(refusal) ? 'account' : 'busy';
  return 'unavailable';
}

function classifyRefusal(status: number, refusal: Refusal): FailureKind {
  if (isAboutContentPolicy(refusal)) return 'request';
  if (status === 403 || isAboutAccount(refusal)) return 'account';
  return isAboutReasoning(readMessage(refusal) ?? '') ? 'reasoning' : 'request';
}

function isAboutReasoning(message: string): boolean {
  const thinking = message.search(/thinking/i);
  return ABOUT_REASONING.test(message) || (thinking !== -1 && WRONG.test(message.slice(thinking)));
}

function isAboutAccount(refusal: Refusal): boolean {
  const { codes, words } = readClaims(refusal);
  // Google calls a rate limit an exceeded quota too; its code distinguishes the two.
  if (codes.includes('RESOURCE_EXHAUSTED')) return false;
  return codes.some((code) => ACCOUNT_CODE.test(code)) || ACCOUNT_WORDS.test(words);
}

function isAboutContentPolicy(refusal: Refusal): boolean {
  const { codes, words } = readClaims(refusal);
  return CONTENT_POLICY.test(`${codes.join(' ')} ${words}`);
}

/** The codes of an error, and its message without quotations. */
function readClaims({ error, message }: Refusal): { codes: string[]; words: string } {
  const { type, code, status, details } = error;
  const codes = [type, code, status, asObject(details).error_code].map(readStart);
  return { codes, words: message.replace(QUOTED, '') };
}

function namesModel(refusal: Refusal): boolean {
  const { error, message } = refusal;
  return (
    NO_ENDPOINT.test(message) || ABOUT_MODEL.test(`${readMessage(refusal) ?? ''} ${readStart(error.code)}`)
  );
}

type Facts = {
  kind: FailureKind;
  refusal: Refusal;
  status: number;
  cause: Error;
  retryAfterSeconds: number | null;
};

function toApiError({ kind, refusal, status, cause, retryAfterSeconds }: Facts): ApiError {
  if (kind === 'busy') {
    return new ApiError('rate_limited', 'The provider for this model is busy. Please retry.', {
      retryAfterSeconds: Math.min(60, Math.max(1, Math.ceil(retryAfterSeconds ?? 1))),
      cause,
    });
  }
  if (kind === 'model' && NO_ENDPOINT.test(refusal.message)) {
    const reason = 'No provider offers this model at its listed price and with these parameters';
    return new ApiError('upstream_error', reason, { param: 'model', cause });
  }
  if (kind === 'model') {
    return new ApiError('model_not_found', 'The provider no longer offers this model', {
      param: 'model',
      cause,
    });
  }
  if (kind === 'request' || kind === 'reasoning') return refuseRequest({ refusal, status, cause });
  return new ApiError('upstream_error', 'The provider for this model returned an error', { cause });
}

/** Keeps the phrases that clients test for ("prompt is too long", "context length"). */
export const contentRefused = (details?: ErrorDetails): ApiError =>
  new ApiError('content_refused', "The request was blocked by the provider's content policy", details);

function refuseRequest({ refusal, status, cause }: Pick<Facts, 'refusal' | 'status' | 'cause'>): ApiError {
  const param = asText(refusal.error.param);
  const details = { cause, ...(/^[\w.[\]-]{1,100}$/.test(param) && { param }) };
  if (isAboutContentPolicy(refusal)) return contentRefused(details);
  if (status === 413)
    return new ApiError('invalid_request', 'The request is too large for this model', details);
  const message = readMessage(refusal);
  if (message === null)
    return new ApiError('upstream_error', 'The provider for this model returned an error', { cause });
  return new ApiError('invalid_request', message, details);
}

/** The provider's message without private details. Null when there is none. */
function readMessage({ message }: Refusal): string | null {
  const isPage = /<html|<!doctype/i.test(message) || /\n[ \t]+at /.test(message);
  return message === '' || isPage ? null : scrub(message);
}

type Refusal = { error: Json; message: string };

/** The error and its message, wherever the provider puts them; Google wraps everything in a list. */
function readRefusal(body: string): Refusal {
  const json = parseJson(body);
  const outer = asObject(Array.isArray(json) ? json[0] : json);
  const error = isObject(outer.error) ? outer.error : outer;
  const message = [error.message, outer.error, outer.detail].find(
    (text) => typeof text === 'string' && text !== '',
  );
  return { error, message: readStart(message) };
}

/** The beginning of a text, in which everything else searches: providers quote the request, which may be long. */
const readStart = (text: unknown): string => asText(text).slice(0, MAX_READ_LENGTH);

function scrub(text: string): string {
  return maskSecrets(text)
    .replace(URL_LIKE, '')
    .replace(KEY_LIKE, '***')
    .replace(INTERNAL_ID, (id) => (FIELD_NAME.test(id) ? id : '***'))
    .replace(HOST_LIKE, '***')
    .slice(0, MAX_MESSAGE_LENGTH)
    .trim();
}

/** `Retry-After` in seconds; null when absent or not a number. */
function readSeconds(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}
