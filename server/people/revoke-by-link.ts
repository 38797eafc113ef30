import { inTransaction, prisma } from '../base/db';
import { invariant } from '../base/errors';
import { findPartner } from '../partners/partner';
import { nameInMails } from '../partners/rename';
import { revokeUserKey } from './keys/revoke';
import { readRevokeToken } from './keys/revoke-link';

/** The key that a mailed link revokes, as its page describes it. */
export type LinkedKey = {
  last4: string;
  isLive: boolean /** Null until approved. */;
  appName: string | null;
};

/** Changes nothing: mail scanners open every link. Null when the link is not ours or has expired. */
export async function findKeyOfLink(token: string): Promise<LinkedKey | null> {
  const id = readRevokeToken(token);
  const key = id === null ? null : await prisma().userKey.findUnique({ where: { id } });
  if (key === null) return null;
  const partner = await findPartner(key.partnerId);
  invariant(partner, 'partners are never deleted');
  return { last4: key.last4, isLive: key.revokedAt === null, appName: nameInMails(partner) };
}

/** False when the link is not ours or has expired. A key that was revoked before stays revoked. */
export async function revokeByLink(token: string): Promise<boolean> {
  const keyId = readRevokeToken(token);
  if (keyId === null) return false;
  await inTransaction((tx) => revokeUserKey(tx, { keyId, reason: 'user_revoked' }));
  return true;
}
