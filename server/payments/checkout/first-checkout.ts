import { prisma } from '../../base/db';
import {
  exchangeSignInToken,
  invalidGrant,
  readSignInGrant,
  type SignInGrant,
  type TokenExchange,
} from '../../people/sign-in-tokens';

/**
 * The first checkout of a user who has just signed in to an app and has no key yet. The sign-in token
 * replaces the key, and the purchase mints one.
 */

/**
 * Finds the user of a sign-in token before anything is written, so that a refused purchase leaves the token
 * valid.
 */
export async function requireSignInGrant(signIn: TokenExchange): Promise<SignInGrant> {
  const grant = await readSignInGrant(signIn);
  if (grant === null) throw invalidGrant();
  return grant;
}

/** Mints the key once the payment page exists. A second use of the token only creates a page that expires. */
export async function mintFirstKey(
  signIn: TokenExchange,
  paymentId: string,
): Promise<{ userKey: string; keyId: string }> {
  const { userKey, keyId } = await exchangeSignInToken(signIn);
  await prisma().checkoutSession.update({ where: { id: paymentId }, data: { keyId } });
  return { userKey, keyId };
}
