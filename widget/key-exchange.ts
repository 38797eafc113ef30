import type { Metadata } from './contract';
import { attempt } from './key-store';
import { sha256 } from './sha256';

/**
 * The user key never crosses a window: the checkout hands over a sign-in token, and only the page
 * that holds the verifier of this opening can exchange it.
 */
export type Verifier = { rid: string; verifier: string; challenge: string };

export type ExchangedKey = { user_key: string; balance: number };

export function createVerifier(): Verifier {
  const rid = randomText(16);
  const verifier = randomText(32);
  attempt(() => sessionStorage.setItem(`svc:verifier:${rid}`, verifier));
  return { rid, verifier, challenge: toBase64Url(sha256(verifier)) };
}

export function forgetVerifier({ rid }: Verifier): void {
  attempt(() => sessionStorage.removeItem(`svc:verifier:${rid}`));
}

/** The key of the user who just signed in, or null when the token was refused. */
export async function exchangeToken(
  serviceOrigin: string,
  publishableKey: string,
  token: string,
  { verifier }: Verifier,
  metadata: Metadata | null,
): Promise<ExchangedKey | null> {
  const response = await fetch(`${serviceOrigin}/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    credentials: 'omit',
    body: JSON.stringify({
      grant_type: 'signin_token',
      publishable_key: publishableKey,
      token,
      code_verifier: verifier,
      ...(metadata && { metadata }),
    }),
  });
  if (!response.ok) return null;
  const body: unknown = await response.json();
  const { user_key: key, balance } = body as Record<string, unknown>;
  if (typeof key !== 'string') return null;
  return { user_key: key, balance: typeof balance === 'number' ? balance : 0 };
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
