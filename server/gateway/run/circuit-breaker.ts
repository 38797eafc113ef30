import { now, SECOND_MS } from '../../base/clock';

/**
 * After several consecutive failures, a provider is not called for a while. Requests go to the next candidate
 * or fail immediately. When the cooldown ends, one request tries the provider again.
 *
 * A failure counts in one scope. The scope is the provider, and the cooldown is for everyone, only if no request
 * can cause the failure: the provider cannot be reached, or refuses our key. Otherwise it is one user and model, so
 * that requests that make a provider fail or hang affect no other user.
 */
const FAILURES_TO_OPEN = 5;
const COOLDOWN_MS = 15 * SECOND_MS;
/** Those that failed least recently are forgotten. */
const MAX_SCOPES = 10_000;

type Breaker = { failures: number; openUntil: number };
const ofProviders = new Map<string, Breaker>();
const ofUsers = new Map<string, Breaker>();

/** The scope of what requests of this user to this model may have caused. */
export const userScope = (userId: string, modelId: string): string => `${userId} ${modelId}`;

/** Seconds until the provider may be called again; 0 when it may be called now. */
export function cooldownSeconds(provider: string, scope: string): number {
  return restSeconds(ofProviders.get(provider)) || restSeconds(ofUsers.get(scope));
}

function restSeconds(breaker: Breaker | undefined): number {
  if (!breaker || breaker.failures < FAILURES_TO_OPEN) return 0;
  const restMs = breaker.openUntil - now();
  if (restMs > 0) return Math.ceil(restMs / SECOND_MS);
  // This request tries the provider; for all others the cooldown starts over.
  breaker.openUntil = now() + COOLDOWN_MS;
  return 0;
}

/** The providers in cooldown for everyone. */
export function providersInCooldown(): { provider: string; failures: number; cooldownUntilMs: number }[] {
  return [...ofProviders]
    .filter(([, { failures }]) => failures >= FAILURES_TO_OPEN)
    .map(([provider, { failures, openUntil }]) => ({ provider, failures, cooldownUntilMs: openUntil }));
}

export function noteSuccess(provider: string, scope: string): void {
  if (ofProviders.size > 0) ofProviders.delete(provider);
  if (ofUsers.size > 0) ofUsers.delete(scope);
}

/** A failure that no request can cause. */
export const noteOutage = (provider: string): void => count(ofProviders, provider);

/** Any other failure. */
export function noteFailure(scope: string): void {
  count(ofUsers, scope);
  const [oldest] = ofUsers.keys();
  if (ofUsers.size > MAX_SCOPES && oldest !== undefined) ofUsers.delete(oldest);
}

function count(breakers: Map<string, Breaker>, scope: string): void {
  const failures = (breakers.get(scope)?.failures ?? 0) + 1;
  breakers.delete(scope);
  breakers.set(scope, { failures, openUntil: now() + COOLDOWN_MS });
}
