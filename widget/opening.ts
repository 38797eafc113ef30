import { attempt } from './key-store';
import { sha256 } from './sha256';

/**
 * One opening of the checkout: its id, and the verifier that only this page holds. A window
 * outlives a reload of the page, so its opening is kept for the tab.
 */
export type Opening = {
  rid: string;
  verifier: string;
  at: number;
  /** The payment that was started last. */
  sessionId: string | null;
  /** What a finished purchase brought. */
  purchase: { balance: number; credits_added: number } | null;
};

const KEPT_MS = 60 * 60_000;

export function newOpening(): Opening {
  return { rid: randomText(16), verifier: randomText(32), at: Date.now(), sessionId: null, purchase: null };
}

/** S256 of the verifier. */
export function challengeOf({ verifier }: Opening): string {
  return toBase64Url(sha256(verifier));
}

const nameOf = (publishableKey: string): string => `svc:${publishableKey}:opening`;

export function keepOpening(publishableKey: string, opening: Opening): void {
  attempt(() => sessionStorage.setItem(nameOf(publishableKey), JSON.stringify(opening)));
}

export function forgetOpening(publishableKey: string): void {
  attempt(() => sessionStorage.removeItem(nameOf(publishableKey)));
}

/** The opening that an earlier load of this page left in its window. */
export function findOpening(publishableKey: string): Opening | null {
  const kept = attempt(
    () => JSON.parse(sessionStorage.getItem(nameOf(publishableKey)) ?? 'null') as Opening | null,
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
    .replace(/=+$/, '');
}
