import type { Language } from '../../../texts/languages';
import { inTransaction, prisma, type Tx } from '../../base/db';
import { ApiError } from '../../base/errors';
import { CLIENT_IP_HEADER } from '../../base/http/client-ip';
import { invalidUserKey } from '../../base/http/credentials';
import { noteSignIn } from '../../base/traces';
import { nameInMails } from '../../partners/rename';
import { type Caller, requireOrdinaryKey } from '../../people/access/authenticate';
import { openAppUser } from '../../people/app-users';
import { maskEmail } from '../../people/email';
import { revokeSession, revokeUserKey } from '../../people/keys/revoke';
import { readBrowserIds, rememberBrowser } from '../../people/known-browser';
import { consumeChallenge, invalidCode, sendLoginCode, verifyLoginCode } from '../../people/login-codes';
import { metadataSchema } from '../../people/metadata';
import type { Present } from '../../people/presence';
import { findSession, isLive, type LiveSession, readConfirmation } from '../../people/sessions';
import { openDeviceSession } from '../../people/sign-in-to-service';
import { issueSignInToken } from '../../people/sign-in-tokens';
import { openUser } from '../../people/users';
import { readHandOver } from './hand-over';
import { checkoutOrigin } from './same-origin';
import { requireEnabledPartner } from './visit-partner';
import { isWebsite, type Visit } from './visits';

/** The user of a window: signed in there, or only recognised by a key that the app holds. */
export type SignedIn = { userId: string } & (OwnSignIn | { by: 'key' });
/** `confirmedAt`: when the user last entered a code. */
type OwnSignIn = { by: 'session'; sessionId: string } & Omit<Present, 'userId'>;

/**
 * Finds the user of a visit. A device that was logged out elsewhere is also signed out here, and a revoked
 * key identifies no user.
 */
export async function findSignedIn(
  { userId, sessionId, keyId }: Visit,
  db: Tx = prisma(),
): Promise<SignedIn | null> {
  if (userId === null) return null;
  if (sessionId === null) return (await isLiveKey(keyId, db)) ? { userId, by: 'key' } : null;
  const session = await db.session.findUnique({ where: { id: sessionId }, include: { user: true } });
  if (session === null || !isLive(session)) return null;
  const { confirmedAt, user } = session;
  const confirmedBy = readConfirmation(session);
  return { userId, by: 'session', sessionId, email: user.email, confirmedAt, confirmedBy };
}

async function isLiveKey(keyId: string | null, db: Tx): Promise<boolean> {
  if (keyId === null) return false;
  const key = await db.userKey.findUnique({ where: { id: keyId }, select: { revokedAt: true } });
  return key !== null && key.revokedAt === null;
}

export async function requireSignedIn(visit: Visit): Promise<SignedIn> {
  const signedIn = await findSignedIn(visit);
  if (signedIn === null) throw new ApiError('missing_api_key', 'Please sign in first.');
  return signedIn;
}

/** Requires the user's own sign-in. A key does not prove presence, because the app's server holds it too. */
export async function requireOwnSignIn(visit: Visit): Promise<{ userId: string } & OwnSignIn> {
  const signedIn = await findSignedIn(visit);
  if (signedIn?.by !== 'session') {
    throw new ApiError('step_up_required', 'Please confirm with a code sent to your e-mail address.');
  }
  return signedIn;
}

export async function sendVisitCode(
  visit: Visit,
  { email, locale }: { email: string; locale?: string | undefined },
  { clientIp, browserCookie }: Device,
): Promise<{ challengeId: string; expiresInSeconds: number; resendInSeconds: number }> {
  const partner = await requireEnabledPartner(visit);
  return sendLoginCode({
    email,
    appName: nameInMails(partner),
    partnerId: partner.id,
    visitId: visit.id,
    origin: visit.origin,
    clientIp,
    browserCookie,
    ...(locale !== undefined && { locale }),
  });
}

type CodeEntry = {
  challengeId: string;
  email: string;
  code: string;
  /** The user wants to change the account that this window knows. */
  changesAccount?: boolean | undefined;
  /** Of the page. */
  language?: Language | null;
};
/** The browser of the window. In a first-party window it may carry its own session. */
export type Device = {
  userAgent: string;
  sessionToken: string | null;
  /** '' when unknown. */
  clientIp: string;
  /** The cookie with the accounts that signed in here before. */
  browserCookie: string | null;
};

type CodeSignIn = {
  visit: Visit;
  signInToken: string;
  /** For the cookie of a first-party window. A frame is on another site and keeps no session. */
  sessionToken: string | null;
  /** For the cookie of a known browser, which a frame keeps too. */
  browserCookie: string;
};

/**
 * Signs in with an e-mailed code. The token lets the widget obtain a key for its app. 'other_account' if this window
 * knows another user: a typing error in the address must not pay into a second account. The code then stays valid, and
 * nothing is said of the other account, because a key in the wrong hands must not reveal its owner.
 */
export async function signInWithCode(
  visit: Visit,
  entry: CodeEntry,
  device: Device,
): Promise<CodeSignIn | 'other_account'> {
  const { id: visitId, partnerId, origin } = visit;
  const { userAgent, clientIp } = device;
  const { changesAccount = false, language = null, ...attempt } = entry;
  await requireEnabledPartner(visit);
  const { browserCookie: known } = device;
  const { email } = await verifyLoginCode({
    ...attempt,
    clientIp,
    browserCookie: known,
    partnerId,
    visitId,
    origin,
  });
  const deviceSession = await findDeviceSession(visit, device);
  const browserCookie = rememberBrowser(known, email);
  return inTransaction(async (tx) => {
    const current = await lockSignedIn(tx, visitId);
    if (!changesAccount && current !== null && !(await isEmailOf(tx, current.userId, email)))
      return 'other_account';
    if (!(await consumeChallenge(tx, entry.challengeId))) throw invalidCode();
    const { id: userId } = await openUser(tx, email, language);
    await openVisitor(tx, visit, userId);
    const browserIds = readBrowserIds(browserCookie);
    await noteSignIn(tx, { userId, clientIp, browserIds });
    const { sessionId, token } = await openDeviceSession(tx, { userId, userAgent, current: deviceSession });
    const signedIn = await tx.checkoutVisit.update({ where: { id: visitId }, data: { userId, sessionId } });
    return {
      visit: signedIn,
      signInToken: await issueVisitToken(tx, visit, { userId, sessionId }),
      sessionToken: isFirstParty(visit) ? token : null,
      browserCookie,
    };
  });
}

/** The user that a window knows. No other call changes it until the transaction ends. */
async function lockSignedIn(tx: Tx, visitId: string): Promise<SignedIn | null> {
  await tx.$queryRaw`SELECT 1 FROM checkout_visit WHERE id = ${visitId} FOR UPDATE`;
  return findSignedIn(await tx.checkoutVisit.findUniqueOrThrow({ where: { id: visitId } }), tx);
}

async function isEmailOf(tx: Tx, userId: string, email: string): Promise<boolean> {
  return (await tx.user.count({ where: { id: userId, email } })) === 1;
}

/**
 * Whether the window is a tab or popup of its own. The page of the visit decides it when it opens, and no page
 * can frame any other visit than an embedded one: its `frame-ancestors` is 'none' (proxy.ts).
 */
export const isFirstParty = ({ display }: Visit): boolean => display !== 'embedded';

async function findDeviceSession(visit: Visit, { sessionToken }: Device): Promise<LiveSession | null> {
  return sessionToken !== null && isFirstParty(visit) ? findSession(sessionToken) : null;
}

/**
 * Recognises a user who is already signed in to the service, in a first-party window of a registered website.
 * A scheme wildcard allows every app on the device, and a localhost origin any program there, so these need a
 * click of the user first.
 */
export async function recogniseOnOpen(visit: Visit, device: Device): Promise<void> {
  const { partnerId, origin } = visit;
  if (!isWebsite(origin)) return;
  const isRegistered = (await prisma().partnerOrigin.count({ where: { partnerId, origin } })) > 0;
  if (isRegistered) await recogniseDevice(visit, device);
}

/** The masked e-mail address of the user that a click would recognise, or null. */
export async function findDeviceEmail(visit: Visit, device: Device): Promise<string | null> {
  if (visit.sessionId !== null) return null;
  const [session, current] = await Promise.all([findDeviceSession(visit, device), findSignedIn(visit)]);
  return session !== null && isSameUser(current, session) ? maskEmail(session.email) : null;
}

const isSameUser = (current: SignedIn | null, { userId }: { userId: string }): boolean =>
  current === null || current.userId === userId;

/** Not in place of another user that the window knows. */
async function recogniseDevice(visit: Visit, device: Device): Promise<Visit> {
  const session = await findDeviceSession(visit, device);
  return session === null ? visit : ((await signInSession(visit, session, false)) ?? visit);
}

/** Null if the window knows another user, whom only a code or a clear wish replaces. */
async function signInSession(
  visit: Visit,
  { userId, sessionId }: { userId: string; sessionId: string },
  changesAccount: boolean,
): Promise<Visit | null> {
  return inTransaction(async (tx) => {
    const current = await lockSignedIn(tx, visit.id);
    if (!changesAccount && !isSameUser(current, { userId })) return null;
    await openVisitor(tx, visit, userId);
    return tx.checkoutVisit.update({ where: { id: visit.id }, data: { userId, sessionId } });
  });
}

/**
 * Issues another token for the user signed in at this window or, after a click, for the user signed
 * in on this device. Tokens expire after a minute.
 */
export async function issueAnotherToken(visit: Visit, device: Device): Promise<{ signInToken: string }> {
  return issueToken(visit.sessionId === null ? await recogniseDevice(visit, device) : visit);
}

/** Signs in the user of a window that this one opened. */
export async function acceptHandOver(
  visit: Visit,
  { token, changesAccount }: { token: string; changesAccount: boolean },
): Promise<{ signInToken: string } | { otherAccount: string }> {
  await requireEnabledPartner(visit);
  const session = await readHandOver(visit.id, token);
  const signedIn = await signInSession(visit, session, changesAccount);
  return signedIn === null ? { otherAccount: session.email } : issueToken(signedIn);
}

async function issueToken(visit: Visit): Promise<{ signInToken: string }> {
  const { userId, sessionId } = await requireOwnSignIn(visit);
  await requireEnabledPartner(visit);
  return { signInToken: await inTransaction((tx) => issueVisitToken(tx, visit, { userId, sessionId })) };
}

function issueVisitToken(tx: Tx, visit: Visit, who: { userId: string; sessionId: string }): Promise<string> {
  return issueSignInToken(tx, {
    ...who,
    partnerId: visit.partnerId,
    origin: visit.origin,
    challenge: visit.challenge,
  });
}

/**
 * Recognises a user by the key that the app holds. Keeps a sign-in that the user made in this window, and one of the same
 * user. Another user who was recognised when the window opened gives way: the app would go on with the key, and what is
 * bought would not be in it.
 */
export async function recogniseByKey(visit: Visit, userKey: string, clientIp: string): Promise<Visit> {
  const { userId, partnerId, keyId } = await authenticate(userKey, visit.origin, clientIp);
  if (partnerId !== visit.partnerId) throw invalidUserKey();
  return inTransaction(async (tx) => {
    const current = await lockSignedIn(tx, visit.id);
    await openVisitor(tx, visit, userId);
    const isKept = current?.by === 'session' && (current.userId === userId || wasMadeIn(visit, current));
    const known = { userId, keyId, sessionId: null };
    if (!isKept) await tx.checkoutVisit.update({ where: { id: visit.id }, data: known });
    return tx.checkoutVisit.findUniqueOrThrow({ where: { id: visit.id } });
  });
}

const wasMadeIn = (visit: Visit, { confirmedAt }: Pick<Present, 'confirmedAt'>): boolean =>
  confirmedAt >= visit.createdAt;

/** Only looks up text that is valid in a header. The page that opened the window holds the key. */
function authenticate(userKey: string, origin: string, clientIp: string): Promise<Caller> {
  if (!/^\w+$/.test(userKey)) throw invalidUserKey();
  const headers = { authorization: `Bearer ${userKey}`, origin, [CLIENT_IP_HEADER]: clientIp };
  return requireOrdinaryKey(new Request(checkoutOrigin(), { headers }));
}

async function openVisitor(tx: Tx, { partnerId, metadata }: Visit, userId: string): Promise<void> {
  await openAppUser(tx, {
    userId,
    partnerId,
    ...(metadata !== null && { metadata: metadataSchema.parse(metadata) }),
  });
}

/**
 * Ends the app's access on this device: logs out the device that signed in here and revokes the key
 * that the page held. With only a key, just that key is revoked: the device has keys of other apps.
 */
export async function signOut(visit: Visit): Promise<Visit> {
  return inTransaction(async (tx) => {
    if (visit.sessionId !== null) await revokeSession(tx, visit.sessionId);
    if (visit.keyId !== null && (await isKeyOf(tx, visit.keyId, visit.userId)))
      await revokeUserKey(tx, { keyId: visit.keyId, reason: 'session_revoked' });
    return tx.checkoutVisit.update({
      where: { id: visit.id },
      data: { userId: null, sessionId: null, keyId: null },
    });
  });
}

/** Another user may have signed in since the page sent its key. */
async function isKeyOf(tx: Tx, keyId: string, userId: string | null): Promise<boolean> {
  return userId !== null && (await tx.userKey.count({ where: { id: keyId, userId } })) === 1;
}
