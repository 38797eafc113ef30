import type { Partner } from '../../prisma/client/client';
import { now, nowDate, SECOND_MS } from '../base/clock';
import { inTransaction, type Tx } from '../base/db';
import { ApiError } from '../base/errors';
import { randomBase62, sameBytes, sha256 } from '../base/ids';
import { findPartnerByKey } from '../partners/partner';
import { originOfRedirect, parseRedirect } from '../partners/redirect-rules';
import { openAppUser } from './app-users';
import { findKeyOfDevice } from './keys/held-key';
import { type MintedKey, mintUserKey } from './keys/mint';
import { revokeUserKey } from './keys/revoke';
import type { Metadata } from './metadata';
import { lockLiveSession } from './sessions';
import { describeSignIn, type SignedIn } from './signed-in';

/**
 * One-minute tokens that our first-party window sends to an app. The app exchanges them for a user key, so
 * that no key passes between windows. A token is bound to the partner, the origin and the S256 challenge of
 * the app.
 */

const PREFIX = 'svc_st_';
/** 256 random bits in base62. */
const RANDOM_CHARACTERS = 43;
const LIFETIME_MS = 60 * SECOND_MS;

export type TokenGrant = {
  userId: string;
  partnerId: string;
  sessionId: string;
  /** The exact origin that may exchange the token, as the browser writes it, or `myapp://*`. */
  origin: string;
  /** The registered address that the token is sent to. It has to be registered still at the exchange. */
  redirectUri?: string;
  /** base64url of the SHA-256 of the app's verifier. */
  challenge: string;
};

export async function issueSignInToken(tx: Tx, grant: TokenGrant): Promise<string> {
  const token = PREFIX + randomBase62(RANDOM_CHARACTERS);
  const { userId, partnerId, sessionId, origin, redirectUri, challenge } = grant;
  await tx.signInToken.create({
    data: {
      tokenHash: hashOf(token),
      userId,
      partnerId,
      sessionId,
      origin,
      redirectUri: redirectUri ?? null,
      challenge,
      expiresAt: new Date(now() + LIFETIME_MS),
    },
  });
  return token;
}

export type TokenExchange = {
  publishableKey: string;
  token: string;
  codeVerifier: string;
  /** The address that the token was sent to, if the app repeats it. */
  redirectUri?: string | undefined;
  /** The `Origin` header; null when the request did not come from a web page. */
  origin: string | null;
  metadata?: Metadata | undefined;
  /** A key that the app already holds. */
  heldKey?: string | null;
};

/** Every failed exchange gets the same error. */
export async function exchangeSignInToken(exchange: TokenExchange): Promise<SignedIn> {
  const partner = await findPartnerByKey(exchange.publishableKey);
  const exchanged = await inTransaction((tx) => exchangeOnce(tx, partner, exchange));
  if (exchanged === null) throw invalidGrant();
  return describeSignIn(exchanged.key, exchanged.token.userId, exchanged.token.partnerId);
}

export type SignInGrant = { userId: string; partnerId: string };

/**
 * Returns the user a token was issued for, without using the token up. A used token is still accepted, so
 * that a repeated request gets the response of the first one. Null if an exchange would fail for another
 * reason.
 */
export async function readSignInGrant(exchange: TokenExchange): Promise<SignInGrant | null> {
  const partner = await findPartnerByKey(exchange.publishableKey);
  return inTransaction(async (tx) => {
    const token = await lockToken(tx, exchange.token);
    if (token === null || !matchesChallenge(token.challenge, exchange.codeVerifier)) return null;
    if (token.partnerId !== partner?.id) return null;
    const { userId, partnerId, sessionId, usedAt } = token;
    const isGood = isValidFor(token, partner, exchange) && (await lockLiveSession(tx, sessionId)) !== null;
    return isGood || usedAt !== null ? { userId, partnerId } : null;
  });
}

export function invalidGrant(what = 'sign-in token'): ApiError {
  return new ApiError('invalid_grant', `The ${what} is invalid. Please sign in again.`);
}

type Exchanged = { token: LockedToken; key: MintedKey };

/** Null means refused. Returned rather than thrown, because refusing a second use has to be committed. */
async function exchangeOnce(
  tx: Tx,
  partner: Partner | null,
  exchange: TokenExchange,
): Promise<Exchanged | null> {
  const token = await lockToken(tx, exchange.token);
  if (token === null || !matchesChallenge(token.challenge, exchange.codeVerifier)) return null;
  if (token.usedAt !== null) {
    // A second exchange means that token and verifier leaked, so the key of the first exchange may be
    // compromised.
    if (token.mintedKeyId !== null)
      await revokeUserKey(tx, { keyId: token.mintedKeyId, reason: 'session_revoked' });
    return null;
  }
  if (!isValidFor(token, partner, exchange)) return null;
  const session = await lockLiveSession(tx, token.sessionId);
  if (session === null) return null;

  const { userId, partnerId, sessionId } = token;
  await openAppUser(tx, { userId, partnerId, metadata: exchange.metadata });
  // A window opened every day must not mint a key every day: after ten keys, other devices would lose theirs.
  const held = await findKeyOfDevice(tx, exchange.heldKey ?? null, { userId, partnerId, sessionId });
  const key = held ?? (await mintUserKey(tx, { userId, partnerId, session }));
  await tx.signInToken.update({
    where: { tokenHash: hashOf(exchange.token) },
    data: { usedAt: nowDate(), mintedKeyId: held ? null : key.keyId },
  });
  return { token, key };
}

type LockedToken = {
  userId: string;
  partnerId: string;
  sessionId: string;
  origin: string;
  redirectUri: string | null;
  /** False once the partner removed the address that the token was sent to. */
  isRegistered: boolean;
  challenge: string;
  expiresAt: Date;
  usedAt: Date | null;
  mintedKeyId: string | null;
};

/** Serialises exchanges of the same token. */
async function lockToken(tx: Tx, token: string): Promise<LockedToken | null> {
  const [row] = await tx.$queryRaw<LockedToken[]>`
    SELECT user_id AS "userId", partner_id AS "partnerId", session_id AS "sessionId", origin, challenge,
           redirect_uri AS "redirectUri",
           expires_at AS "expiresAt", used_at AS "usedAt", minted_key_id AS "mintedKeyId",
           redirect_uri IS NULL OR EXISTS (
             SELECT FROM partner_redirect r WHERE r.partner_id = t.partner_id AND r.uri = t.redirect_uri
           ) AS "isRegistered"
    FROM sign_in_token t WHERE token_hash = ${hashOf(token)} FOR UPDATE`;
  return row ?? null;
}

/**
 * Whether the caller may exchange the token. A page must have the exact origin. The server of an app sends
 * none and proves itself with the verifier.
 */
function isValidFor(
  token: LockedToken,
  partner: Partner | null,
  { origin, redirectUri }: TokenExchange,
): boolean {
  return (
    partner !== null &&
    partner.id === token.partnerId &&
    partner.disabledAt === null &&
    token.expiresAt.getTime() > now() &&
    token.isRegistered &&
    (redirectUri === undefined || wasSentTo(token, redirectUri)) &&
    (origin === null || matchesOrigin(token.origin, origin))
  );
}

/** The port of a loopback address is in the origin only. */
function wasSentTo({ redirectUri, origin }: LockedToken, address: string): boolean {
  const parsed = parseRedirect(address);
  return parsed.ok && parsed.uri === redirectUri && originOfRedirect(parsed.url) === origin;
}

/** A token for an app with a custom scheme is valid on all of that app's pages. */
function matchesOrigin(expected: string, origin: string): boolean {
  return expected.endsWith('://*') ? origin.startsWith(expected.slice(0, -1)) : origin === expected;
}

function matchesChallenge(challenge: string, verifier: string): boolean {
  return sameBytes(Buffer.from(challenge), Buffer.from(sha256(verifier).toString('base64url')));
}

const hashOf = (token: string): Uint8Array<ArrayBuffer> => new Uint8Array(sha256(token));
