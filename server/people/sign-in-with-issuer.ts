import type { Language } from '../../texts/languages';
import { inTransaction, type Tx } from '../base/db';
import { noteSignIn } from '../base/traces';
import { findOwner, type Identity, linkIdentity, type Owner } from './identities';
import { readBrowserIds, rememberBrowser } from './known-browser';
import type { CodeBrowser } from './login-codes';
import { sealPendingIdentity } from './pending-identity';
import { findSession } from './sessions';
import { openDeviceSession, sendServiceCode } from './sign-in-to-service';
import { openUser } from './users';

/** Sign-in to the service's own pages with an identity that an issuer has proven. */

export type IssuerSignIn = CodeBrowser & {
  identity: Identity;
  userAgent: string;
  /** The session token that the browser sent. */
  currentToken: string | null;
  /** Of the page that began. */
  language?: Language;
};

export type IssuerOutcome =
  | { kind: 'signed_in'; token: string; browserCookie: string }
  /** A code was mailed to the address, and `cookie` keeps the identity until it is entered. */
  | { kind: 'code_sent'; cookie: string }
  /** No account is linked, and the issuer has not verified an address to join one by. */
  | { kind: 'unverified' };

export async function signInWithIssuer(entry: IssuerSignIn): Promise<IssuerOutcome> {
  const { identity, userAgent, clientIp } = entry;
  const current = entry.currentToken === null ? null : await findSession(entry.currentToken);
  const signedIn = await inTransaction(async (tx) => {
    const owner = await joinAccount(tx, identity, entry.language);
    if (owner === null) return null;
    const { userId, email, identityId } = owner;
    const browserCookie = rememberBrowser(entry.browserCookie, email);
    await noteSignIn(tx, { userId, clientIp, browserIds: readBrowserIds(browserCookie) });
    const { token } = await openDeviceSession(tx, { userId, userAgent, current, identityId });
    return { token, browserCookie };
  });
  if (signedIn !== null) return { kind: 'signed_in', ...signedIn };
  return identity.email === null
    ? { kind: 'unverified' }
    : sendCode({ ...identity, email: identity.email }, entry);
}

/** The account of the identity, or a new one. Null if the identity is linked to none, and only a code opens that of the address. */
async function joinAccount(tx: Tx, identity: Identity, language?: Language): Promise<Owner | null> {
  const owner = await findOwner(tx, identity);
  const { email, isCurrent } = identity;
  if (owner !== null || email === null || !isCurrent) return owner;
  const { id: userId, isNew } = await openUser(tx, email, language);
  // A concurrent sign-in with the same identity may have created the account.
  if (!isNew) return findOwner(tx, identity);
  return { userId, email, identityId: await linkIdentity(tx, userId, identity) };
}

async function sendCode(
  identity: Identity & { email: string },
  { clientIp, browserCookie, language }: CodeBrowser & { language?: Language },
): Promise<IssuerOutcome> {
  const { email } = identity;
  const { challengeId, resendInSeconds } = await sendServiceCode({
    email,
    clientIp,
    browserCookie,
    ...(language && { locale: language }),
  });
  return { kind: 'code_sent', cookie: sealPendingIdentity({ ...identity, challengeId, resendInSeconds }) };
}
