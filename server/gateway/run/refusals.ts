import { describeCredits, formatCredits } from '../../base/credits';
import { ALL_RULES, type RuleSet, readRules, unmetRules } from '../../base/data-rules';
import { settings } from '../../base/env';
import { ApiError, assertNever, invariant } from '../../base/errors';
import { invalidUserKey, keyRestricted } from '../../base/http/credentials';
import type { Admission, Lack, ReachedLimit, Shortfall } from '../../ledger';
import { partnerDisabled } from '../../partners/partner';
import { type UserPage, writeActionPath } from '../../people/keys/action-link';
import type { CatalogModel } from '../pricing/catalog';
import { rulesMetBy } from '../pricing/met-rules';
import { servedModels } from '../pricing/served';

const RETRY_SOON_SECONDS = 1;

type Refused = Extract<Admission, { ok: false }>;

/**
 * The error for a request that admission refuses. `keyHash` is of the key that would pay, and `prompt` the field of
 * the prompt if the balance is enough for a request like the previous one.
 */
export function toApiError(
  { refusal, limit, lack = null, dataRules = null }: Refused,
  model: string,
  keyHash: Buffer,
  prompt: string | null = null,
): ApiError {
  switch (refusal) {
    case 'limit_reached':
      invariant(limit, 'the refusal names the limit');
      return overBudget(limit, lack, model, keyHash) ?? limitReached(limit, keyHash);
    case 'invalid_user_key':
      return invalidUserKey();
    case 'partner_disabled':
      return partnerDisabled();
    case 'restricted_to_app_networks':
      return keyRestricted('app_networks');
    case 'restricted_to_key_networks':
      return keyRestricted('key_networks');
    case 'restricted_to_key_origins':
      return keyRestricted('key_origins');
    case 'model_not_allowed':
      return modelNotAllowed(model);
    case 'data_rules_not_met':
      return dataRulesNotMet(model, dataRules ?? ALL_RULES);
    case 'paused_for_review':
      return pausedForReview();
    case 'too_many_running':
      return tooManyRunning();
    case 'busy':
      return busy(lack);
    case 'insufficient_credits':
      return prompt !== null && lack !== null
        ? tooLongForCredits(writeActionUrl(keyHash, 'buy'), lack, prompt)
        : tooFewCredits(refusal, writeActionUrl(keyHash, 'buy'), lack);
    case 'partner_not_permitted':
    case 'partner_limit_reached':
      return tooFewCredits(refusal, writeActionUrl(keyHash, SHORTFALLS[refusal].page), lack);
    default:
      return assertNever(refusal);
  }
}

export const pausedForReview = (): ApiError =>
  new ApiError(
    'paused_for_review',
    'This user or app is paused for review by the service. Retrying does not help until the review is done.',
  );

export const tooManyRunning = (): ApiError =>
  new ApiError('rate_limited', 'This user has too many requests running at the same time', {
    retryAfterSeconds: RETRY_SOON_SECONDS,
  });

function busy(lack: Lack | null): ApiError {
  const amounts = lack === null ? '' : `: ${describeLack(lack)}`;
  return new ApiError(
    'rate_limited',
    `The user's other running requests hold the credits that this one needs${amounts}. Wait until they end, or send a shorter one`,
    { retryAfterSeconds: RETRY_SOON_SECONDS },
  );
}

/** What the caller set for the request or its run, or for the run key. Null for other limits. */
function overBudget(
  { kind, scope }: ReachedLimit,
  lack: Lack | null,
  model: string,
  keyHash: Buffer,
): ApiError | null {
  if (scope !== 'request' && scope !== 'run' && scope !== 'key') return null;
  invariant(lack, 'the refusal names the amounts');
  const needs = `This request costs at least ${describeCredits(roundUp(lack.needed))}, and`;
  const left = formatCredits(lack.available);
  if (scope === 'request')
    return refuseOver(
      'max_credits',
      `${needs} its ceiling (x-svc-max-credits or x-svc-quote) is ${left}. Raise the ceiling, or send a shorter request.`,
    );
  if (kind === 'ceiling')
    return new ApiError(
      'invalid_request',
      `x-svc-run-max-credits: the first request of this run set ${lack.available > 0n ? left : 'none'}. Send the same, or none`,
      { param: 'run_max_credits' },
    );
  if (scope === 'run')
    return refuseOver('limits.run.credits', `${needs} ${left} are left of the ceiling of its run.`);
  if (kind === 'model') return modelNotAllowedForKey(model);
  if (kind === 'requests')
    return refuseOver('limits.key.requests', 'This run key has sent as many requests as it may.');
  const actionUrl = writeActionUrl(keyHash, 'run_key');
  return refuseOver(
    'limits.key.credits',
    `${needs} ${left} are left of the budget of this run key, or of one above it. The user can raise it at ${actionUrl}`,
    actionUrl,
  );
}

const refuseOver = (param: string, message: string, actionUrl?: string): ApiError =>
  new ApiError('partner_limit_reached', message, { param, ...(actionUrl !== undefined && { actionUrl }) });

/** Of a credit. */
const HUNDREDTH = 10_000n;

/** Both to a hundredth of a credit: what is needed is rounded up, and what is there down. */
function describeLack({ needed, available }: Lack): string {
  const leastAvailable = (available / HUNDREDTH) * HUNDREDTH;
  return `it needs at least ${describeCredits(roundUp(needed))}, and ${formatCredits(leastAvailable)} are available`;
}

const roundUp = (amount: bigint): bigint => ((amount + HUNDREDTH - 1n) / HUNDREDTH) * HUNDREDTH;

type Describe = (url: string, lack: Lack | null) => string;

const SHORTFALLS: Record<Shortfall, { page: UserPage; describe: Describe }> = {
  insufficient_credits: { page: 'buy', describe: describeTooFew },
  partner_not_permitted: {
    page: 'app',
    describe: (url) =>
      `The user has credits bought elsewhere but has not allowed this app to spend them. Open the checkout to ask, or set an allowance at ${url}`,
  },
  partner_limit_reached: {
    page: 'app',
    describe: (url) =>
      `The user's allowance for this app is used up. Open the checkout to ask for more, or raise it at ${url}`,
  },
};

/** A user who has credits left may get a response to a shorter request. */
function describeTooFew(url: string, lack: Lack | null): string {
  const buy = `Open the checkout to buy more, or buy them at ${url}`;
  if (lack === null || lack.available === 0n) return `Not enough credits. ${buy}`;
  return `Not enough credits for this request: ${describeLack(lack)}. Send a shorter one, or open the checkout to buy more, or buy them at ${url}`;
}

/** `param` says that the checkout need not open, as for a limit. */
const tooLongForCredits = (actionUrl: string, lack: Lack, param: string): ApiError =>
  new ApiError(
    'insufficient_credits',
    `Not enough credits for this request: ${describeLack(lack)}, which is enough for one like the previous. Shorten the prompt, lower the maximum output, or wait until other requests end. The user can buy more at ${actionUrl}`,
    { actionUrl, param },
  );

export const tooFewCredits = (refusal: Shortfall, actionUrl: string, lack: Lack | null = null): ApiError =>
  new ApiError(refusal, SHORTFALLS[refusal].describe(actionUrl, lack), { actionUrl });

/**
 * `param` names the limit: `limits.app.day` is the user's own per day for this app, `limits.all.day` the one for all apps,
 * and `limits.partner.day` the partner's. The user cannot change the last one, so no address is named for it.
 */
export function limitReached({ kind, scope, resetsAt }: ReachedLimit, keyHash?: Buffer): ApiError {
  const param = `limits.${scope}.${kind}`;
  if (scope === 'partner')
    return new ApiError('partner_limit_reached', describePartnerLimit(kind, resetsAt), { param });
  const action = keyHash && { actionUrl: writeActionUrl(keyHash, scope === 'app' ? 'app' : 'limits') };
  const message = describeUserLimit({ kind, scope, resetsAt });
  return new ApiError('partner_limit_reached', message, { param, ...action });
}

function describePartnerLimit(kind: ReachedLimit['kind'], resetsAt: Date | null): string {
  if (kind === 'model') return 'This app does not allow this model for this user.';
  if (kind === 'request')
    return 'This request costs more than this app lets its users spend per request. Send a smaller one.';
  return `This app's limit per ${kind} for this user is reached. It resets at ${toIsoSeconds(resetsAt)}. The user cannot raise it.`;
}

function describeUserLimit({ kind, scope, resetsAt }: ReachedLimit): string {
  const apps = scope === 'app' ? 'this app' : 'all apps';
  const page = new URL('/account/limits', settings().BASE_URL).href;
  if (kind === 'stop')
    return `The user has stopped ${apps} from spending credits. The user can resume ${scope === 'app' ? 'it' : 'them'} at ${page}.`;
  if (kind === 'model')
    return `The user does not allow ${apps} to use this model. The user can allow it at ${page}.`;
  if (kind === 'request')
    return `This request costs more than the user's limit per request for ${apps}. Send a smaller one, or the user can raise the limit at ${page}.`;
  return `The user's limit per ${kind} for ${apps} is reached. It resets at ${toIsoSeconds(resetsAt)}, and the user can raise it at ${page}.`;
}

const toIsoSeconds = (time: Date | null): string => time?.toISOString().replace('.000Z', 'Z') ?? '';

/** A client in a terminal has no checkout to open. At the end of a message, so that it can be followed. */
const writeActionUrl = (keyHash: Buffer, page: UserPage): string =>
  new URL(writeActionPath(keyHash, page), settings().BASE_URL).href;

export function alreadyCharged(requestId: string): ApiError {
  return new ApiError(
    'already_charged',
    `A request with this Idempotency-Key was charged, and its response is not kept. Its receipt is ${requestId}. Use a new key to send the request again.`,
  );
}

export function providerUnavailable(retryAfterSeconds: number): ApiError {
  return new ApiError('upstream_error', 'The provider for this model is currently unavailable', {
    retryAfterSeconds,
  });
}

export function modelNotAllowed(model: string): ApiError {
  return new ApiError('model_not_allowed', `This app may not use the model ${model}`, { param: 'model' });
}

/** `param` names the first rule that the provider of the requested model does not meet. */
export function dataRulesNotMet(model: string, required: RuleSet): ApiError {
  const provider = model.slice(0, model.indexOf('/'));
  const rules = readRules(required);
  const unmet = readRules(unmetRules(required, rulesMetBy(provider)))[0] ?? rules[0];
  invariant(unmet, 'a rule is not met');
  return new ApiError(
    'model_not_allowed',
    `The user, this app or the service requires the data rule ${unmet}, and no provider of ${model} is known to meet it. GET /v1/models?data_rules=${rules.join()} lists the models that can be used.`,
    { param: `data_rules.${unmet}` },
  );
}

export function modelNotAllowedForKey(model: string): ApiError {
  return new ApiError('model_not_allowed', `This run key may not use the model ${model}`, { param: 'model' });
}

/** Suggests models when the name lacks a provider that several have, or contains 4.5 instead of 4-5. */
export function modelNotFound(model: string): ApiError {
  const meant = servedModels().filter(({ id }) => bareName(id) === bareName(model));
  return new ApiError('model_not_found', `The model ${model} does not exist. ${advise(model, meant)}`, {
    param: 'model',
  });
}

const MAX_SUGGESTED = 3;

/** Some libraries take the first part of an id for their own provider, and do not send it. */
function advise(model: string, [first, ...others]: CatalogModel[]): string {
  if (first === undefined) return 'GET /v1/models lists all models.';
  const ids = [first, ...others].slice(0, MAX_SUGGESTED).map(({ id }) => id);
  const question = `Did you mean ${ids.join(' or ')}?`;
  if (model.includes('/')) return question;
  return `${question} If your library removes the first part, write ${first.provider}/${first.id}.`;
}

/** The warning about a model id that was accepted without its provider. */
export const warnOfPrefix = (given: string, { id }: CatalogModel): string =>
  `model ${given} was read as ${id}`;

export const warnOfSearches = (searches: number): string =>
  `web search was limited to ${searches} ${searches === 1 ? 'use' : 'uses'}, which the credits cover`;

const bareName = (id: string): string =>
  id
    .slice(id.lastIndexOf('/') + 1)
    .toLowerCase()
    .replaceAll('.', '-');
