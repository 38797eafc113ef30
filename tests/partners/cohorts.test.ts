import { afterEach, describe, expect, test } from 'vitest';
import { setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { createPartner } from '@/server/partners/partner';
import { readCohorts } from '@/server/reports/activity/cohorts';
import { newDatabase } from '../harness';
import { newUser } from '../people/account/person';

/** Buyers of an app by the month of their first purchase in it. */

await newDatabase();
afterEach(() => setClock());

const newApp = async () => (await createPartner({ name: 'Notes', rateBp: 2_500, origins: [] })).id;
const newUsers = (count: number) => Promise.all(Array.from({ length: count }, () => newUser()));

async function buy(partnerId: string, at: string, ...users: string[]): Promise<void> {
  await prisma().purchase.createMany({
    data: users.map((userId) => ({
      id: newId('txn'),
      userId,
      partnerId,
      sessionId: newId('cks'),
      currency: 'usd',
      amountMinor: 100,
      rate: 1,
      credits: 100_000_000n,
      createdAt: new Date(at),
    })),
  });
}

async function spend(partnerId: string, day: string, ...users: string[]): Promise<void> {
  await prisma().usageDay.createMany({
    data: users.map((userId) => ({
      userId,
      partnerId,
      day: new Date(day),
      model: 'sandbox/echo',
      requests: 1,
      tokens: 1n,
      charge: 1n,
    })),
  });
}

describe('the cohorts of an app', () => {
  test('count in each later month the buyers who bought or spent, each once', async () => {
    const [partnerId, other] = [await newApp(), await newApp()];
    const [a = '', b = '', c = '', d = '', ...rest] = await newUsers(6);
    await buy(partnerId, '2026-08-31T23:59:59Z', a, b, c, d, ...rest);
    await buy(partnerId, '2026-08-02T12:00:00Z', a);
    await spend(partnerId, '2026-08-20', a, b);
    // Bought and spent in September: one buyer each.
    await buy(partnerId, '2026-09-01T00:00:00Z', a, b);
    await spend(partnerId, '2026-09-30', b, c);
    await buy(partnerId, '2026-11-05T00:00:00Z', c);
    // In no month between.
    await spend(partnerId, '2026-11-01', d);
    // Elsewhere, and someone who never bought.
    await buy(other, '2026-10-05T00:00:00Z', a);
    await spend(other, '2026-10-05', b);
    await spend(partnerId, '2026-10-05', await newUser());
    setClock(() => Date.parse('2026-11-23T10:00:00Z'));
    expect(await readCohorts(partnerId)).toEqual([
      {
        month: '2026-08',
        details: {
          buyers: 6,
          bought: 1_000_000_000n,
          later: [
            { month: '2026-09', active: 3, bought: 200_000_000n },
            { month: '2026-10', active: 0, bought: 0n },
            { month: '2026-11', active: 2, bought: 100_000_000n },
          ],
        },
      },
    ]);
  });

  test('of fewer than five buyers have no details @attack', async () => {
    const partnerId = await newApp();
    await buy(partnerId, '2026-09-10T00:00:00Z', ...(await newUsers(4)));
    await buy(partnerId, '2026-10-10T00:00:00Z', ...(await newUsers(5)));
    setClock(() => Date.parse('2026-11-01T00:00:00Z'));
    const [october, september, ...others] = await readCohorts(partnerId);
    expect(others).toEqual([]);
    expect(september).toEqual({ month: '2026-09', details: null });
    expect(october).toMatchObject({
      month: '2026-10',
      details: { buyers: 5, later: [{ month: '2026-11', active: 0 }] },
    });
  });

  test('reach back twelve months, by the first purchase ever', async () => {
    const partnerId = await newApp();
    const [early, late] = [await newUsers(5), await newUsers(5)];
    await buy(partnerId, '2025-11-30T23:59:59Z', ...early);
    await buy(partnerId, '2025-12-01T00:00:00Z', ...late, ...early);
    setClock(() => Date.parse('2026-11-30T23:59:59Z'));
    const cohorts = await readCohorts(partnerId);
    expect(cohorts).toMatchObject([{ month: '2025-12', details: { buyers: 5 } }]);
    expect(cohorts[0]?.details?.later).toHaveLength(11);
    expect(await readCohorts(await newApp())).toEqual([]);
  });
});
