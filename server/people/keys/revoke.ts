import { nowDate } from '../../base/clock';
import { inTransaction, prisma, type Tx } from '../../base/db';
import type { RevokeReason } from '../../partners/webhooks/events';
import { recordEvent } from '../../partners/webhooks/record';
import type { Metadata } from '../metadata';

type RevokedKey = { partner_id: string; app_user_id: string; metadata: Metadata | null };

/** Revokes a key and notifies its partner. False when it was no longer live. */
export async function revokeUserKey(
  tx: Tx,
  { keyId, reason }: { keyId: string; reason: RevokeReason },
): Promise<boolean> {
  const [key] = await tx.$queryRaw<RevokedKey[]>`
    UPDATE user_key k SET revoked_at = ${nowDate()}, revoke_reason = ${reason}
    FROM user_app u
    WHERE k.id = ${keyId} AND k.revoked_at IS NULL AND u.user_id = k.user_id AND u.partner_id = k.partner_id
    RETURNING k.partner_id, u.app_user_id, u.metadata`;
  if (key === undefined) return false;
  await recordEvent(tx, {
    partnerId: key.partner_id,
    type: 'user_key.revoked',
    causeId: keyId,
    data: { key_id: keyId, user_id: key.app_user_id, reason, metadata: key.metadata ?? {} },
  });
  return true;
}

/** Revokes a key on its owner's behalf. False when the user has no such live key. */
export async function revokeKey(userId: string, keyId: string): Promise<boolean> {
  const key = await prisma().userKey.findFirst({ where: { id: keyId, userId } });
  return key !== null && inTransaction((tx) => revokeUserKey(tx, { keyId, reason: 'user_revoked' }));
}

/** Revokes all of the user's keys, in all apps or in one. */
export async function revokeKeysOfUser(tx: Tx, userId: string, partnerId?: string): Promise<void> {
  const keys = await tx.userKey.findMany({
    where: { userId, revokedAt: null, ...(partnerId !== undefined && { partnerId }) },
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
