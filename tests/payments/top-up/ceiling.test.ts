import { afterEach, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS, nowDate, setClock } from '@/server/base/clock';
import { pool, prisma } from '@/server/base/db';
import { advanceTopUps } from '@/server/payments/checkout/top-up/advance';
import { claimTopUp, findDue } from '@/server/payments/checkout/top-up/claim';
import { newDatabase } from '../../harness';
import { seededRandom } from '../../harness/random';
import { endSession, newTopUpUser, readTopUp, setMoney, TERMS } from './users';

/** When a top-up may begin: one statement decides. */

await newDatabase();

let clock = Date.parse('2026-01-01T00:00:00Z');
setClock(() => clock);
afterEach(() => {
  clock += DAY_MS;
});

const claimAtOnce = async (userId: string) =>
  (await Promise.all(Array.from({ length: 4 }, () => claimTopUp(userId)))).filter(Boolean).length;

async function conclude(userId: string, status: 'completed' | 'failed', failure: string | null) {
  await endSession(userId, status, failure);
  await advanceTopUps();
}

test('over months of random use, a month never has more than its ceiling, and a due top-up always begins @attack', async () => {
  const random = seededRandom();
  const userId = await newTopUpUser();
  const spent = new Map<string, number>();
  const terms: { amountMinor: number; ceilingMinor: number } = {
    amountMinor: TERMS.amountMinor,
    ceilingMinor: TERMS.ceilingMinor,
  };
  let lastAt = 0;
  let began = 0;
  for (let step = 0; step < 400; step++) {
    clock += Math.floor(random() ** 3 * 4 * DAY_MS);
    const month = nowDate().toISOString().slice(0, 7);
    const isLow = random() < 0.8;
    await setMoney(userId, isLow ? Math.floor(random() * 499) : 500 + Math.floor(random() * 100));
    if (random() < 0.1) {
      terms.amountMinor = 500 + Math.floor(random() * 2_000);
      terms.ceilingMinor = terms.amountMinor + Math.floor(random() * 20_000);
      await prisma().autoTopUp.update({ where: { userId }, data: terms });
    }
    const after = (spent.get(month) ?? 0) + terms.amountMinor;
    const isDue = isLow && clock - lastAt >= MINUTE_MS && after <= terms.ceilingMinor;
    expect(await claimAtOnce(userId), `step ${step}, ${month}`).toBe(isDue ? 1 : 0);
    if (!isDue) continue;
    lastAt = clock;
    began++;
    clock += MINUTE_MS;
    expect(await claimAtOnce(userId), 'while one is in progress').toBe(0);
    const isPaid = random() < 0.8;
    await conclude(userId, isPaid ? 'completed' : 'failed', isPaid ? null : 'not_started');
    if (isPaid) spent.set(month, after);
    expect((await readTopUp(userId)).monthMinor).toBe(spent.get(month) ?? 0);
  }
  expect(began).toBeGreaterThan(50);
  expect(spent.size).toBeGreaterThan(5);
});

test('a month that another instance has already reached counts, even if this clock is behind @attack', async () => {
  const userId = await newTopUpUser({ ceilingMinor: 1_000 } as never);
  await pool().query(`UPDATE auto_top_up SET month = '2099-01-01', month_minor = 1000 WHERE user_id = $1`, [
    userId,
  ]);
  expect(await claimTopUp(userId)).toBe(false);
});

test.each([
  ['the user is paused for review', `UPDATE wallet SET paused_at = now() WHERE user_id = $1`],
  ['the balance is at the threshold', `UPDATE wallet SET money = 500000000 WHERE user_id = $1`],
  ['it is off', `UPDATE auto_top_up SET state = 'off' WHERE user_id = $1`],
  ['the bank has not allowed it yet', `UPDATE auto_top_up SET state = 'authorizing' WHERE user_id = $1`],
])('nothing is charged while %s', async (_, change) => {
  const userId = await newTopUpUser();
  expect(await findDue([userId])).toEqual([userId]);
  await pool().query(change, [userId]);
  expect(await findDue([userId])).toEqual([]);
  expect(await claimTopUp(userId)).toBe(false);
});

test('credits that running requests hold do not count', async () => {
  const userId = await newTopUpUser();
  await pool().query(
    `UPDATE wallet SET money = 600000000, held = 100000001, running = 1 WHERE user_id = $1`,
    [userId],
  );
  expect(await claimTopUp(userId)).toBe(true);
});

test('a decline turns it off and does not count; a top-up that never reached the bank leaves it on', async () => {
  const [declined, unstarted] = [await newTopUpUser(), await newTopUpUser()];
  for (const userId of [declined, unstarted]) expect(await claimTopUp(userId)).toBe(true);
  await conclude(declined, 'failed', 'insufficient_funds');
  await conclude(unstarted, 'failed', 'not_started');
  expect(await readTopUp(declined)).toMatchObject({
    state: 'off',
    offReason: 'insufficient_funds',
    sessionId: null,
    monthMinor: 0,
  });
  expect(await readTopUp(unstarted)).toMatchObject({
    state: 'on',
    sessionId: null,
    monthMinor: 0,
  });
  const refs = (await prisma().dueMail.findMany({ where: { kind: 'top_up' } })).map(({ ref }) => ref);
  expect(refs).toContainEqual({ userId: declined, about: 'off' });
  expect(refs).not.toContainEqual({ userId: unstarted, about: 'off' });
});
