import { prisma } from '../base/db';
import { readStopToken, type StopLink } from '../base/stop-link';
import { ALL_APPS, readLimits } from '../ledger';
import { findPartner } from '../partners/partner';
import { nameInMails } from '../partners/rename';
import { stopApps } from './user-limits';

export type StopOfLink = {
  /** Of all apps. */
  isStopped: boolean;
  /** The app that the mail is about; without a name until an operator has approved it. */
  app: { name: string | null; isStopped: boolean } | null;
};

/** What the user of a mailed link has stopped. Null when the link is not ours or has expired. */
export async function findStopOfLink(token: string): Promise<StopOfLink | null> {
  const link = await openLink(token);
  if (link === null) return null;
  const { userId, partnerId } = link;
  const [{ limits }, partner] = await Promise.all([
    readLimits(userId),
    partnerId === undefined ? null : findPartner(partnerId),
  ]);
  const isStopped = (id: string) => limits.some((limit) => limit.partnerId === id && limit.isStopped);
  return {
    isStopped: isStopped(ALL_APPS),
    app: partner && { name: nameInMails(partner), isStopped: isStopped(partner.id) },
  };
}

export type StopScope = 'app' | 'all';

/** False when the link is not ours, has expired or is about no app that could be stopped. */
export async function stopByLink(token: string, scope: StopScope): Promise<boolean> {
  const link = await openLink(token);
  if (link === null) return false;
  const partnerId = scope === 'all' ? ALL_APPS : link.partnerId;
  if (partnerId === undefined) return false;
  await stopApps({ userId: link.userId, partnerId });
  return true;
}

async function openLink(token: string): Promise<StopLink | null> {
  const link = readStopToken(token);
  if (link === null) return null;
  const user = await prisma().user.findUnique({ where: { id: link.userId, deletedAt: null } });
  return user && link;
}
