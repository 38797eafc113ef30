import { describe, expect, it } from 'vitest';
import { pool } from '@/server/base/db';
import { syncCatalog } from '@/server/gateway/pricing/sync-catalog';
import { checkLedger } from '@/server/ledger';
import { readEarnings } from '@/server/ledger/earnings';
import { newYearDatabase } from './database';
import { YEAR_APP, YEAR_HEAVY_USER } from './people';
import { YEAR_REQUESTS } from './seed';

await newYearDatabase();
await syncCatalog();

async function one<Row>(sql: string, values: unknown[] = []): Promise<Row> {
  const { rows } = await pool().query(sql, values);
  return rows[0] as Row;
}

describe('a generated year', () => {
  it('satisfies every invariant of the ledger', { timeout: 60_000 }, async () => {
    const report = await checkLedger();
    expect(report.differences).toEqual([]);
    expect(report.users).toBe(400);
  });

  it('is a whole year of requests that ends now', async () => {
    const { requests, days, age } = await one<{ requests: bigint; days: bigint; age: number }>(
      `SELECT count(*) AS requests, count(DISTINCT created_at::date) AS days,
              extract(epoch FROM clock_timestamp() - max(created_at))::float8 AS age FROM usage`,
    );
    expect(requests).toBe(BigInt(YEAR_REQUESTS));
    expect(days).toBeGreaterThan(360n);
    expect(age).toBeLessThan(26 * 3600);
  });

  it('has one user with a tenth of the requests, refunds, grants, allowances and failed payments', async () => {
    const heavy = await one<{ requests: bigint }>(
      'SELECT count(*) AS requests FROM usage JOIN "user" u ON u.id = user_id WHERE email = $1',
      [YEAR_HEAVY_USER],
    );
    expect(heavy.requests).toBeGreaterThanOrEqual(BigInt(YEAR_REQUESTS / 10));
    const { rows } = await pool().query<{ kind: string }>(
      'SELECT DISTINCT kind FROM ledger_transaction ORDER BY 1',
    );
    expect(rows.map(({ kind }) => kind)).toEqual(['adjustment', 'permission', 'purchase', 'refund', 'usage']);
    const { statuses } = await one<{ statuses: string[] }>(
      'SELECT array_agg(DISTINCT status ORDER BY status) AS statuses FROM checkout_session',
    );
    expect(statuses).toEqual(['completed', 'expired', 'failed']);
  });

  it('never charges more than an app can spend', async () => {
    const { beyond } = await one<{ beyond: bigint }>(
      `SELECT count(*) AS beyond FROM ledger_transaction WHERE kind = 'usage' AND balance_after < 0`,
    );
    expect(beyond).toBe(0n);
  });

  it('is folded into daily totals that agree with the receipts', async () => {
    const sums = (source: string) =>
      one(`SELECT sum(requests)::bigint AS requests, sum(charge)::bigint AS charge FROM ${source}`);
    const receipts = await sums('(SELECT 1 AS requests, charge FROM usage) u');
    expect(await sums('activity_partner_day')).toEqual(receipts);
    expect(await sums('usage_day')).toEqual(receipts);
  });

  it('has earned its partners mature and maturing commission', async () => {
    const { matured, maturing } = await readEarnings(YEAR_APP.id);
    expect(matured).toBeGreaterThan(0n);
    expect(maturing).toBeGreaterThan(0n);
  });
});
