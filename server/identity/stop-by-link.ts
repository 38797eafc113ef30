import { prisma } from '../db';
import { ALL_APPS, readLimits } from '../ledger';
import { readStopToken } from '../stop-link';
import { stopApps } from './user-limits';

/** Whether the user of a mailed link has stopped all apps. Null when the link is not ours or has expired. */
export async function findStopOfLink(token: string): Promise<{ isStopped: boolean } | null> {
  const userId = await findUserOfLink(token);
  if (userId === null) return null;
  const { limits } = await readLimits(userId);
  return { isStopped: limits.some(({ partnerId, isStopped }) => partnerId === ALL_APPS && isStopped) };
}

/** False when the link is not ours or has expired. */
export async function stopByLink(token: string): Promise<boolean> {
  const userId = await findUserOfLink(token);
  if (userId === null) return false;
  await stopApps({ userId, partnerId: ALL_APPS });
  return true;
}

async function findUserOfLink(token: string): Promise<string | null> {
  const id = readStopToken(token);
  const user = id === null ? null : await prisma().user.findUnique({ where: { id, deletedAt: null } });
  return user?.id ?? null;
}
