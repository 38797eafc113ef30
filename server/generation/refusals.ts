import { settings } from '../env';
import { ApiError, assertNever } from '../errors';
import { invalidUserKey, keyRestricted } from '../http/credentials';
import type { AdmissionRefusal } from '../ledger';
import { partnerDisabled } from '../partners/partner';
import type { CatalogModel } from '../pricing/catalog';
import { servedModels } from '../pricing/served';

const RETRY_SOON_SECONDS = 1;

/** The error for a request that admission refuses. */
export function toApiError(refusal: AdmissionRefusal, model: string): ApiError {
  switch (refusal) {
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
    case 'paused_for_review':
      return new ApiError(
        'paused_for_review',
        'This user or app is paused for review by the service. Retrying does not help until the review is done.',
      );
    case 'too_many_running':
      return new ApiError('rate_limited', 'This user has too many requests running at the same time', {
        retryAfterSeconds: RETRY_SOON_SECONDS,
      });
    case 'busy':
      return new ApiError(
        'rate_limited',
        "The user's other running requests hold the credits that this one needs",
        {
          retryAfterSeconds: RETRY_SOON_SECONDS,
        },
      );
    case 'insufficient_credits':
      return new ApiError(
        'insufficient_credits',
        `Not enough credits. Open the checkout to buy more, or buy them at ${accountPage('buy')}.`,
      );
    case 'partner_not_permitted':
      return new ApiError(
        'partner_not_permitted',
        `The user has credits bought elsewhere but has not allowed this app to spend them. Open the checkout to ask, or set an allowance at ${accountPage('apps')}.`,
      );
    case 'partner_limit_reached':
      return new ApiError(
        'partner_limit_reached',
        `The user's allowance for this app is used up. Open the checkout to ask for more, or raise it at ${accountPage('apps')}.`,
      );
    default:
      return assertNever(refusal);
  }
}

/** A client in a terminal has no checkout to open. */
const accountPage = (name: 'buy' | 'apps'): string => new URL(`/account/${name}`, settings().BASE_URL).href;

export function modelNotAllowed(model: string): ApiError {
  return new ApiError('model_not_allowed', `This app may not use the model ${model}`, { param: 'model' });
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

const bareName = (id: string): string =>
  id
    .slice(id.lastIndexOf('/') + 1)
    .toLowerCase()
    .replaceAll('.', '-');
