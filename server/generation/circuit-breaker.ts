import { now, SECOND_MS } from '../clock';

/**
 * After several consecutive failures, a provider is not called for a while. Requests go to the next candidate
 * or fail immediately. When the cooldown ends, one request tries the provider again.
 */
const FAILURES_TO_OPEN = 5;
const COOLDOWN_MS = 15 * SECOND_MS;

type Breaker = { failures: number; openUntil: number };
const breakers = new Map<string, Breaker>();

/** Seconds until the provider may be called again; 0 when it may be called now. */
export function cooldownSeconds(provider: string): number {
  const breaker = breakers.get(provider);
  if (!breaker || breaker.failures < FAILURES_TO_OPEN) return 0;
  const restMs = breaker.openUntil - now();
  if (restMs > 0) return Math.ceil(restMs / SECOND_MS);
  // This request tries the provider; for all others the cooldown starts over.
  breaker.openUntil = now() + COOLDOWN_MS;
  return 0;
}

/** The providers in cooldown. */
export function providersInCooldown(): { provider: string; failures: number; cooldownUntilMs: number }[] {
  return [...breakers]
    .filter(([, { failures }]) => failures >= FAILURES_TO_OPEN)
    .map(([provider, { failures, openUntil }]) => ({ provider, failures, cooldownUntilMs: openUntil }));
}

export function noteSuccess(provider: string): void {
  if (breakers.size > 0) breakers.delete(provider);
}

export function noteFailure(provider: string): void {
  const failures = (breakers.get(provider)?.failures ?? 0) + 1;
  breakers.set(provider, { failures, openUntil: now() + COOLDOWN_MS });
}
