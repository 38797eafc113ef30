import { nowDate } from '../base/clock';
import { prisma, type Tx } from '../base/db';
import { settings } from '../base/env';
import { ApiError } from '../base/errors';
import { requireFreeName, requireName, takeName } from './claim-name';
import type { Partner } from './partner';
import { skeletonOf } from './skeleton';

/** Renaming an app, and the approval of names by operators. */

/**
 * Where operators review apps, a new name waits for them, and users see the approved one until then. Where
 * sign-up is open, it applies immediately, as a name that nobody has approved.
 */
export async function renamePartner(
  { id, teamId, name: current, review }: Partner,
  text: string,
  db: Tx = prisma(),
): Promise<'saved' | 'waiting'> {
  if (review !== 'approved')
    throw new ApiError('invalid_request', 'The name can change once the app is approved', { param: 'name' });
  const askedBy = { teamId };
  const { name, skeleton: nameSkeleton } = requireName(text, askedBy);
  if (name === current) {
    await db.partner.update({ where: { id }, data: { pendingName: null } });
    return 'saved';
  }
  const isReviewed = settings().PARTNER_SIGNUP !== 'open';
  const { count } = await takeName(nameSkeleton, askedBy, () =>
    db.partner.updateMany({
      where: { id, ...(isReviewed && { nameApprovedAt: null }) },
      data: { name, nameSkeleton, nameApprovedAt: null, pendingName: null, approvalAskedAt: null },
    }),
  );
  if (count > 0) return 'saved';
  await requireFreeName(nameSkeleton, askedBy, id);
  await db.partner.update({ where: { id }, data: { pendingName: name } });
  return 'waiting';
}

/** Whether an operator should look at the app's name: at a new one, or at one that nobody has approved. */
export function isNameWaiting({ review, nameApprovedAt, pendingName }: Partner): boolean {
  return review === 'approved' && (pendingName !== null || nameApprovedAt === null);
}

/** Puts an app whose name nobody has approved in the operator's list, once. */
export async function askForApproval(tx: Tx, { id }: Partner): Promise<void> {
  const { count } = await tx.partner.updateMany({
    where: { id, review: 'approved', nameApprovedAt: null, approvalAskedAt: null, disabledAt: null },
    data: { approvalAskedAt: nowDate() },
  });
  if (count === 0) throw new ApiError('invalid_request', 'The app is approved, or you have asked already');
}

/** Whether its team asked for an approval that nobody has given. */
export const isApprovalAsked = ({ nameApprovedAt, approvalAskedAt }: Partner): boolean =>
  nameApprovedAt === null && approvalAskedAt !== null;

/** Approves the name that the operator saw. False when it has changed since or is already approved. */
export async function approveName(partnerId: string, name: string, tx: Tx): Promise<boolean> {
  const nameSkeleton = skeletonOf(name);
  const approved = { nameApprovedAt: nowDate(), pendingName: null };
  const renamed = await takeName(nameSkeleton, 'operator', () =>
    tx.partner.updateMany({
      where: { id: partnerId, pendingName: name },
      data: { ...approved, name, nameSkeleton },
    }),
  );
  if (renamed.count > 0) return true;
  const { count } = await tx.partner.updateMany({
    where: { id: partnerId, name, pendingName: null, nameApprovedAt: null, review: 'approved' },
    data: approved,
  });
  return count > 0;
}

/** Drops a new name that was waiting. False when it has changed since. */
export async function declineName(partnerId: string, name: string, tx: Tx): Promise<boolean> {
  const { count } = await tx.partner.updateMany({
    where: { id: partnerId, pendingName: name },
    data: { pendingName: null },
  });
  return count > 0;
}

/** The app's name in a mail to a user. Null until an operator has approved it: the mail then names no app. */
export function nameInMails({ name, nameApprovedAt }: Partner): string | null {
  return nameApprovedAt === null ? null : name;
}

/** The app's name on pages for users: with the origin of the page next to it until an operator approved it. */
export function nameOnPages({ name, nameApprovedAt }: Partner, origin: string): string {
  return nameApprovedAt === null ? `${name} (${origin.replace(/^https?:\/\//, '')})` : name;
}
