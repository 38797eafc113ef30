import { nowDate } from '../clock';
import { inTransaction, type Tx } from '../db';
import { ApiError, invariant } from '../errors';
import { revokeKeysOfUser, revokeSession } from '../keys/revoke';

/**
 * Ends an account for good. Devices are signed out and keys revoked; the e-mail address, the names
 * of browsers and what apps noted about the user are erased. Unspent credits are given up. The
 * ledger and the receipts stay, under an id that leads to nobody: they are the books. Whoever signs
 * in with the same address later starts anew.
 */
export async function deleteAccount(userId: string): Promise<void> {
  await inTransaction(async (tx) => {
    const { email } = await lockUser(tx, userId);
    if ((await tx.partner.count({ where: { ownerEmail: email } })) > 0) {
      throw new ApiError('invalid_request', 'You own apps. Hand them over before you delete your account.');
    }
    const sessions = await tx.session.findMany({
      where: { userId, revokedAt: null },
      orderBy: { id: 'asc' },
    });
    for (const { id } of sessions) await revokeSession(tx, id);
    await revokeKeysOfUser(tx, userId);
    await tx.session.updateMany({ where: { userId }, data: { userAgent: '' } });
    await tx.userApp.updateMany({ where: { userId }, data: { metadata: {} } });
    await tx.checkoutVisit.deleteMany({ where: { userId } });
    await tx.loginChallenge.deleteMany({ where: { email } });
    await tx.user.update({ where: { id: userId }, data: { email: erased(userId), deletedAt: nowDate() } });
  });
}

/** A sign-in that is under way ends first, so that its device and key are seen here. */
async function lockUser(tx: Tx, userId: string): Promise<{ email: string }> {
  const [user] = await tx.$queryRaw<{ email: string }[]>`
    SELECT email FROM "user" WHERE id = ${userId} FOR UPDATE`;
  invariant(user, 'only who is signed in deletes an account');
  return user;
}

/** No address has this form, so nobody can sign in as it. */
const erased = (userId: string): string => `deleted:${userId}`;
