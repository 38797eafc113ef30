import { nowDate } from '../clock';
import { type Microcredits, microcredits } from '../credits';
import { prisma } from '../db';
import { OUTSIDE_ANY_APP, readSpendable } from '../ledger';

/** What the operator sees of a user. */
export type UserSummary = {
  createdAt: Date;
  money: Microcredits;
  /** Signed-in devices. */
  devices: number;
  apps: AppSummary[];
};

export type AppSummary = {
  /** Null for the pocket outside any app. */
  partnerId: string | null;
  name: string | null;
  appUserId: string | null;
  own: Microcredits;
  /** What is left of the limit; null when none is set. */
  limit: Microcredits | null;
  balance: Microcredits | null;
  status: string | null;
  liveKeys: number;
};

export async function findUserSummary(email: string): Promise<UserSummary | null> {
  const user = await prisma().user.findUnique({ where: { email } });
  if (user === null) return null;
  const userId = user.id;
  const [account, devices, rows, keys] = await Promise.all([
    prisma().account.findUnique({ where: { userId } }),
    prisma().session.count({ where: { userId, revokedAt: null, expiresAt: { gt: nowDate() } } }),
    prisma().userApp.findMany({ where: { userId }, orderBy: { createdAt: 'asc' } }),
    prisma().userKey.groupBy({ by: ['partnerId'], where: { userId, revokedAt: null }, _count: true }),
  ]);
  const partners = await prisma().partner.findMany({ where: { id: { in: rows.map((row) => row.appId) } } });
  const apps = rows.map(async (row): Promise<AppSummary> => {
    const common = {
      own: microcredits(row.own),
      limit: row.limitSaved === null ? null : microcredits(row.limitLeft),
    };
    if (row.appId === OUTSIDE_ANY_APP) {
      return {
        ...common,
        partnerId: null,
        name: null,
        appUserId: null,
        balance: null,
        status: null,
        liveKeys: 0,
      };
    }
    const { balance, status } = await readSpendable(userId, row.appId);
    return {
      ...common,
      partnerId: row.appId,
      name: partners.find((partner) => partner.id === row.appId)?.name ?? null,
      appUserId: row.appUserId,
      balance,
      status,
      liveKeys: keys.find((entry) => entry.partnerId === row.appId)?._count ?? 0,
    };
  });
  return {
    createdAt: user.createdAt,
    money: microcredits(account?.money ?? 0n),
    devices,
    apps: await Promise.all(apps),
  };
}
