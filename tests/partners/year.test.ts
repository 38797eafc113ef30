import { beforeAll, describe, expect, it, vi } from 'vitest';
import { pool, prisma } from '@/server/base/db';
import { readEarnings } from '@/server/ledger';
import { readFirstSteps } from '@/server/partners/first-steps';
import { findAppRequest } from '@/server/reports/activity/app-request';
import {
  countActiveUsers,
  countAppUsers,
  listAppRequests,
  listAppUsers,
  readAppDays,
  readEarningsDays,
  readErrorDays,
  streamAppRequests,
  streamAppUsers,
} from '@/server/reports/activity/partner-activity';
import { PERIODS, readPeriod } from '@/server/reports/activity/periods';
import { newYearDatabase } from '../reports/year/database';
import { YEAR_APPS, YEAR_CANARY } from '../reports/year/people';

await newYearDatabase();

const LIMIT_MS = 100;
const [busiest] = YEAR_APPS.toSorted((a, b) => b.weight - a.weight);
if (busiest === undefined) throw new Error('The year has apps');
const partnerId = busiest.id;
const year = readPeriod('12m');

/** All queries of an app's pages and exports, with every filter that they use. */
async function readEverything(): Promise<unknown[]> {
  const { requests, total } = await listAppRequests(partnerId, year, { offset: 0, limit: 50 });
  const appUserId = requests[0]?.appUserId;
  const model = requests[0]?.model;
  const read: unknown[] = [requests];
  for (const period of PERIODS) {
    const days = readPeriod(period);
    read.push(
      await readAppDays(partnerId, days),
      await readEarningsDays(partnerId, days),
      await countActiveUsers(partnerId, days),
      await readErrorDays(partnerId, days),
      await listAppRequests(partnerId, { ...days, status: 'unfinished' }, { offset: 0, limit: 50 }),
      await listAppRequests(partnerId, { ...days, model }, { offset: 50, limit: 50 }),
      await listAppRequests(partnerId, { ...days, appUserId }, { offset: 0, limit: 50 }),
    );
  }
  read.push(
    await listAppRequests(partnerId, year, { offset: total - 10, limit: 50 }),
    await listAppUsers(partnerId, { offset: 0, limit: 50 }),
    await listAppUsers(partnerId, { search: appUserId, offset: 0, limit: 50 }),
    await listAppUsers(partnerId, { search: 'p', offset: 0, limit: 50 }),
    await listAppUsers(partnerId, { order: 'spent', offset: 50, limit: 50 }),
    await listAppUsers(partnerId, { order: 'last_request', offset: 50, limit: 50 }),
    await countAppUsers(partnerId),
    await countAppUsers(partnerId, 'spent'),
    { ...(await findAppRequest(partnerId, requests[0]?.requestId ?? '')), priceVersion: undefined },
    await readEarnings(partnerId),
    await readFirstSteps(partnerId),
  );
  return read;
}

const write = (value: unknown): string =>
  JSON.stringify(value, (_, entry: unknown) => (typeof entry === 'bigint' ? entry.toString() : entry));

describe('on a year of 200,000 requests', () => {
  let read: unknown[];
  const queries = new Map<string, unknown[]>();

  beforeAll(async () => {
    const spy = vi.spyOn(pool(), 'query');
    read = await readEverything();
    for (const [text, values] of spy.mock.calls as unknown as [string, unknown[]][])
      queries.set(`${text} ${write(values)}`, [text, values]);
    spy.mockRestore();
  }, 60_000);

  it(`answers every query of an app's pages in less than ${LIMIT_MS} ms`, async () => {
    const slow: string[] = [];
    for (const [text, values] of [...queries.values()] as [string, unknown[]][]) {
      // The fastest of three, because a busy machine says nothing about a query plan.
      let best = Number.POSITIVE_INFINITY;
      for (let run = 0; run < 3 && best >= LIMIT_MS; run++) best = Math.min(best, await timeOf(text, values));
      if (best >= LIMIT_MS) slow.push(`${Math.round(best)} ms: ${text} ${write(values)}`);
    }
    expect(slow).toEqual([]);
    expect(queries.size).toBeGreaterThan(20);
  }, 60_000);

  it('reveals no e-mail address and no user id, in pages or exports', async () => {
    const text = write(read) + (await readExports());
    const users = await prisma().user.findMany({ select: { id: true, email: true } });
    expect(users.map(({ email }) => email)).toContain(YEAR_CANARY);
    expect(users.filter(({ id, email }) => text.includes(id) || text.includes(email))).toEqual([]);
    expect(text).not.toMatch(/usr_|@/);
    expect(text).toMatch(/"au_\w+"/);
  }, 60_000);

  it('agrees with the receipts to the microcredit', async () => {
    const { rows } = await pool().query<{ requests: bigint; share: bigint; users: bigint }>(
      `SELECT count(*) AS requests, sum(partner_share)::bigint AS share, count(DISTINCT user_id) AS users FROM usage
       WHERE partner_id = $1 AND created_at >= $2::date::timestamp AT TIME ZONE 'UTC'`,
      [partnerId, year.from],
    );
    const days = await readAppDays(partnerId, year);
    expect(days.reduce((sum, day) => sum + BigInt(day.requests), 0n)).toBe(rows[0]?.requests);
    expect(days.reduce((sum, day) => sum + day.partnerShare, 0n)).toBe(rows[0]?.share);
    expect(BigInt(await countActiveUsers(partnerId, year))).toBe(rows[0]?.users);
    const earned = (await readEarningsDays(partnerId, year)).flatMap((day) => day.earned);
    expect(earned.reduce((sum, { amount }) => sum + amount, 0n)).toBe(rows[0]?.share);
    const { matured, maturing } = await readEarnings(partnerId);
    const all = await readEarningsDays(partnerId, { from: '2020-01-01', to: year.to });
    expect(all.reduce((sum, { net }) => sum + net, 0n)).toBe(matured + maturing);
  });

  it('exports each request of the year once, newest first', async () => {
    const { total } = await listAppRequests(partnerId, year, { offset: 0, limit: 1 });
    const seen = new Set<string>();
    let last = Number.POSITIVE_INFINITY;
    for await (const requests of streamAppRequests(partnerId, year)) {
      for (const { requestId, createdAt } of requests) {
        expect(createdAt.getTime()).toBeLessThanOrEqual(last);
        last = createdAt.getTime();
        seen.add(requestId);
      }
    }
    expect(seen.size).toBe(total);
  }, 60_000);
});

async function readExports(): Promise<string> {
  let text = '';
  for await (const users of streamAppUsers(partnerId)) text += write(users);
  for await (const requests of streamAppRequests(partnerId, readPeriod('7d'))) text += write(requests);
  return text;
}

async function timeOf(text: string, values: unknown[]): Promise<number> {
  const { rows } = await pool().query<{
    'QUERY PLAN': [{ 'Execution Time': number; 'Planning Time': number }];
  }>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
  const plan = rows[0]?.['QUERY PLAN'][0];
  if (plan === undefined) throw new Error(`No plan for ${text}`);
  return plan['Execution Time'] + plan['Planning Time'];
}
