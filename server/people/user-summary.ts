import { type Microcredits, microcredits } from '../base/credits';
import { prisma } from '../base/db';
import { OUTSIDE_ANY_APP } from '../ledger';
import { type AppOfUser, listAppsOfUser } from './apps-of-user';
import { listDevices } from './devices';

/** The details of a user that the operator sees. */
export type UserSummary = {
  userId: string;
  createdAt: Date;
  money: Microcredits;
  /** Credits in the pocket outside any app; null when it was never used. */
  outsideAnyApp: Microcredits | null;
  /** Signed-in devices. */
  devices: number;
  apps: AppOfUser[];
};

export async function findUserSummary(email: string): Promise<UserSummary | null> {
  const user = await prisma().user.findUnique({ where: { email } });
  if (user === null) return null;
  const userId = user.id;
  const [account, outside, devices, apps] = await Promise.all([
    prisma().wallet.findUnique({ where: { userId } }),
    prisma().userApp.findUnique({ where: { userId_partnerId: { userId, partnerId: OUTSIDE_ANY_APP } } }),
    listDevices(userId),
    listAppsOfUser(userId),
  ]);
  return {
    userId,
    createdAt: user.createdAt,
    money: microcredits(account?.money ?? 0n),
    outsideAnyApp: outside && microcredits(outside.own),
    devices: devices.length,
    apps,
  };
}
