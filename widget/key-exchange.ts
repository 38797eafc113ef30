import type { Login, Metadata } from './api';

type Exchange = {
  publishableKey: string;
  token: string;
  verifier: string;
  metadata: Metadata | null;
  /** A key that the page already holds for this device. It is kept, so that no second one is minted. */
  heldKey: string | null;
};

/**
 * Exchanges a sign-in token for a user key. The key never crosses a window: the checkout sends a token, and
 * only the page that holds the verifier of this visit can exchange it. Null when the token was refused.
 */
export async function exchangeToken(serviceOrigin: string, exchange: Exchange): Promise<Login | null> {
  const { publishableKey, token, verifier, metadata, heldKey } = exchange;
  const response = await fetch(`${serviceOrigin}/auth/token`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(heldKey !== null && { authorization: `Bearer ${heldKey}` }),
    },
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
