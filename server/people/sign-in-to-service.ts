import type { Language } from '../../texts/languages';
import { inTransaction, type Tx } from '../base/db';
import { settings } from '../base/env';
import { noteSignIn } from '../base/traces';
import { linkIdentity } from './identities';
import { sendIdentityMail } from './identity-mail';
import { revokeSession } from './keys/revoke';
import { readBrowserIds, rememberBrowser } from './known-browser';
import {
  type CodeBrowser,
  consumeChallenge,
  invalidCode,
  type SentCode,
  sendLoginCode,
  verifyLoginCode,
} from './login-codes';
import { readPendingIdentity } from './pending-identity';
import {
  type Confirmation,
  findSession,
  type LiveSession,
  lockLiveSession,
  openSession,
  renewSession,
} from './sessions';
import { openUser } from './users';

/** Sign-in to the service's own pages, not to an app or a checkout window. */

const OWN_PAGES = { partnerId: null, visitId: null, origin: null };

export function sendServiceCode(
  request: { email: string; locale?: Language } & CodeBrowser,
): Promise<SentCode> {
  return sendLoginCode({ ...request, ...OWN_PAGES, appName: settings().BRAND_NAME });
}

export type ServiceSignIn = CodeBrowser & {
  challengeId: string;
  email: string;
  code: string;
  userAgent: string;
  /** Of the page. */
  language?: Language;
  /** The session token that the browser sent, possibly another user's. */
  currentToken: string | null;
  /** The cookie of an identity that this code links to the account. */
  pendingIdentity?: string | null;
};

/**
 * Always issues a new token, so that a planted one is worthless. A user who is already signed in
 * keeps the same device. A browser belongs to one user at a time.
 */
export async function signInToService(
  entry: ServiceSignIn,
): Promise<{ token: string; browserCookie: string }> {
  const { challengeId, userAgent, clientIp } = entry;
  const { email } = await verifyLoginCode({ ...entry, ...OWN_PAGES });
  const current = entry.currentToken === null ? null : await findSession(entry.currentToken);
  const browserCookie = rememberBrowser(entry.browserCookie, email);
  const identity = readPendingIdentity(entry.pendingIdentity, email);
  const { token } = await inTransaction(async (tx) => {
    if (!(await consumeChallenge(tx, challengeId))) throw invalidCode();
    const { id: userId } = await openUser(tx, email, entry.language);
    await noteSignIn(tx, { userId, clientIp, browserIds: readBrowserIds(browserCookie) });
    const identityId = identity && (await linkIdentity(tx, userId, identity));
    return openDeviceSession(tx, { userId, userAgent, current, identityId });
  });
  if (identity !== null) await sendIdentityMail(email, identity, 'added');
  return { token, browserCookie };
}

export type DeviceSession = {
  userId: string;
  userAgent: string;
  current: LiveSession | null;
  confirmedBy?: Confirmation;
  /** The linked identity that the user signed in with. */
  identityId?: string | null;
};

/** Opens or renews the session of a browser whose user has just confirmed their presence, and replaces the `current` one. */
export async function openDeviceSession(
  tx: Tx,
  { identityId = null, ...device }: DeviceSession,
): Promise<{ sessionId: string; token: string }> {
  const opened = await renewOrOpen(tx, device);
  if (identityId !== null) await tx.session.update({ where: { id: opened.sessionId }, data: { identityId } });
  return opened;
}

async function renewOrOpen(
  tx: Tx,
  { userId, userAgent, current, confirmedBy }: DeviceSession,
): Promise<{ sessionId: string; token: string }> {
  const isSameUser = current?.userId === userId;
  if (current && isSameUser && (await lockLiveSession(tx, current.sessionId)))
    return { sessionId: current.sessionId, ...(await renewSession(tx, current.sessionId, confirmedBy)) };
  if (current && !isSameUser) await revokeSession(tx, current.sessionId);
  return openSession(tx, { userId, userAgent, confirmedBy });
}

/** Logs out the device of a token and revokes the keys that it minted. */
export async function signOutOfService(token: string): Promise<void> {
  const session = await findSession(token);
  if (session !== null) await inTransaction((tx) => revokeSession(tx, session.sessionId));
}
