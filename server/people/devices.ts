import { inTransaction, prisma } from '../base/db';
import { revokeSession } from './keys/revoke';
import { isLive } from './sessions';

/** The devices where a user is signed in: browsers, checkout windows, apps. */

export type Device = {
  sessionId: string;
  userAgent: string;
  createdAt: Date;
  lastSeenAt: Date;
  /** The apps with a live key of this device. */
  apps: string[];
};

/** Most recently seen first. */
export async function listDevices(userId: string): Promise<Device[]> {
  const signedIn = await prisma().session.findMany({
    where: { userId, revokedAt: null },
    include: { user: { select: { email: true } } },
    orderBy: [{ lastSeenAt: 'desc' }, { id: 'asc' }],
  });
  const sessions = signedIn.filter(isLive);
  const appNames = await findAppNames(sessions.map((session) => session.id));
  return sessions.map(({ id, userAgent, createdAt, lastSeenAt }) => ({
    sessionId: id,
    userAgent,
    createdAt,
    lastSeenAt,
    apps: appNames.get(id) ?? [],
  }));
}

/** Logs the device out and revokes its keys in every app. False when the user has no such device. */
export async function logOutDevice(userId: string, sessionId: string): Promise<boolean> {
  const session = await prisma().session.findFirst({ where: { id: sessionId, userId, revokedAt: null } });
  if (session === null) return false;
  await inTransaction((tx) => revokeSession(tx, sessionId));
  return true;
}

/** Logs out all of the user's devices, or all but one. Returns how many were live. */
export async function logOutAllDevices(
  userId: string,
  { except }: { except?: string } = {},
): Promise<number> {
  return inTransaction(async (tx) => {
    const sessions = await tx.session.findMany({
      where: { userId, revokedAt: null, ...(except !== undefined && { id: { not: except } }) },
      orderBy: { id: 'asc' },
    });
    for (const { id } of sessions) await revokeSession(tx, id);
    return sessions.length;
  });
}

async function findAppNames(sessionIds: string[]): Promise<Map<string, string[]>> {
  const keys = await prisma().userKey.findMany({
    where: { sessionId: { in: sessionIds }, revokedAt: null },
    select: { sessionId: true, partnerId: true },
    distinct: ['sessionId', 'partnerId'],
  });
  const partners = await prisma().partner.findMany({
    where: { id: { in: keys.map((key) => key.partnerId) } },
    select: { id: true, name: true },
    orderBy: { name: 'asc' },
  });
  return new Map(
    sessionIds.map((sessionId) => {
      const ids = keys.filter((key) => key.sessionId === sessionId).map((key) => key.partnerId);
      return [sessionId, partners.filter(({ id }) => ids.includes(id)).map(({ name }) => name)];
    }),
  );
}
