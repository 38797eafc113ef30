import { countProviderFailure } from '../activity/provider-failures';
import { now, SECOND_MS } from '../clock';
import { ApiError } from '../errors';
import { describeError, log } from '../log';
import type { CatalogModel } from '../pricing/catalog';
import type { ProviderFailure } from '../providers/provider-failure';
import { type Answer, type Attempt, attempt } from './attempt';
import { cooldownSeconds } from './circuit-breaker';
import type { Run } from './run';

const MAX_ATTEMPTS = 3;
const MAX_TIME_MS = 30 * SECOND_MS;
const MAX_WAIT_SECONDS = 5;
const FIRST_BACKOFF_MS = 500;

/**
 * Asks the candidates until one answers: once more where that may help, then the next one. Only
 * before the first byte went to the client, and the user pays the one that answered.
 */
export async function chooseAnswer(run: Run, candidates: CatalogModel[]): Promise<Answer> {
  const begunAt = now();
  const queue = candidates.flatMap((candidate) => [candidate, candidate]);
  let withoutReasoning = false;
  let last: ProviderFailure | null = null;
  let shortestCooldown = 0;

  for (let tries = 0, position = 0; tries < MAX_ATTEMPTS && position < queue.length; position++) {
    if (run.abort.aborted) break;
    const candidate = queue[position] as CatalogModel;
    const rest = cooldownSeconds(candidate.provider);
    if (rest > 0) {
      shortestCooldown = shortestCooldown === 0 ? rest : Math.min(shortestCooldown, rest);
      continue;
    }
    const result = await attemptIfTaken(run, candidate, { withoutReasoning });
    if (result === null) continue;
    tries++;
    if (result.ok) return result.answer;
    last = result.failure;
    // A client that left is no trouble of the provider, which has read the prompt.
    if (run.abort.aborted) break;
    run.working = null;
    note(run, candidate, last);
    if (!result.mayRepeat || !mayHelp(last, withoutReasoning) || now() - begunAt > MAX_TIME_MS) break;
    withoutReasoning ||= last.kind === 'reasoning';
    // An account or model trouble of this provider is there again at once; so is a long rest.
    const again =
      last.kind === 'reasoning' ||
      (last.kind !== 'account' && last.kind !== 'model' && waitSeconds(last) <= MAX_WAIT_SECONDS);
    if (!again && position % 2 === 0) position++;
    else if (position % 2 === 0 && last.kind !== 'reasoning') await backOff(run, tries, last);
  }
  throw last?.error ?? resting(shortestCooldown);
}

/**
 * Null when a fallback cannot take the request: that is no answer to the client, whose request is
 * a good one for the model that it asked for.
 */
async function attemptIfTaken(
  run: Run,
  candidate: CatalogModel,
  options: { withoutReasoning: boolean },
): Promise<Attempt | null> {
  try {
    return await attempt(run, candidate, options);
  } catch (error) {
    const isRefusal = error instanceof ApiError && error.code === 'invalid_request';
    if (isRefusal && candidate.id !== run.model.id) return null;
    throw error;
  }
}

function mayHelp({ kind }: ProviderFailure, withoutReasoning: boolean): boolean {
  return kind !== 'request' && !(kind === 'reasoning' && withoutReasoning);
}

const waitSeconds = ({ retryAfterSeconds }: ProviderFailure): number => retryAfterSeconds ?? 0;

/** Doubles with each try, and is spread so that clients that failed together do not return together. */
function backOff({ abort }: Run, tries: number, failure: ProviderFailure): Promise<void> {
  const spread = 0.5 + Math.random() / 2;
  return abort.rest(Math.max(waitSeconds(failure) * SECOND_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1) * spread));
}

function note(
  { requestId }: Run,
  { provider }: CatalogModel,
  { kind, status, error }: ProviderFailure,
): void {
  countProviderFailure({ provider, kind, status });
  const level = kind === 'account' ? 'error' : 'warn';
  log()[level]({ requestId, provider, kind, status, cause: describeError(error.cause) }, 'provider failed');
}

function resting(seconds: number): ApiError {
  return new ApiError('upstream_error', 'The provider of this model fails at the moment', {
    retryAfterSeconds: Math.min(60, Math.max(1, seconds)),
  });
}
