import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server';
import type { Passkey } from '../../prisma/client/client';
import { inTransaction, prisma } from '../base/db';
import { ApiError } from '../base/errors';
import { noteSignIn } from '../base/traces';
import { readBrowserIds, rememberBrowser } from './known-browser';
import { requireRoomForAttempt } from './login-limits';
import {
  type ChallengePurpose,
  consumePasskeyChallenge,
  newPasskeyChallenge,
  relyingParty,
  requireOwnChallenge,
} from './passkey-challenges';
import { lockUser, recordUse } from './passkeys';
import { findSession, type LiveSession } from './sessions';
import { openDeviceSession } from './sign-in-to-service';

/**
 * Sign-in to the service's own pages with a passkey, and confirmation of a signed-in user's identity. The
 * passkey itself identifies the account, so no response depends on an e-mail address.
 */

/** What the browser needs to use a passkey: any of this site, or one of the signed-in user. */
export async function askForPasskey(
  current: LiveSession | null,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const allowed =
    current === null ? [] : await prisma().passkey.findMany({ where: { userId: current.userId } });
  return generateAuthenticationOptions({
    rpID: relyingParty().id,
    challenge: newPasskeyChallenge(purposeOf(current)),
    userVerification: 'required',
    allowCredentials: allowed.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
  });
}

export type PasskeySignIn = {
  response: AuthenticationResponseJSON;
  userAgent: string;
  /** '' when unknown. */
  clientIp: string;
  /** The session token that the browser sent. */
  currentToken: string | null;
  browserCookie?: string | null;
};

/** Opens a session, or renews the one of a user who is signed in. */
export async function signInWithPasskey(
  entry: PasskeySignIn,
): Promise<{ token: string; browserCookie: string }> {
  const { response, userAgent, currentToken } = entry;
  await requireRoomForAttempt({ partnerId: null, clientIp: entry.clientIp, knownBrowser: null });
  const current = currentToken === null ? null : await findSession(currentToken);
  const challenge = requireOwnChallenge(purposeOf(current), response.response.clientDataJSON);
  const passkey = await prisma().passkey.findUnique({ where: { credentialId: response.id } });
  if (passkey === null) throw unknownPasskey();
  const counter = await verifySignature(passkey, challenge, response);
  const { id, userId } = passkey;
  if (current !== null && current.userId !== userId)
    throw new ApiError('invalid_request', 'This passkey belongs to another account.');
  return inTransaction(async (tx) => {
    await consumePasskeyChallenge(tx, challenge);
    const user = await lockUser(tx, userId);
    if (user === null || !(await recordUse(tx, { id, counter }))) throw unknownPasskey();
    const { token } = await openDeviceSession(tx, { userId, userAgent, current, confirmedBy: 'passkey' });
    const browserCookie = rememberBrowser(entry.browserCookie, user.email);
    await noteSignIn(tx, {
      userId,
      clientIp: entry.clientIp,
      browserIds: readBrowserIds(browserCookie),
    });
    return { token, browserCookie };
  });
}

/** Returns the authenticator's counter. */
async function verifySignature(
  passkey: Passkey,
  challenge: string,
  response: AuthenticationResponseJSON,
): Promise<number> {
  const { userHandle } = response.response;
  if (userHandle !== undefined && userHandle !== passkey.userHandle) throw unknownPasskey();
  const { id, origin } = relyingParty();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(passkey.publicKey),
      counter: Number(passkey.counter),
    },
  }).catch((cause: unknown) => {
    throw unknownPasskey(cause);
  });
  if (!verified) throw unknownPasskey();
  return authenticationInfo.newCounter;
}

const purposeOf = (current: LiveSession | null): ChallengePurpose => ({
  act: 'sign in',
  sessionId: current?.sessionId ?? null,
});

/** The same for a passkey that was removed, one that never existed, and a wrong signature. */
const unknownPasskey = (cause?: unknown): ApiError =>
  new ApiError('invalid_request', 'This passkey is not known here. Sign in with a code instead.', { cause });
