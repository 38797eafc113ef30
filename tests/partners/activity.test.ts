import { afterEach, describe, expect, it } from 'vitest';
import { setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { createPartner } from '@/server/partners/partner';
import { openAppUser } from '@/server/people/app-users';
import {
  type AppRequest,
  countActiveUsers,
  countAppUsers,
  listAppRequests,
  listAppUsers,
  readAppDays,
  readEarningsDays,
  streamAppRequests,
  type UserOrder,
} from '@/server/reports/activity/partner-activity';
import { rollUpActivity } from '@/server/reports/activity/roll-up';
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
    expect(await listAppUsers(app, { search: elsewhere, ...ALL })).toEqual([]);
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

describe('an app’s users', () => {
  const find = async (partnerId: string, search: string) =>
    (await listAppUsers(partnerId, { search, ...ALL })).map(({ appUserId }) => appUserId);

  const joinWith = async (partnerId: string, metadata: Record<string, string | number | boolean>) => {
    const userId = await newUser();
    return inTransaction((tx) => openAppUser(tx, { userId, partnerId, metadata }));
  };

  it('are found by the beginning of a value of their metadata, in upper or lower case, and by their id', async () => {
    const partnerId = await newApp();
    const [ada, bob] = [
      await joinWith(partnerId, { customer: 4711, mail: 'Ada@Example.com' }),
      await joinWith(partnerId, { customer: 4712, note: "it's 50% \\ ok:*|&!" }),
    ];
    expect(await find(partnerId, '4711')).toEqual([ada]);
    expect(await find(partnerId, 'ada@EX')).toEqual([ada]);
    expect((await find(partnerId, '471')).sort()).toEqual([ada, bob].sort());
    expect(await find(partnerId, 'customer')).toEqual([]);
    expect(await find(partnerId, bob)).toEqual([bob]);
    expect(await find(partnerId, bob.slice(0, -1))).toEqual([]);
  });

  it('are searched for literally, whatever is typed @attack', async () => {
    const partnerId = await newApp();
    const bob = await joinWith(partnerId, { note: "it's 50% \\ ok:*|&!", quote: "'" });
    for (const text of ["it's 50% \\", "it's 50% \\ ok:*|&!", "'"])
      expect(await find(partnerId, text)).toEqual([bob]);
    for (const text of [
      "' | 'it",
      '%',
      ':*',
      "it''s",
      '\\',
      "\\'",
      '&',
      '  ',
      'x'.repeat(200),
      '😀'.repeat(100),
    ])
      expect(await find(partnerId, text), text).toEqual([]);
  });

  it('of another app are never found by their metadata @attack', async () => {
    const [app, other] = [await newApp(), await newApp()];
    await joinWith(other, { customer: 4711 });
    const own = await joinWith(app, { customer: `${other} 4711` });
    for (const text of ['4711', ' 4711', `${other} 4711' | '${other}`])
      expect(await find(app, text)).toEqual([]);
    expect(await find(app, `${other} 4711`)).toEqual([own]);
  });

  it('are ordered by what they spent and by their latest request', async () => {
    const partnerId = await newApp();
    const spend = async (at: string, charge: number) => {
      const userId = await newUser();
      const appUserId = await join(userId, partnerId);
      await recordRequest(userId, { partnerId, at, charge });
      return appUserId;
    };
    const small = await spend('2026-11-20T10:00:00Z', 1_250_000);
    const large = await spend('2026-11-03T10:00:00Z', 5_000_000);
    const medium = await spend('2026-11-10T10:00:00Z', 2_500_000);
    const idle = await join(await newUser(), partnerId);
    const list = async (order: UserOrder, more = {}) =>
      (await listAppUsers(partnerId, { order, ...ALL, ...more })).map(({ appUserId }) => appUserId);
    await rollUpActivity('0 seconds');
    expect(await list('spent')).toEqual([large, medium, small]);
    expect(await list('last_request')).toEqual([small, medium, large]);
    expect(await list('spent', { offset: 1, limit: 1 })).toEqual([medium]);
    expect((await list('newest'))[0]).toBe(idle);
    expect([await countAppUsers(partnerId), await countAppUsers(partnerId, 'spent')]).toEqual([4, 3]);
  });
});
