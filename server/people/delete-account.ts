import { nowDate } from '../base/clock';
import { inTransaction } from '../base/db';
import { ApiError } from '../base/errors';
import { lockAccount } from '../base/lock-account';
import { removeBudgets, removeLimits } from '../ledger';
import { leaveAllTeams } from '../partners/members';
import { mailboxOf } from './email';
import { revokeKeysOfUser, revokeSession } from './keys/revoke';

/**
 * Deletes an account permanently. Devices are signed out and keys revoked; the e-mail address, user
 * agents, labels and budgets of run keys and apps' metadata about the user are erased. The customer at the payment processor, with its
 * saved cards, is marked for deletion (server/payments/checkout/delete-customers.ts). Unspent credits are
 * forfeited. The ledger and the receipts are kept for accounting, under an id that can no longer be
 * linked to a person, with a keyed hash of the mailbox for the limits of promotions. Signing in with the same address later creates a new, empty account.
 */
export async function deleteAccount(userId: string): Promise<void> {
  await inTransaction(async (tx) => {
    // Waits for a sign-in in progress, so that its device and key are included.
    const { email } = await lockAccount(tx, userId);
    if (!(await leaveAllTeams(tx, { email, userId })))
      throw new ApiError(
        'invalid_request',
        'You own a team that manages apps. Hand it over to another member before you delete your account.',
      );
    const sessions = await tx.session.findMany({
      where: { userId, revokedAt: null },
      orderBy: { id: 'asc' },
    });
    for (const { id } of sessions) await revokeSession(tx, id);
    await revokeKeysOfUser(tx, userId);
    await tx.passkey.deleteMany({ where: { userId } });
    await tx.linkedIdentity.deleteMany({ where: { userId } });
    await tx.emailChange.deleteMany({ where: { userId } });
    await tx.session.updateMany({ where: { userId }, data: { userAgent: '' } });
    await tx.userApp.updateMany({ where: { userId }, data: { metadata: {} } });
    await tx.billingDetails.deleteMany({ where: { userId } });
    await tx.keptThread.deleteMany({ where: { userId } });
    await tx.keptResponse.deleteMany({ where: { userId } });
    await tx.idempotentRequest.deleteMany({ where: { userId } });
    await tx.unansweredRequest.deleteMany({ where: { userId } });
    await tx.checkoutVisit.deleteMany({ where: { userId } });
    await tx.autoTopUp.deleteMany({ where: { userId } });
    await tx.lowBalanceMail.deleteMany({ where: { userId } });
    await tx.warningChoice.deleteMany({ where: { userId } });
    await tx.warningMail.deleteMany({ where: { userId } });
    await removeLimits(tx, userId);
    await removeBudgets(tx, userId);
    // Those that run are settled when they end, and forgotten then.
    await tx.videoJob.updateMany({ where: { userId }, data: { deletedAt: nowDate(), url: null } });
    await tx.batchJob.updateMany({ where: { userId, endedAt: null }, data: { cancelledAt: nowDate() } });
    await tx.batchJob.updateMany({ where: { userId }, data: { deletedAt: nowDate(), metadata: null } });
    await tx.batchFile.deleteMany({ where: { userId } });
    await tx.userKey.updateMany({ where: { userId, label: { not: null } }, data: { label: null } });
    await tx.paymentCustomer.updateMany({ where: { userId }, data: { deletionDueAt: nowDate() } });
    await tx.loginChallenge.deleteMany({ where: { mailbox: mailboxOf(email), email } });
    await tx.user.update({
      where: { id: userId },
      data: {
        email: erased(userId),
        deletedAt: nowDate(),
        timeZone: null,
        language: null,
        lastLanguage: null,
      },
    });
    // After the account: they are kept while it exists.
    await tx.dailyStatement.deleteMany({ where: { userId } });
  });
}

/** Not a valid e-mail address, so no one can sign in with it. */
const erased = (userId: string): string => `deleted:${userId}`;
