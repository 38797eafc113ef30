import { randomBytes } from 'node:crypto';
import { decodeClientDataJSON } from '@simplewebauthn/server/helpers';
import { MINUTE_MS, now } from '../base/clock';
import type { Tx } from '../base/db';
import { settings } from '../base/env';
import { ApiError } from '../base/errors';
import { sameBytes } from '../base/ids';
import { isKeyedHash, keyedHash } from '../base/keyed-hash';

/**
 * What a passkey signs: a challenge, valid for five minutes, one use and one purpose. Challenges carry
 * their own signature instead of being stored, so asking for one writes nothing. Only a challenge that a
 * passkey has signed is recorded.
 */

const LIFETIME_MS = 5 * MINUTE_MS;
const SIGNED_AS = 'passkey-challenge';
const RANDOM_BYTES = 16;
const EXPIRY_BYTES = 8;
const BODY_BYTES = EXPIRY_BYTES + RANDOM_BYTES;

export type ChallengePurpose = {
  act: 'add' | 'sign in';
  /** The live session of the browser that asked; null when it is signed out. */
  sessionId: string | null;
};

export function newPasskeyChallenge(purpose: ChallengePurpose): Buffer<ArrayBuffer> {
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeBigUInt64BE(BigInt(now() + LIFETIME_MS));
  const body = Buffer.concat([expiry, randomBytes(RANDOM_BYTES)]);
  return Buffer.concat([body, keyedHash(SIGNED_AS, contentOf(purpose, body))]);
}

/** Returns the challenge in a browser's response. Throws if it has expired or was not issued for this purpose. */
export function requireOwnChallenge(purpose: ChallengePurpose, clientDataJSON: string): string {
  const challenge = readChallenge(clientDataJSON);
  const bytes = Buffer.from(challenge, 'base64url');
  const body = bytes.subarray(0, BODY_BYTES);
  if (body.length < BODY_BYTES || !isOurs(purpose, body, bytes.subarray(BODY_BYTES))) throw challengeOver();
  if (expiryOf(bytes) <= now()) throw challengeOver();
  return challenge;
}

function readChallenge(clientDataJSON: string): string {
  try {
    return String(decodeClientDataJSON(clientDataJSON).challenge);
  } catch {
    throw challengeOver();
  }
}

/** Uses up a challenge that passed `requireOwnChallenge`. Throws when it was used before. */
export async function consumePasskeyChallenge(tx: Tx, challenge: string): Promise<void> {
  // Decoded and encoded again: base64url has several spellings of the same bytes.
  const bytes = Buffer.from(challenge, 'base64url');
  const { count } = await tx.usedPasskeyChallenge.createMany({
    data: [{ challenge: bytes.toString('base64url'), expiresAt: new Date(expiryOf(bytes)) }],
    skipDuplicates: true,
  });
  if (count === 0) throw challengeOver();
}

/** The site that a passkey is for. Browsers refuse to use it on any other. */
export function relyingParty(): { id: string; origin: string; name: string } {
  const { hostname, origin } = new URL(settings().BASE_URL);
  return { id: hostname, origin, name: settings().BRAND_NAME };
}

const challengeOver = (): ApiError =>
  new ApiError('invalid_request', 'This request has expired or was already used. Please try again.');

const expiryOf = (bytes: Buffer): number => Number(bytes.readBigUInt64BE());

/** The account's name in an authenticator depends on the secret, so a passkey is added under the one it was begun with. */
function isOurs(purpose: ChallengePurpose, body: Buffer, signature: Buffer): boolean {
  const content = contentOf(purpose, body);
  return purpose.act === 'add'
    ? sameBytes(signature, keyedHash(SIGNED_AS, content))
    : isKeyedHash(signature, SIGNED_AS, content);
}

const contentOf = ({ act, sessionId }: ChallengePurpose, body: Buffer): string =>
  `${act}\n${sessionId ?? ''}\n${body.toString('base64url')}`;
