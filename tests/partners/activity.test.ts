import { afterEach, describe, expect, it } from 'vitest';
import { setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { createPartner } from '@/server/partners/partner';
import { openAppUser } from '@/server/people/app-users';
import {
  type AppRequest,
  countActiveUsers,
  listAppRequests,
  listAppUsers,
  readAppDays,
  readEarningsDays,
  streamAppRequests,
} from '@/server/reports/activity/partner-activity';
import { newDatabase } from '../harness';
import { newUser, recordRequest } from '../people/account/person';

await newDatabase();

const DAYS = { from: '2026-11-01', to: '2026-12-01' };
const ALL = { offset: 0, limit: 50 };

afterEach(() => setClock());

async function newApp(): Promise<string> {
  return (await createPartner({ name: 'Notes', rateBp: 2_500, origins: [] })).id;
}

async function join(userId: string, partnerId: string): Promise<string> {
  return inTransaction((tx) => openAppUser(tx, { userId, partnerId }));
}

const idsOf = (requests: AppRequest[]) => requests.map(({ requestId }) => requestId);

describe('an app’s activity', () => {
  it('counts recent requests, before any roll-up', async () => {
    const [partnerId, userId] = [await newApp(), await newUser()];
    const appUserId = await join(userId, partnerId);
    await recordRequest(userId, { partnerId, at: '2026-11-20T10:00:00Z', charge: 1_250_000 });
    expect(await readAppDays(partnerId, DAYS)).toMatchObject([
      { day: '2026-11-20', model: 'sandbox/story', requests: 1, charge: 1_250_000n, partnerShare: 250_000n },
    ]);
    expect(await readEarningsDays(partnerId, DAYS)).toEqual([
      {
        day: '2026-11-20',
        earned: [{ model: 'sandbox/story', amount: 250_000n }],
        reversed: 0n,
        net: 250_000n,
      },
    ]);
    expect(await countActiveUsers(partnerId, DAYS)).toBe(1);
    expect(await listAppUsers(partnerId, ALL)).toMatchObject([
      { appUserId, requests: 1, charge: 1_250_000n, partnerShare: 250_000n },
    ]);
  });

  it('pages through every request once, newest first, and exports the same', async () => {
    const [partnerId, userId] = [await newApp(), await newUser()];
    await join(userId, partnerId);
    const made: string[] = [];
    for (const day of ['02', '02', '02', '09', '09', '18'])
      made.unshift(await recordRequest(userId, { partnerId, at: `2026-11-${day}T0${made.length}:00:00Z` }));
    const paged: string[] = [];
    for (const offset of [0, 2, 4, 6]) {
      const { requests, total } = await listAppRequests(partnerId, DAYS, { offset, limit: 2 });
      expect(total).toBe(6);
      paged.push(...idsOf(requests));
    }
    expect(paged).toEqual(made);
    const exported: string[] = [];
    for await (const requests of streamAppRequests(partnerId, DAYS)) exported.push(...idsOf(requests));
    expect(exported).toEqual(made);
  });

  it('filters by model, by user and by both', async () => {
    const [partnerId, ada, bob] = [await newApp(), await newUser(), await newUser()];
    const [sameUser] = [await join(ada, partnerId), await join(bob, partnerId)];
    const expected = await recordRequest(ada, {
      partnerId,
      at: '2026-11-03T10:00:00Z',
      model: 'sandbox/echo',
    });
    await recordRequest(ada, { partnerId, at: '2026-11-04T10:00:00Z' });
    await recordRequest(bob, { partnerId, at: '2026-11-05T10:00:00Z', model: 'sandbox/echo' });
    const list = async (filter: object) =>
      (await listAppRequests(partnerId, { ...DAYS, ...filter }, ALL)).total;
    expect(await list({ model: 'sandbox/echo' })).toBe(2);
    expect(await list({ appUserId: sameUser })).toBe(2);
    expect(await list({ status: 'unfinished' })).toBe(0);
    const { requests } = await listAppRequests(
      partnerId,
      { ...DAYS, model: 'sandbox/echo', appUserId: sameUser },
      ALL,
    );
    expect(idsOf(requests)).toEqual([expected]);
  });

  it('never reveals that a user of another app is also a user of this one', async () => {
    const [app, other, userId] = [await newApp(), await newApp(), await newUser()];
    await join(userId, app);
    const elsewhere = await join(userId, other);
    await recordRequest(userId, { partnerId: app, at: '2026-11-03T10:00:00Z' });
    await recordRequest(userId, { partnerId: other, at: '2026-11-03T11:00:00Z' });
    expect(await listAppRequests(app, { ...DAYS, appUserId: elsewhere }, ALL)).toEqual({
      requests: [],
      total: 0,
    });
    expect(await listAppUsers(app, { appUserId: elsewhere, ...ALL })).toEqual([]);
    expect(idsOf((await listAppRequests(app, DAYS, ALL)).requests)).toHaveLength(1);
  });

  it('shows the app’s metadata about a user, and nothing else about them', async () => {
    const [partnerId, userId] = [await newApp(), await newUser()];
    await inTransaction((tx) => openAppUser(tx, { userId, partnerId, metadata: { plan: 'pro' } }));
    const [user] = await listAppUsers(partnerId, ALL);
    expect(user?.metadata).toEqual({ plan: 'pro' });
    const { email } = await prisma().user.findUniqueOrThrow({ where: { id: userId } });
    const text = JSON.stringify(user, (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    expect(text).not.toContain(email);
    expect(text).not.toContain(userId);
  });
});
