import type { UserApp } from '../../prisma/client/client';
import { nowDate } from '../base/clock';
import type { Microcredits } from '../base/credits';
import { prisma } from '../base/db';
import { invariant } from '../base/errors';
import { OUTSIDE_ANY_APP, type PocketLimit, readPockets, type Spendable } from '../ledger';

/** An app as one of its users sees it: credits bought in it, its allowance and its keys. */
export type AppOfUser = {
  partnerId: string;
  name: string;
  /** `au_…`: the user as the app knows them. */
  appUserId: string;
  /** The app is disabled: its keys do not work until it is enabled again. */
  isSuspended: boolean;
  since: Date;
  /** Bought in this app. */
  own: Microcredits;
  /** The allowance the user saved for credits bought elsewhere, and the unspent part of it. */
  allowanceSaved: Microcredits | null;
  allowanceLeft: Microcredits | null;
  /** The unspent part of an allowance that the user paused. */
  allowancePaused: Microcredits | null;
  balance: Microcredits;
  status: Spendable['status'];
  limit: PocketLimit | null;
  /** Live keys, most recently used first. */
  keys: KeyOfUser[];
};

export type KeyOfUser = {
  keyId: string;
  last4: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** The user agent of the device it was created on; null when no device was signed in. */
  userAgent: string | null;
  /** The web origins and networks it is restricted to; empty for all. */
  origins: string[];
  networks: string[];
};

/** Every app that the user has signed in to, oldest first. */
export async function listAppsOfUser(userId: string): Promise<AppOfUser[]> {
  const [rows, { pockets }] = await Promise.all([
    prisma().userApp.findMany({
      where: { userId, partnerId: { not: OUTSIDE_ANY_APP } },
      orderBy: [{ createdAt: 'asc' }, { partnerId: 'asc' }],
    }),
    readPockets(userId),
  ]);
  const [partners, keys] = await Promise.all([findPartners(rows), findLiveKeys(userId)]);
  const pocketOf = new Map(pockets.map((pocket) => [pocket.partnerId, pocket]));
  return rows.flatMap((row): AppOfUser[] => {
    const pocket = pocketOf.get(row.partnerId);
    const partner = partners.get(row.partnerId);
    // A pocket opened between the two reads appears the next time.
    if (pocket === undefined) return [];
    invariant(partner, 'partners are never deleted');
    return [
      {
        partnerId: row.partnerId,
        name: partner.name,
        appUserId: row.appUserId ?? '',
        isSuspended: partner.disabledAt !== null,
        since: row.createdAt,
        own: pocket.own,
        allowanceSaved: pocket.allowanceSaved,
        allowanceLeft: pocket.allowanceSaved === null ? null : pocket.allowanceLeft,
        allowancePaused: pocket.allowancePaused,
        balance: pocket.balance,
        status: pocket.status,
        limit: pocket.limit,
        keys: keys.get(row.partnerId) ?? [],
      },
    ];
  });
}

/** Returns null when the user has never signed in to this app. */
export async function findAppOfUser(userId: string, partnerId: string): Promise<AppOfUser | null> {
  const apps = await listAppsOfUser(userId);
  return apps.find((app) => app.partnerId === partnerId) ?? null;
}

async function findPartners(rows: UserApp[]) {
  const partners = await prisma().partner.findMany({
    where: { id: { in: rows.map((row) => row.partnerId) } },
    select: { id: true, name: true, disabledAt: true },
  });
  return new Map(partners.map((partner) => [partner.id, partner]));
}

async function findLiveKeys(userId: string): Promise<Map<string, KeyOfUser[]>> {
  const keys = await prisma().userKey.findMany({
    where: {
      userId,
      revokedAt: null,
      lineage: { isEmpty: true },
      OR: [{ expiresAt: null }, { expiresAt: { gt: nowDate() } }],
    },
  });
  const sessionIds = keys.flatMap((key) => key.sessionId ?? []);
  const sessions = await prisma().session.findMany({
    where: { id: { in: sessionIds } },
    select: { id: true, userAgent: true },
  });
  const agents = new Map(sessions.map((session) => [session.id, session.userAgent]));
  const lastSign = (key: { lastUsedAt: Date | null; createdAt: Date }) =>
    (key.lastUsedAt ?? key.createdAt).getTime();
  const byApp = new Map<string, KeyOfUser[]>();
  for (const key of keys.sort((a, b) => lastSign(b) - lastSign(a))) {
    const { id: keyId, last4, createdAt, lastUsedAt, sessionId, origins, networks } = key;
    const userAgent = sessionId === null ? null : (agents.get(sessionId) ?? null);
    const ofApp = byApp.get(key.partnerId) ?? [];
    byApp.set(key.partnerId, [
      ...ofApp,
      { keyId, last4, createdAt, lastUsedAt, userAgent, origins, networks },
    ]);
  }
  return byApp;
}
