import { SECOND_MS } from '../base/clock';
import { inTransaction, prisma } from '../base/db';
import { ApiError } from '../base/errors';
import { countAttempt } from '../base/rate-limit/attempts';
import { findUserKeyHashes } from '../base/tokens';
import { recordNotice } from './keys/notices';
import { revokeUserKey } from './keys/revoke';

/** Revokes keys that were found in public, or that someone other than the owner holds. */

/** A secret that a scanner found. `url` is where; it may be empty. */
export type LeakReport = { token: string; url: string };

const MAX_TOKEN_CHARACTERS = 200;

/** Revokes every live user key among them and notifies its owner. Returns for each whether it is one of ours. */
export async function revokeLeakedKeys(reports: LeakReport[]): Promise<boolean[]> {
  const hashes = reports.map(({ token }) =>
    token.length > MAX_TOKEN_CHARACTERS ? [] : findUserKeyHashes(token).map((hash) => new Uint8Array(hash)),
  );
  const found = await prisma().userKey.findMany({
    where: { hash: { in: hashes.flat() } },
    select: { id: true, hash: true, revokedAt: true },
  });
  const keyOf = new Map(found.map((key) => [nameOf(key.hash), key]));
  const keys = hashes.map((each) => each.map((hash) => keyOf.get(nameOf(hash))).find(Boolean));
  for (const [n, key] of keys.entries()) {
    if (key?.revokedAt === null) await revokeLeakedKey(key.id, readHost(reports[n]?.url ?? ''));
  }
  return keys.map((key) => key !== undefined);
}

const nameOf = (hash: Uint8Array): string => Buffer.from(hash).toString('base64');

function revokeLeakedKey(keyId: string, where: string): Promise<void> {
  return inTransaction(async (tx) => {
    const isRevoked = await revokeUserKey(tx, { keyId, reason: 'leaked' });
    if (isRevoked) await recordNotice(tx, keyId, { kind: 'leaked', where });
  });
}

/** The host only: an address may contain names of people, and is text that anyone can write. */
function readHost(url: string): string {
  return /^https?:/.test(url) && URL.canParse(url) ? new URL(url).hostname : '';
}

/** Anyone who holds a key may revoke it, wherever it is restricted to. Null when it is not a live key. */
export async function revokeHeldKey(keyHashes: Buffer[]): Promise<string | null> {
  const key = await prisma().userKey.findFirst({
    where: { hash: { in: keyHashes.map((hash) => new Uint8Array(hash)) }, revokedAt: null },
    select: { id: true },
  });
  if (key === null) return null;
  const isRevoked = await inTransaction((tx) =>
    revokeUserKey(tx, { keyId: key.id, reason: 'holder_revoked' }),
  );
  return isRevoked ? key.id : null;
}

/** Per client IP. Neither endpoint has another credential that could be counted. */
const REVOCATIONS_PER_MINUTE = 60;
const REPORTS_PER_MINUTE = 600;

export const requireRoomForRevocation = (clientIp: string): Promise<void> =>
  requireRoom('key-revocation', clientIp, REVOCATIONS_PER_MINUTE);

export const requireRoomForReport = (clientIp: string): Promise<void> =>
  requireRoom('leak-report', clientIp, REPORTS_PER_MINUTE);

async function requireRoom(what: string, clientIp: string, perMinute: number): Promise<void> {
  const waitMs = await countAttempt(what, clientIp, perMinute);
  if (waitMs > 0)
    throw new ApiError('rate_limited', 'Too many requests. Slow down and retry.', {
      retryAfterSeconds: Math.ceil(waitMs / SECOND_MS),
    });
}
