import { expect, test } from 'vitest';
import { chargeFor } from '@/server/base/credits';
import { pool } from '@/server/base/db';
import { capture } from '@/server/ledger';
import { rollUpActivity } from '@/server/reports/activity/roll-up';
import { newDatabase } from '../../harness';
import { receipt } from '../../ledger/receipt';
import { buy, exactly, hold, newWallet } from '../../ledger/wallets';

await newDatabase();
const wallet = await newWallet(['A', 'B'], { rateBp: 2500 });

async function spend(app: 'A' | 'B', credits: number): Promise<void> {
  const charge = chargeFor(exactly(credits), 2500);
  const admission = await hold(wallet, app, credits);
  if (!admission.ok) throw new Error(admission.refusal);
  await capture(admission.hold, charge, receipt());
}

type Sums = {
  partner_id: string;
  requests: bigint;
  charge: bigint;
  provider_cost: bigint;
  partner_share: bigint;
};

async function sums(source: string): Promise<Sums[]> {
  const { rows } = await pool().query<Sums>(
    `SELECT partner_id, sum(requests)::bigint AS requests, sum(charge)::bigint AS charge,
            sum(provider_cost)::bigint AS provider_cost, sum(partner_share)::bigint AS partner_share
     FROM ${source} GROUP BY 1 ORDER BY charge`,
  );
  return rows;
}

const RECEIPTS =
  '(SELECT partner_id AS partner_id, 1 AS requests, charge, provider_cost, partner_share FROM usage) u';

test('the sums of an app always equal those of its receipts, rolled up or not', async () => {
  await buy(wallet, 'A', 100);
  await buy(wallet, 'B', 100);
  await spend('A', 1);
  await spend('B', 2);
  const receipts = await sums(RECEIPTS);
  expect(receipts).toHaveLength(2);
  expect(await sums('activity_by_partner')).toEqual(receipts);
  expect(await sums('activity_partner_day')).toEqual([]);

  await rollUpActivity('0 seconds');
  expect(await sums('activity_partner_day')).toEqual(receipts);

  await spend('A', 3);
  expect(await sums('activity_by_partner')).toEqual(await sums(RECEIPTS));
  await Promise.all([1, 2, 3].map(() => rollUpActivity('0 seconds')));
  await rollUpActivity('0 seconds');
  expect(await sums('activity_partner_day')).toEqual(await sums(RECEIPTS));
  expect(await sums('activity_by_partner')).toEqual(await sums(RECEIPTS));
});

test('added credits are summed by day and kind', async () => {
  const { rows } = await pool().query('SELECT kind, entries, credits FROM activity_money_day');
  const bought = { kind: 'purchase', entries: 1n, credits: 100_000_000n };
  expect(rows).toEqual([bought, bought]);
});
