import { attempt } from './key-store';
import { sha256 } from './sha256';

/**
 * One visit to the checkout: its id, and the verifier that only this page holds. A window remains open when
 * the page is reloaded, so its visit is kept in the session storage of the tab.
 */
export type Visit = {
  rid: string;
  verifier: string;
  at: number;
  /** The payment that was started last. */
  sessionId: string | null;
  /** The credits of a completed purchase. */
  purchase: { balance: number; credits_added: number } | null;
};

const KEPT_MS = 60 * 60_000;

export function newVisit(): Visit {
  return { rid: randomText(16), verifier: randomText(32), at: Date.now(), sessionId: null, purchase: null };
}

/** S256 of the verifier. */
export function challengeOf({ verifier }: Visit): string {
  return toBase64Url(sha256(verifier));
}

const nameOf = (publishableKey: string): string => `svc:${publishableKey}:opening`;

export function keepVisit(publishableKey: string, visit: Visit): void {
  attempt(() => sessionStorage.setItem(nameOf(publishableKey), JSON.stringify(visit)));
}

export function forgetVisit(publishableKey: string): void {
  attempt(() => sessionStorage.removeItem(nameOf(publishableKey)));
}

/** The visit whose window an earlier load of this page left open. */
export function findVisit(publishableKey: string): Visit | null {
  const kept = attempt(
    () => JSON.parse(sessionStorage.getItem(nameOf(publishableKey)) ?? 'null') as Visit | null,
  );
  const isGood =
    typeof kept?.rid === 'string' && typeof kept.verifier === 'string' && Date.now() - kept.at < KEPT_MS;
  return isGood ? kept : null;
}

function randomText(bytes: number): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/={1,2}$/, '');
}
