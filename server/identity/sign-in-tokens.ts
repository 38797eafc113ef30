import type { Partner } from '../../prisma/client/client';
import { now, nowDate, SECOND_MS } from '../clock';
import { inTransaction, type Tx } from '../db';
import { ApiError } from '../errors';
import { randomBase62, sameBytes, sha256 } from '../ids';
import { findKeyOfDevice } from '../keys/held-key';
import { type MintedKey, mintUserKey } from '../keys/mint';
import { revokeUserKey } from '../keys/revoke';
import { findPartnerByKey } from '../partners/partner';
import { openAppUser } from './app-users';
import type { Metadata } from './metadata';
import { lockLiveSession } from './sessions';
import { describeSignIn, type SignedIn } from './signed-in';

/**
 * One-minute tokens that our first-party window hands to an app and the app exchanges for a user
 * key, so that no key crosses a window. Bound to partner, origin and the app's S256 challenge.
 */

const PREFIX = 'svc_st_';
/** 256 random bits in base62. */
const RANDOM_CHARACTERS = 43;
const LIFETIME_MS = 60 * SECOND_MS;

export type TokenGrant = {
  userId: string;
  partnerId: string;
  sessionId: string;
  /** The exact origin, as the browser writes it, that may exchange the token; or `myapp://*`. */
  origin: string;
  /** base64url of the SHA-256 of the app's verifier. */
  challenge: string;
};

export async function issueSignInToken(tx: Tx, grant: TokenGrant): Promise<string> {
  const token = PREFIX + randomBase62(RANDOM_CHARACTERS);
  const { userId, partnerId, sessionId, origin, challenge } = grant;
  await tx.signInToken.create({
    data: {
      tokenHash: hashOf(token),
      userId,
      partnerId,
      sessionId,
      origin,
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
  /** The `Origin` header; null when no browser page sent the request. */
  origin: string | null;
  metadata?: Metadata | undefined;
  /** A key that the app holds already. */
  heldKey?: string | null;
};

/** Whatever is wrong with an exchange, the answer is one and the same. */
export async function exchangeSignInToken(exchange: TokenExchange): Promise<SignedIn> {
  const partner = await findPartnerByKey(exchange.publishableKey);
  const exchanged = await inTransaction((tx) => exchangeOnce(tx, partner, exchange));
  if (exchanged === null) throw invalidGrant();
  return describeSignIn(exchanged.key, exchanged.token.userId, exchanged.token.partnerId);
}

export type SignInGrant = { userId: string; partnerId: string };

/**
 * Whom a token speaks for, without using it up. One that was used still tells, so that a repeated
 * request can be answered as the first one was; one that an exchange would refuse otherwise is null.
 */
export async function readSignInGrant(exchange: TokenExchange): Promise<SignInGrant | null> {
  const partner = await findPartnerByKey(exchange.publishableKey);
  return inTransaction(async (tx) => {
    const token = await lockToken(tx, exchange.token);
    if (token === null || !matchesChallenge(token.challenge, exchange.codeVerifier)) return null;
    if (token.partnerId !== partner?.id) return null;
    const { userId, partnerId, sessionId, usedAt } = token;
    const isGood =
      isGoodFor(token, partner, exchange.origin) && (await lockLiveSession(tx, sessionId)) !== null;
    return isGood || usedAt !== null ? { userId, partnerId } : null;
  });
}

export function invalidGrant(): ApiError {
  return new ApiError('invalid_grant', 'This sign-in token is not valid. Please sign in again.');
}

type Exchanged = { token: LockedToken; key: MintedKey };

/** Null refuses; it is returned, not thrown, because the refusal of a second use must be written. */
async function exchangeOnce(
  tx: Tx,
  partner: Partner | null,
  exchange: TokenExchange,
): Promise<Exchanged | null> {
  const token = await lockToken(tx, exchange.token);
  if (token === null || !matchesChallenge(token.challenge, exchange.codeVerifier)) return null;
  if (token.usedAt !== null) {
    // Somebody holds token and verifier a second time: what the first one got is not safe either.
    if (token.mintedKeyId !== null)
      await revokeUserKey(tx, { keyId: token.mintedKeyId, reason: 'session_revoked' });
    return null;
  }
  if (!isGoodFor(token, partner, exchange.origin)) return null;
  const session = await lockLiveSession(tx, token.sessionId);
  if (session === null) return null;

  const { userId, partnerId, sessionId } = token;
  await openAppUser(tx, { userId, partnerId, metadata: exchange.metadata });
  // A window that is opened every day must not mint every day: ten keys, and other devices lose theirs.
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
  challenge: string;
  expiresAt: Date;
  usedAt: Date | null;
  mintedKeyId: string | null;
};

/** Exchanges of one token wait for each other. */
async function lockToken(tx: Tx, token: string): Promise<LockedToken | null> {
  const [row] = await tx.$queryRaw<LockedToken[]>`
    SELECT user_id AS "userId", partner_id AS "partnerId", session_id AS "sessionId", origin, challenge,
           expires_at AS "expiresAt", used_at AS "usedAt", minted_key_id AS "mintedKeyId"
    FROM sign_in_token WHERE token_hash = ${hashOf(token)} FOR UPDATE`;
  return row ?? null;
}

/** A page must be of the very origin; an app's own server sends none and proves itself by the verifier. */
function isGoodFor(token: LockedToken, partner: Partner | null, origin: string | null): boolean {
  return (
    partner !== null &&
    partner.id === token.partnerId &&
    partner.disabledAt === null &&
    token.expiresAt.getTime() > now() &&
    (origin === null || isOf(token.origin, origin))
  );
}

/** A token for an app behind a custom scheme is good on all of the app's own pages. */
function isOf(expected: string, origin: string): boolean {
  return expected.endsWith('://*') ? origin.startsWith(expected.slice(0, -1)) : origin === expected;
}

function matchesChallenge(challenge: string, verifier: string): boolean {
  return sameBytes(Buffer.from(challenge), Buffer.from(sha256(verifier).toString('base64url')));
}

const hashOf = (token: string): Uint8Array<ArrayBuffer> => new Uint8Array(sha256(token));
