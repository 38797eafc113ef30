import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setClock } from '@/server/base/clock';
import { findWindow } from '@/server/base/days';
import { pool } from '@/server/base/db';
import { syncCatalog } from '@/server/gateway/pricing/sync-catalog';
import { readUsageDays, rollUpUsage } from '@/server/ledger';
import { daysBetween, readPeriod } from '@/server/reports/activity/periods';
import {
  listUsedApps,
  readLatestRequests,
  readRequestPage,
  streamRequests,
} from '@/server/reports/activity/user-activity';
import { findUserOfRequest, findUserReceipt, isRequestId } from '@/server/reports/activity/user-receipt';
import { newDatabase } from '../../harness';
import { joinApp, newUser, recordRequest } from './person';

await newDatabase();
// These requests are older than the database, so nothing is rolled up yet.
await forgetRollUp();

const YEAR = { from: '2025-12-01', to: '2026-12-01' };
const ids = (lines: { requestId: string }[]) => lines.map((line) => line.requestId);

beforeEach(() => setClock(() => Date.parse('2026-11-21T12:00:00Z')));
afterEach(async () => {
  setClock();
  await pool().query('DELETE FROM usage_day');
  await forgetRollUp();
});

describe('periods', () => {
  it('end today and count days in UTC', () => {
    expect(readPeriod('7d')).toEqual({ from: '2026-11-15', to: '2026-11-22' });
    expect(readPeriod('12m')).toEqual({ from: '2025-12-01', to: '2026-11-22' });
    expect(daysBetween({ from: '2026-02-27', to: '2026-03-02' })).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
    ]);
  });
});

describe('usage by day', () => {
  it('is the same before and after the roll-up, and counts nothing twice', async () => {
    const userId = await newUser();
    const { partnerId } = await joinApp(userId, 'Notes');
    const times = ['2026-03-01T00:00:00Z', '2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00Z'];
    for (const at of times) await recordRequest(userId, { partnerId, at });
    await recordRequest(userId, { partnerId, at: times[0] as string, model: 'sandbox/echo' });
    const before = await readUsageDays(userId, YEAR);
    expect(before.map(({ day, model, requests }) => [day, model, requests])).toEqual(
      expect.arrayContaining([
        ['2026-03-01', 'sandbox/story', 2],
        ['2026-03-01', 'sandbox/echo', 1],
        ['2026-03-02', 'sandbox/story', 1],
      ]),
    );
    await rollUpUsage('0 seconds');
    await rollUpUsage('0 seconds');
    const after = await readUsageDays(userId, YEAR);
    expect(new Set(after.map((row) => JSON.stringify(row, write)))).toEqual(
      new Set(before.map((row) => JSON.stringify(row, write))),
    );
  });

  it('filters by a single app or model', async () => {
    const userId = await newUser();
    const [notes, chat] = [await joinApp(userId, 'Notes'), await joinApp(userId, 'Chat')];
    await recordRequest(userId, {
      partnerId: notes.partnerId,
      at: '2026-05-01T10:00:00Z',
      model: 'sandbox/echo',
    });
    await recordRequest(userId, {
      partnerId: chat.partnerId,
      at: '2026-05-01T11:00:00Z',
      model: 'sandbox/story',
    });
    const days = async (filter: object) =>
      (await readUsageDays(userId, { ...YEAR, ...filter })).map(({ partnerId, model }) => [partnerId, model]);
    expect(await days({ partnerId: notes.partnerId })).toEqual([[notes.partnerId, 'sandbox/echo']]);
    expect(await days({ model: 'sandbox/story' })).toEqual([[chat.partnerId, 'sandbox/story']]);
    expect(await days({ model: 'sandbox/story', partnerId: notes.partnerId })).toEqual([]);
  });
});

describe('the list of requests', () => {
  it('pages through every request once, newest first, across days without requests', async () => {
    const userId = await newUser();
    const [notes, chat] = [await joinApp(userId, 'Notes'), await joinApp(userId, 'Chat')];
    const requestIds: string[] = [];
    for (const [i, day] of ['01', '01', '01', '05', '05', '09', '20'].entries()) {
      const { partnerId } = i % 2 === 0 ? notes : chat;
      requestIds.unshift(await recordRequest(userId, { partnerId, at: `2026-06-${day}T0${i}:00:00Z` }));
    }
    const filter = { ...YEAR };
    const days = await readUsageDays(userId, filter);
    const pages: string[] = [];
    for (const offset of [0, 2, 4, 6, 8])
      pages.push(...ids(await readRequestPage(userId, filter, days, { offset, limit: 2 })));
    expect(pages).toEqual(requestIds);
    const exported: string[] = [];
    for await (const lines of streamRequests(userId, filter)) exported.push(...ids(lines));
    expect(exported).toEqual(requestIds);
    expect(ids(await readLatestRequests(userId, 3))).toEqual(requestIds.slice(0, 3));
  });

  it('reads only the days that the page covers', () => {
    const counts = [
      { day: '2026-06-09', count: 3 },
      { day: '2026-06-05', count: 1 },
      { day: '2026-06-01', count: 10 },
    ];
    expect(findWindow(counts, { offset: 0, limit: 2 })).toEqual({
      from: '2026-06-09',
      to: '2026-06-10',
      offset: 0,
    });
    expect(findWindow(counts, { offset: 2, limit: 2 })).toEqual({
      from: '2026-06-05',
      to: '2026-06-10',
      offset: 2,
    });
    expect(findWindow(counts, { offset: 3, limit: 9 })).toEqual({
      from: '2026-06-01',
      to: '2026-06-06',
      offset: 0,
    });
    expect(findWindow(counts, { offset: 14, limit: 2 })).toBeNull();
  });

  it('exports all of a day that has more requests than one batch', async () => {
    const userId = await newUser();
    const { partnerId } = await joinApp(userId, 'Notes');
    await pool().query(
      `INSERT INTO ledger_transaction (user_id, id, partner_id, kind, key_id, model, provider, price_version, input_tokens,
         cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, held, provider_cost,
         credits, balance_after, partner_share, estimated, cost_reported, rate_bp, outcome, created_at)
       SELECT $1, 'txn_x' || n, $2, 'usage', 'key_1', 'sandbox/story', 'sandbox', 'v1', 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, false, false,
         0, 'completed', '2026-06-01T10:00:00Z' FROM generate_series(1, 2500) n`,
      [userId, partnerId],
    );
    const exported = new Set<string>();
    for await (const lines of streamRequests(userId, YEAR)) for (const id of ids(lines)) exported.add(id);
    expect(exported.size).toBe(2500);
  });

  it('contains no requests of other users, whatever app or request id is given', async () => {
    const [mine, theirs] = [await newUser(), await newUser()];
    const { partnerId } = await joinApp(theirs, 'Notes');
    const requestId = await recordRequest(theirs, { partnerId, at: '2026-06-01T10:00:00Z' });
    const filter = { ...YEAR, partnerId };
    expect(await readUsageDays(mine, filter)).toEqual([]);
    const days = await readUsageDays(theirs, filter);
    expect(await readRequestPage(mine, filter, days, { offset: 0, limit: 10 })).toEqual([]);
    expect(await findUserReceipt(mine, requestId)).toBeNull();
    expect(await findUserReceipt(theirs, requestId)).not.toBeNull();
    expect(await findUserReceipt(mine, 'req_\0')).toBeNull();
    expect(await findUserOfRequest(requestId)).toBe(theirs);
    // An e-mail address that starts like an id is not one either.
    expect(isRequestId('req_ada@example.com')).toBe(false);
    for (const unknown of ['req_unknown', 'req_\0']) expect(await findUserOfRequest(unknown)).toBeNull();
    expect(await listUsedApps(mine)).toEqual([]);
    for await (const lines of streamRequests(mine, filter)) expect(lines).toEqual([]);
  });
});

describe('a receipt', () => {
  it('shows every token class at the price of its version, and which pocket paid', async () => {
    await syncCatalog();
    const { rows } = await pool().query<{ version: string; prices: { input: string; output: string } }>(
      "SELECT version, prices FROM model_price WHERE model_id = 'sandbox/story'",
    );
    const version = rows[0];
    if (!version) throw new Error('the sandbox has prices');
    const userId = await newUser();
    const { partnerId } = await joinApp(userId, 'Notes');
    const requestId = await recordRequest(userId, {
      partnerId,
      at: '2026-06-01T10:00:00Z',
      outputTokens: 7,
      priceVersion: version.version,
    });
    const receipt = await findUserReceipt(userId, requestId);
    expect(receipt?.lines).toMatchObject([
      { unit: 'input', count: 100, cost: 100n * BigInt(version.prices.input) },
      { unit: 'output', count: 7, cost: 7n * BigInt(version.prices.output) },
    ]);
    expect(receipt).toMatchObject({
      appName: 'Notes',
      paidFrom: [{ appName: 'Notes', amount: 1_250_000n }],
      providerCost: 1_000_000n,
      partnerShare: 250_000n,
      charge: 1_250_000n,
      held: 2_500_000n,
      notCharged: 0n,
    });
  });

  it('shows tokens without a price when the version is unknown', async () => {
    const userId = await newUser();
    const { partnerId } = await joinApp(userId, 'Notes');
    const requestId = await recordRequest(userId, {
      partnerId,
      at: '2026-06-01T10:00:00Z',
      priceVersion: 'gone',
    });
    expect((await findUserReceipt(userId, requestId))?.lines[0]).toEqual({
      unit: 'input',
      kind: null,
      count: 100,
      price: null,
      cost: null,
    });
  });
});

function forgetRollUp() {
  return pool().query("UPDATE watermark SET up_to = '2000-01-01' WHERE name = 'usage'");
}

const write = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
