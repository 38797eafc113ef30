import type { Tx } from '../../base/db';
import { invariant } from '../../base/errors';
import { findUserKeyHashes } from '../../base/tokens';
import type { MintedKey } from './mint';

type Device = { userId: string; partnerId: string; sessionId: string };

/** The presented key, if it is live and belongs to this device. Any other key is ignored. */
export async function findKeyOfDevice(
  tx: Tx,
  userKey: string | null,
  { userId, partnerId, sessionId }: Device,
): Promise<MintedKey | null> {
  if (userKey === null) return null;
  const hashes = findUserKeyHashes(userKey).map((hash) => new Uint8Array(hash));
  const key = await tx.userKey.findFirst({
    where: { hash: { in: hashes }, userId, partnerId, sessionId, revokedAt: null },
    select: { id: true },
  });
  if (key === null) return null;
  const { appUserId } = await tx.userApp.findUniqueOrThrow({
    where: { userId_partnerId: { userId, partnerId } },
    select: { appUserId: true },
  });
  invariant(appUserId, 'the owner of a key is a user of its app');
  return { userKey, keyId: key.id, appUserId };
}
