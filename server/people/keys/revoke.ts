import { nowDate } from '../../base/clock';
import { inTransaction, prisma, type Tx } from '../../base/db';
import type { RevokeReason } from '../../partners/webhooks/events';
import { recordEvent } from '../../partners/webhooks/record';
import type { Metadata } from '../metadata';

type RevokedKey = {
  user_id: string;
  partner_id: string;
  app_user_id: string;
  lineage: string[];
  metadata: Metadata | null;
};

/**
 * Revokes a key with all run keys below it, and notifies the partner of an ordinary one. False when it was no longer live.
 * A run key ends with it: it is forgotten as early as one that expired.
 */
export async function revokeUserKey(
  tx: Tx,
  { keyId, reason }: { keyId: string; reason: RevokeReason },
): Promise<boolean> {
  // A mint below it holds a lock until the new key can be seen.
  await tx.$executeRaw`SELECT FROM user_key WHERE id = ${keyId} FOR UPDATE`;
  const [key] = await tx.$queryRaw<RevokedKey[]>`
    UPDATE user_key k SET revoked_at = ${nowDate()}, revoke_reason = ${reason},
      expires_at = CASE WHEN k.lineage <> '{}' THEN least(k.expires_at, ${nowDate()}) END
    FROM user_app u
    WHERE k.id = ${keyId} AND k.revoked_at IS NULL AND u.user_id = k.user_id AND u.partner_id = k.partner_id
    RETURNING k.user_id, k.partner_id, u.app_user_id, k.lineage, u.metadata`;
  if (key === undefined) return false;
  await revokeBelow(tx, { keyId, reason, ...key });
  if (key.lineage.length > 0) return true;
  await recordEvent(tx, {
    partnerId: key.partner_id,
    type: 'user_key.revoked',
    causeId: keyId,
    data: { key_id: keyId, user_id: key.app_user_id, reason, metadata: key.metadata ?? {} },
  });
  return true;
}

/** Locks ancestors before their descendants, as every revocation does. */
async function revokeBelow(
  tx: Tx,
  { keyId, reason, user_id, partner_id }: RevokedKey & { keyId: string; reason: RevokeReason },
): Promise<void> {
  await tx.$executeRaw`
    WITH below AS MATERIALIZED (
      SELECT id FROM user_key
      WHERE user_id = ${user_id} AND partner_id = ${partner_id} AND revoked_at IS NULL AND lineage @> ARRAY[${keyId}]
      ORDER BY lineage FOR UPDATE)
    UPDATE user_key k SET revoked_at = ${nowDate()}, revoke_reason = ${reason}, expires_at = least(k.expires_at, ${nowDate()})
    FROM below b WHERE k.id = b.id`;
}

/** Revokes a key on its owner's behalf. False when the user has no such live key. */
export async function revokeKey(userId: string, keyId: string): Promise<boolean> {
  const key = await prisma().userKey.findFirst({ where: { id: keyId, userId } });
  return key !== null && inTransaction((tx) => revokeUserKey(tx, { keyId, reason: 'user_revoked' }));
}

/** Revokes all of the user's keys, in all apps or in one. */
export async function revokeKeysOfUser(tx: Tx, userId: string, partnerId?: string): Promise<void> {
  const keys = await tx.userKey.findMany({
    where: {
      userId,
      revokedAt: null,
      lineage: { isEmpty: true },
      ...(partnerId !== undefined && { partnerId }),
    },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  for (const { id } of keys) await revokeUserKey(tx, { keyId: id, reason: 'user_revoked' });
}

/** Logs a device out: ends its session and revokes every key it minted, in all apps. */
export async function revokeSession(tx: Tx, sessionId: string): Promise<void> {
  // The session ends first: a mint in progress on this device either finishes before or finds it ended.
  await tx.session.updateMany({ where: { id: sessionId, revokedAt: null }, data: { revokedAt: nowDate() } });
  const keys = await tx.userKey.findMany({
    where: { sessionId, revokedAt: null },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  for (const { id } of keys) await revokeUserKey(tx, { keyId: id, reason: 'session_revoked' });
}
