import { nowDate } from '../../base/clock';
import type { Tx } from '../../base/db';
import { invariant } from '../../base/errors';
import { newId } from '../../base/ids';
import { hashUserKey, newUserKey } from '../../base/tokens';
import { recordEvent } from '../../partners/webhooks/record';
import type { Metadata } from '../metadata';
import { revokeUserKey } from './revoke';

/** Per user and app. Run keys do not count. */
export const MAX_LIVE_KEYS = 10;

/**
 * A session that this transaction opened or locked. It stays signed in until the key exists. Created in
 * `server/people/sessions.ts`.
 */
export type LockedSession = { readonly sessionId: string; readonly locked: true };

export type KeyRequest = {
  userId: string;
  partnerId: string;
  /** The device that the key belongs to. Logging it out revokes the key. */
  session: LockedSession | null;
  metadata?: Metadata | undefined;
  /** Null for a key that works until it is revoked. */
  expiresAt?: Date | null;
};

export type MintedKey = {
  /** The key itself: sent once, stored only as a hash. */
  userKey: string;
  keyId: string;
  appUserId: string;
};

/**
 * Mints a key for a user of an app (call `openAppUser` first). If the user already has ten keys, the one idle
 * longest is revoked. Mints for the same user and app run one at a time.
 */
export async function mintUserKey(
  tx: Tx,
  { userId, partnerId, session, metadata, expiresAt = null }: KeyRequest,
): Promise<MintedKey> {
  const appUser = await lockAppUser(tx, userId, partnerId);
  if (metadata !== undefined) {
    await tx.userApp.update({ where: { userId_partnerId: { userId, partnerId } }, data: { metadata } });
  }
  await evictMostIdle(tx, userId, partnerId);

  const userKey = newUserKey();
  const hash = hashUserKey(userKey);
  invariant(hash, 'a new key has a valid checksum');
  const keyId = newId('key');
  await tx.userKey.create({
    data: {
      id: keyId,
      userId,
      partnerId,
      sessionId: session?.sessionId ?? null,
      hash: new Uint8Array(hash),
      last4: userKey.slice(-4),
      createdAt: nowDate(),
      expiresAt,
    },
  });
  await noteUsesExactly(tx, userId, partnerId);
  await recordEvent(tx, {
    partnerId,
    type: 'user_key.created',
    causeId: keyId,
    data: {
      user_key: userKey,
      key_id: keyId,
      user_id: appUser.id,
      metadata: metadata ?? appUser.metadata ?? {},
    },
  });
  return { userKey, keyId, appUserId: appUser.id };
}

/** Blocks other mints for this user and app until the end of the transaction. */
export async function lockAppUser(
  tx: Tx,
  userId: string,
  partnerId: string,
): Promise<{ id: string; metadata: Metadata | null }> {
  const [appUser] = await tx.$queryRaw<{ id: string; metadata: Metadata | null }[]>`
    SELECT app_user_id AS id, metadata FROM user_app WHERE user_id = ${userId} AND partner_id = ${partnerId} FOR UPDATE`;
  invariant(appUser, 'the user was opened for the app before a key is minted');
  return appUser;
}

/** Revokes the longest idle key if there is no room for another one. */
async function evictMostIdle(tx: Tx, userId: string, partnerId: string): Promise<void> {
  const surplus = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM user_key WHERE user_id = ${userId} AND partner_id = ${partnerId} AND revoked_at IS NULL AND lineage = '{}'
    ORDER BY coalesce(last_used_at, created_at) DESC, created_at DESC, id DESC OFFSET ${MAX_LIVE_KEYS - 1}`;
  for (const { id } of surplus) await revokeUserKey(tx, { keyId: id, reason: 'evicted' });
}

/** With one place left, the exact time of last use decides which key is revoked next. */
async function noteUsesExactly(tx: Tx, userId: string, partnerId: string): Promise<void> {
  const live = { userId, partnerId, revokedAt: null, lineage: { isEmpty: true } };
  if ((await tx.userKey.count({ where: live })) < MAX_LIVE_KEYS - 1) return;
  await tx.userKey.updateMany({ where: { ...live, exactUse: false }, data: { exactUse: true } });
}
