import { expect, test } from 'vitest';
import { DAY_MS, now } from '@/server/base/clock';
import { chargeFor } from '@/server/base/credits';
import { pool } from '@/server/base/db';
import { capture, readHistory, rollUpUsage } from '@/server/ledger';
import { listAppRequests } from '@/server/reports/activity/partner-activity';
import { newDatabase } from '../harness/database';
import { type Chance, chanceFrom } from '../reports/year/chance';
import { receipt } from './receipt';
import { allow, buy, exactly, hold, newWallet, type Wallet } from './wallets';

await newDatabase();

async function spend(wallet: Wallet, app: string, times: number): Promise<void> {
  for (let sent = 0; sent < times; sent++) {
    const admission = await hold(wallet, app, 1);
    if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
    await capture(admission.hold, chargeFor(exactly(1), 0), receipt());
  }
}

/** As many entries as the pages of the history have. */
async function countEntries({ userId, apps }: Wallet, app: string): Promise<{ total: number; read: number }> {
  const owner = { userId, partnerId: apps[app]?.id ?? '' };
  const { total } = await readHistory(owner, { limit: 1, offset: 0 });
  const { entries } = await readHistory(owner, { limit: 200, offset: 0 });
  return { total, read: entries.length };
}

test('the total of a history counts each entry of the app once, before and after requests are added up by day', async () => {
  const wallet = await newWallet(['A', 'B']);
  await buy(wallet, 'A', 100);
  await buy(wallet, 'B', 100);
  await allow(wallet, 'A', 50);
  await spend(wallet, 'A', 3);
  await spend(wallet, 'B', 2);
  expect(await countEntries(wallet, 'A')).toEqual({ total: 5, read: 5 });
  await rollUpUsage('0 seconds');
  expect(await countEntries(wallet, 'A')).toEqual({ total: 5, read: 5 });
  await spend(wallet, 'A', 4);
  expect(await countEntries(wallet, 'A')).toEqual({ total: 9, read: 9 });
  expect(await countEntries(wallet, 'B')).toEqual({ total: 3, read: 3 });
});

const FIRST_DAY = Date.parse('2026-06-01');
const DAYS = 100;
const ENTRIES = 800;
const SEED = 46;
const OTHER_KINDS = 'purchase permission refund adjustment promotion correction earnings_reversal'.split(' ');
const AT_ONE_INSTANT = ['00:00:00', '12:34:56.789', '23:59:59.999999'];

function randomEntry(n: number, { apps }: Wallet, chance: Chance) {
  const day = FIRST_DAY + chance.between(0, DAYS) * DAY_MS;
  const time = new Date(chance.between(0, DAY_MS)).toISOString().slice(11, 23);
  const isUsage = chance.happens(0.8);
  return {
    id: chance.id('txn'),
    partner: apps[chance.happens(0.6) ? 'A' : 'B']?.id,
    at: `${new Date(day).toISOString().slice(0, 10)}T${chance.happens(0.3) ? AT_ONE_INSTANT[chance.between(0, 3)] : time}Z`,
    kind: isUsage ? 'usage' : OTHER_KINDS[chance.between(0, OTHER_KINDS.length)],
    cause: isUsage ? null : `cause${n}`,
    model: isUsage ? `test/${chance.between(0, 3)}` : null,
    outcome: isUsage ? (chance.happens(0.8) ? 'completed' : 'aborted') : null,
  };
}

async function writeRandomHistory(wallet: Wallet, chance: Chance): Promise<void> {
  const entries = Array.from({ length: ENTRIES }, (_, n) => randomEntry(n, wallet, chance));
  await pool().query(
    `INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, created_at, model,
       outcome, held, provider_cost, partner_share, rate_bp, provider, price_version, input_tokens, cache_read_tokens,
       cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, estimated, cost_reported)
     SELECT $1, r.id, r.partner, r.kind, r.cause, -1, 0, r.at, r.model, r.outcome, u.*
     FROM json_to_recordset($2) AS r (id text, partner text, kind text, cause text, at timestamptz, model text, outcome text)
     LEFT JOIN (SELECT 1, 1, 0, 0, 'test', 'test@1', 1, 0, 0, 0, 1, 0, false, true) u ON r.kind = 'usage'`,
    [wallet.userId, JSON.stringify(entries)],
  );
}

/** The total and pages at random places are those of the rows themselves, for each app. */
async function expectHistoryOfRows({ userId, apps }: Wallet, { between }: Chance): Promise<void> {
  for (const { id: partnerId } of Object.values(apps)) {
    const { rows } = await pool().query<{ id: string }>(
      `SELECT id FROM ledger_transaction WHERE user_id = $1 AND partner_id = $2 AND kind <> 'earnings_reversal'
       ORDER BY created_at DESC, id DESC`,
      [userId, partnerId],
    );
    const ids = rows.map(({ id }) => id);
    for (const offset of [0, between(0, ids.length), between(0, ids.length), ids.length - 1, ids.length]) {
      const limit = between(1, 60);
      const { total, entries } = await readHistory({ userId, partnerId }, { limit, offset });
      expect({ total, page: entries.map(({ id }) => id) }).toEqual({
        total: ids.length,
        page: ids.slice(offset, offset + limit),
      });
    }
  }
}

/** The same of the partner's list of the user's requests, with each filter. */
async function expectListOfRows({ userId, apps }: Wallet): Promise<void> {
  for (const { id: partnerId } of Object.values(apps))
    for (const filter of [{}, { model: 'test/1' }, { status: 'unfinished' as const }]) {
      const { rows } = await pool().query<{ app_user_id: string; total: number }>(
        `SELECT a.app_user_id, count(*)::int AS total FROM user_app a JOIN usage u USING (user_id, partner_id)
         WHERE user_id = $1 AND partner_id = $2 AND u.created_at >= '2026-06-20' AND u.created_at < '2026-08-20'
           AND ($3::text IS NULL OR u.model = $3) AND ($4::boolean OR u.outcome <> 'completed') GROUP BY 1`,
        [userId, partnerId, filter.model ?? null, filter.status === undefined],
      );
      const search = { from: '2026-06-20', to: '2026-08-20', appUserId: rows[0]?.app_user_id, ...filter };
      const { total, requests } = await listAppRequests(partnerId, search, { limit: 1_000, offset: 0 });
      expect(total).toBe(rows[0]?.total);
      expect(requests).toHaveLength(total);
    }
}

/** Adds up the requests before an instant. */
const rollUpUntil = (at: string): Promise<void> => rollUpUsage(`${now() - Date.parse(at)} milliseconds`);

/** Removes some receipts of a month as the archive does. */
async function removeReceipts(month: string, limit: number): Promise<void> {
  await pool().query(
    `UPDATE watermark SET up_to = ($1::date + interval '1 month') AT TIME ZONE 'UTC' WHERE name = 'archive'`,
    [month],
  );
  const { rows } = await pool().query<{ removed: number }>(
    `SELECT ledger_remove_archived($1, json_agg(row_to_json(t))) AS removed FROM (
       SELECT * FROM ledger_transaction WHERE kind = 'usage' AND created_at >= $1::date::timestamp AT TIME ZONE 'UTC'
         AND created_at < ($1::date + interval '1 month') AT TIME ZONE 'UTC' ORDER BY id LIMIT $2) t`,
    [month, limit],
  );
  expect(rows[0]?.removed).toBeGreaterThan(0);
}

test('the total and every page of a random history are those of its rows, however much is added up by day or archived', async () => {
  const wallet = await newWallet(['A', 'B']);
  const chance = chanceFrom(SEED);
  await pool().query("UPDATE watermark SET up_to = '2000-01-01' WHERE name = 'usage'");
  await writeRandomHistory(wallet, chance);
  for (const until of [
    '2026-06-01',
    '2026-06-25T05:00:01Z',
    '2026-08-01',
    '2026-08-31T23:59:59.999Z',
    '2026-10-01',
  ]) {
    await rollUpUntil(until);
    await expectHistoryOfRows(wallet, chance);
    await expectListOfRows(wallet);
  }
  for (const [month, limit] of [
    ['2026-06-01', 50],
    ['2026-06-01', 1_000],
    ['2026-07-01', 90],
  ] as const) {
    await removeReceipts(month, limit);
    await expectHistoryOfRows(wallet, chance);
  }
});
