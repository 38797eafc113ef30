import { prisma } from '../db';
import { ApiError } from '../errors';
import {
  exchangeSignInToken,
  invalidGrant,
  readSignInGrant,
  type SignInGrant,
  type TokenExchange,
} from '../identity/sign-in-tokens';
import type { CheckoutRequest } from './api-bodies';

/**
 * The first checkout of an app's user who has just signed in and holds no key yet: the sign-in
 * token stands in for the key, and the purchase mints one.
 */

/** The sign-in that a request without a user key brings; null when it brings none. */
export function readCheckoutSignIn(
  { publishable_key, token, code_verifier, metadata }: CheckoutRequest,
  origin: string | null,
): TokenExchange | null {
  if (token === undefined) return null;
  if (publishable_key === undefined || code_verifier === undefined) {
    const param = publishable_key === undefined ? 'publishable_key' : 'code_verifier';
    throw new ApiError('invalid_request', `${param}: is required beside token`, { param });
  }
  return { publishableKey: publishable_key, token, codeVerifier: code_verifier, origin, metadata };
}

/** Whose sign-in it is, before anything is written: a refused purchase leaves the token good. */
export async function requireSignInGrant(signIn: TokenExchange): Promise<SignInGrant> {
  const grant = await readSignInGrant(signIn);
  if (grant === null) throw invalidGrant();
  return grant;
}

/** Mints the key once the payment can be paid. A second use of the token ends in nothing but a page that expires. */
export async function mintFirstKey(
  signIn: TokenExchange,
  paymentId: string,
): Promise<{ userKey: string; keyId: string }> {
  const { userKey, keyId } = await exchangeSignInToken(signIn);
  await prisma().checkoutSession.update({ where: { id: paymentId }, data: { keyId } });
  return { userKey, keyId };
}
