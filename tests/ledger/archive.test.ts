import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nowDate } from '@/server/base/clock';
import { microcredits } from '@/server/base/credits';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { syncCatalog } from '@/server/gateway/pricing/sync-catalog';
import { checkLedger, clawBack, createPayout, readHistory } from '@/server/ledger';
import { auditRecent } from '@/server/ledger/audit';
import { svc, svcJson } from '../harness/command';
import { newDatabase } from '../harness/database';
import { withClient } from '../harness/database-connection';
import { serviceAddressOf } from '../harness/database-server';
import { generateYear } from '../reports/year/generate';
import { YEAR_APP } from '../reports/year/people';
import { forge, whileForged } from './forged-rows';

const { url } = await newDatabase();
await syncCatalog();
await withClient(url, (client) => generateYear(client, { requests: 5_000 }));
const dir = mkdtempSync(path.join(tmpdir(), 'svc-archive-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const monthsAgo = (months: number): string => {
  const date = nowDate();
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1)).toISOString().slice(0, 7);
};
/** Older than any dispute. */
const BEFORE = monthsAgo(5);
const FIRST = monthsAgo(9);

async function one<Row>(sql: string, values: unknown[] = []): Promise<Row> {
  const { rows } = await pool().query(sql, values);
  return rows[0] as Row;
}

const readMoney = () =>
  one(`SELECT sum(own)::text AS own, md5(string_agg(user_id || partner_id || own || allowance_left, ',' ORDER BY user_id, partner_id))
       FROM user_app`);

const countOld = async (): Promise<number> =>
  Number(
    (
      await one<{ count: bigint }>('SELECT count(*) FROM usage WHERE created_at < $1', [
        `${BEFORE}-01T00:00:00Z`,
      ])
    ).count,
  );

/** The commission on an old request was reversed then, for a dispute. */
async function reverseOldCommission(): Promise<string> {
  const { id } = await one<{ id: string }>(
    `SELECT transaction_id AS id FROM usage WHERE created_at >= $1 AND partner_share > 0 ORDER BY created_at LIMIT 1`,
    [`${FIRST}-10T00:00:00Z`],
  );
  await forge([
    `INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, note, postings, created_at)
     SELECT user_id, 'txn_reversal', partner_id, 'earnings_reversal', id || ':1', 0, 0, id,
       ledger_postings('partner_earnings', partner_id, -partner_share, 'chargeback_loss'), created_at + interval '1 minute'
     FROM ledger_transaction WHERE id = '${id}'`,
    `INSERT INTO earnings_day (partner_id, day, model, kind, requests, amount)
     SELECT partner_id, (created_at AT TIME ZONE 'UTC')::date, model, 'reversed', 1, -partner_share FROM ledger_transaction WHERE id = '${id}'`,
    `INSERT INTO earnings_rollup (partner_id, hour, earned)
     SELECT partner_id, date_trunc('hour', created_at + interval '1 minute'), -partner_share FROM ledger_transaction WHERE id = '${id}'
     ON CONFLICT (partner_id, hour) DO UPDATE SET earned = earnings_rollup.earned + excluded.earned`,
  ]);
  return id;
}

async function payTeam(): Promise<void> {
  const { teamId } = await prisma().partner.findUniqueOrThrow({ where: { id: YEAR_APP.id } });
  const made = await createPayout({
    payoutId: newId('po'),
    teamId: teamId ?? '',
    period: monthsAgo(0),
    asOf: nowDate(),
    method: 'manual',
    minimum: microcredits(0n),
    approvedBy: null,
    processorAccountId: null,
    payee: null,
  });
  expect(made.outcome).toBe('created');
}

const firstLines = (month: string, count: number): string[] =>
  gunzipSync(readFileSync(path.join(dir, `${month}.receipts.jsonl.gz`)))
    .toString()
    .split('\n')
    .slice(0, count);

let reversed: string;
let money: unknown;
let old: number;
beforeAll(async () => {
  reversed = await reverseOldCommission();
  await payTeam();
  expect((await checkLedger()).differences).toEqual([]);
  money = await readMoney();
  old = await countOld();
}, 120_000);

describe('before the archive', () => {
  test('months whose payments can still be disputed are refused', async () => {
    // Fewer than 120 days have passed since the later one began, on whichever day this runs.
    for (const before of [monthsAgo(0), monthsAgo(2)]) {
      const { code, out, err } = await svc('ledger', 'archive', '--before', before, '--to', dir);
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/^--before: expected \d{4}-\d{2} or earlier, because receipts can be disputed/);
    }
    expect((await svc('ledger', 'archive', '--before', '2025', '--to', dir)).err).toMatch(/expected a month/);
    await prisma().partner.update({ where: { id: YEAR_APP.id }, data: { earningsHoldDays: 300 } });
    expect((await svc('ledger', 'archive', '--before', BEFORE, '--to', dir)).err).toMatch(
      /commission matures/,
    );
    await prisma().partner.update({ where: { id: YEAR_APP.id }, data: { earningsHoldDays: null } });
  });

  test('the role of the service may not remove receipts', async () => {
    await withClient(serviceAddressOf(url), async (service) => {
      const remove = service.query("SELECT ledger_remove_archived('2025-01-01', '[]')");
      await expect(remove).rejects.toThrow(/permission denied|is not being archived/);
      await expect(service.query('DELETE FROM archived_month')).rejects.toThrow('permission denied');
    });
  });
});

test('an archive has every receipt of its months, with sums, hashes and closing balances', async () => {
  const { written, removed } = (await svcJson('ledger', 'archive', '--before', BEFORE, '--to', dir)) as {
    written: { month: string; receipts: number }[];
    removed: unknown[];
  };
  expect(removed).toEqual([]);
  // The one whose commission was reversed stays.
  expect(written.reduce((sum, { receipts }) => sum + receipts, 0)).toBe(old - 1);
  expect(await countOld()).toBe(old);
  const { charge } = await one<{ charge: string }>(
    `SELECT sum(charge)::text AS charge FROM usage
     WHERE created_at >= $1::date AND created_at < $1::date + interval '1 month' AND transaction_id <> $2`,
    [`${FIRST}-01`, reversed],
  );
  const manifest = JSON.parse(readFileSync(path.join(dir, `${FIRST}.json`), 'utf8'));
  expect(manifest).toMatchObject({
    month: FIRST,
    charge,
    sha256: { receipts: expect.stringMatching(/^\w{64}$/) },
  });
  expect(readdirSync(dir).filter((name) => name.endsWith('.part'))).toEqual([]);
  expect(await svcJson('ledger', 'check', '--archive', dir)).toMatchObject({
    ok: true,
    archived_months: written.length,
    archived_receipts: old - 1,
  });
  expect(await svcJson('ledger', 'archive', '--before', BEFORE, '--to', dir)).toMatchObject({ written: [] });
}, 120_000);

test('an interrupted archive is continued', async () => {
  const file = path.join(dir, `${FIRST}.json`);
  const manifest = readFileSync(file, 'utf8');
  rmSync(file);
  writeFileSync(path.join(dir, `${FIRST}.receipts.jsonl.gz.part`), 'half of a f');
  const { written } = await svcJson('ledger', 'archive', '--before', BEFORE, '--to', dir);
  expect(written).toEqual([{ month: FIRST, receipts: JSON.parse(manifest).receipts }]);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(manifest));
});

describe('a removal', () => {
  test('outside an archive is refused', async () => {
    await expect(pool().query('DELETE FROM ledger_transaction')).rejects.toThrow('append-only');
    await expect(
      pool().query('SELECT ledger_remove_archived($1, $2)', [`${FIRST}-01`, `[${firstLines(FIRST, 1)}]`]),
    ).rejects.toThrow('is not being archived');
  });

  test('does not begin if the files are not the ones that were written', async () => {
    const file = path.join(dir, `${FIRST}.receipts.jsonl.gz`);
    const kept = readFileSync(file);
    const text = gunzipSync(kept).toString();
    writeFileSync(file, gzipSync(text.replace('"credits":-', '"credits":-1')));
    const { code, err } = await svc('ledger', 'archive', '--before', BEFORE, '--to', dir, '--delete');
    expect([code, err]).toEqual([1, expect.stringContaining('its SHA-256 differs')]);
    expect(await countOld()).toBe(old);
    expect((await svc('ledger', 'check', '--archive', dir)).out).toContain('its SHA-256 differs');
    writeFileSync(file, kept);
  });

  test('fails if a receipt differs from the archive, and the books agree at every step of it', async () => {
    const lines = firstLines(FIRST, 3);
    const [one, , three] = lines.map((line) => JSON.parse(line).id as string);
    await pool().query(
      "UPDATE watermark SET up_to = ($1::date + interval '1 month') AT TIME ZONE 'UTC' WHERE name = 'archive'",
      [`${FIRST}-01`],
    );
    const remove = (rows: string[]) =>
      pool().query('SELECT ledger_remove_archived($1, $2) AS removed', [`${FIRST}-01`, `[${rows}]`]);
    await whileForged(
      [`UPDATE ledger_transaction SET output_tokens = output_tokens + 1 WHERE id = '${three}'`],
      async () => {
        await expect(remove(lines)).rejects.toThrow('1 of 3 receipts differ from the archive');
      },
    );
    expect(await countOld()).toBe(old);
    const furtherRemoval = inTransaction(async (tx) => {
      await tx.$executeRaw`SELECT ledger_remove_archived(${`${FIRST}-01`}::date, ${`[${lines.slice(0, 2)}]`}::json)`;
      await tx.$executeRaw`DELETE FROM ledger_transaction WHERE kind = 'usage'`;
    });
    await expect(furtherRemoval).rejects.toThrow('append-only');
    expect(await countOld()).toBe(old);
    const removals = await Promise.all([remove(lines.slice(0, 2)), remove(lines.slice(0, 2))]);
    expect(removals.map(({ rows }) => rows[0]?.removed).sort()).toEqual([0, 2]);
    expect((await pool().query('SELECT FROM usage WHERE transaction_id = $1', [one])).rowCount).toBe(0);
    expect((await checkLedger()).differences).toEqual([]);
  }, 60_000);

  test('leaves balances and books as they were, and is repeated without an effect', async () => {
    const words = ['ledger', 'archive', '--before', BEFORE, '--to', dir, '--delete'];
    const { removed } = (await svcJson(...words)) as { removed: { receipts: number }[] };
    expect(removed.reduce((sum, { receipts }) => sum + receipts, 0)).toBe(old - 3);
    expect(await countOld()).toBe(1);
    expect(await readMoney()).toEqual(money);
    expect(await svcJson('ledger', 'check', '--archive', dir)).toMatchObject({ ok: true, differences: [] });
    expect(await svcJson(...words)).toMatchObject({ written: [], removed: [] });
    // The stored sums of the audit are made again from what is left.
    await forge([
      'DELETE FROM audited_pocket',
      "UPDATE watermark SET up_to = '2000-01-01' WHERE name = 'audit_users'",
    ]);
    expect((await auditRecent(0))?.differences).toEqual([]);
  }, 120_000);
});

describe('after the removal', () => {
  test('the total of a history counts what is left, also of the archived months', async () => {
    const { rows } = await pool().query<{ user_id: string; partner_id: string; left: number }>(
      `SELECT user_id, partner_id, count(*)::int AS left FROM ledger_transaction
       WHERE kind <> 'earnings_reversal' GROUP BY 1, 2 ORDER BY min(created_at), 3 DESC LIMIT 20`,
    );
    expect(rows.length).toBe(20);
    for (const { user_id: userId, partner_id: partnerId, left } of rows)
      expect((await readHistory({ userId, partnerId }, { limit: 1, offset: 0 })).total).toBe(left);
  });

  test('an archived purchase is refunded, and the books agree', async () => {
    const purchase = await prisma().purchase.findFirstOrThrow({
      where: { createdAt: { lt: new Date(`${BEFORE}-01`) }, refundedMinor: 0, disputedMinor: 0 },
    });
    await inTransaction(async (tx) => {
      await tx.purchase.update({
        where: { id: purchase.id },
        data: { refundedMinor: purchase.amountMinor },
      });
      const { userId, sessionId, credits } = purchase;
      await clawBack(tx, {
        userId,
        sessionId,
        refunded: microcredits(credits),
        disputed: microcredits(0n),
      });
    });
    expect((await checkLedger()).differences).toEqual([]);
  }, 60_000);

  test('a receipt is found in the archive by its request', async () => {
    const [line = ''] = firstLines(FIRST, 1);
    const { id } = JSON.parse(line) as { id: string };
    const found = await svcJson('ledger', 'find', `req_${id.slice(4)}`, '--archive', dir);
    expect(found).toEqual({ month: FIRST, receipt: JSON.parse(line) });
    expect((await svc('ledger', 'find', 'req_unknown', '--archive', dir)).err).toMatch(
      /has no receipt req_unknown/,
    );
  });

  test('the check finds a changed sum of an archived month', async () => {
    const changes = [
      'UPDATE archived_month SET moved = moved + 1, granted = granted + 1',
      `UPDATE usage_day SET charge = charge + 1
       WHERE day = (SELECT min(day) FROM usage_day WHERE day >= '${FIRST}-15')`,
      `UPDATE earnings_day SET amount = amount + 1
       WHERE day = (SELECT min(day) FROM earnings_day WHERE day >= '${FIRST}-15')`,
    ];
    await whileForged(changes, async () => {
      const { differences } = await checkLedger();
      for (const invariant of [
        'every pocket exists and equals',
        'the granted credits of a pocket',
        'requests by day equal the totals of the archived',
        'earnings equal the totals of the archived',
      ])
        expect(differences).toContainEqual(expect.stringContaining(invariant));
    });
    const byHour = `UPDATE earnings_rollup SET earned = earned + 1
      WHERE hour = (SELECT min(hour) FROM earnings_rollup WHERE hour >= '${FIRST}-15T00:00:00Z')`;
    await whileForged([byHour], async () => {
      expect((await checkLedger()).differences).toContainEqual(
        expect.stringMatching(/^earnings equal the totals of the archived/),
      );
    });
    await whileForged([`DELETE FROM archived_month WHERE month = '${FIRST}-01'`], async () => {
      expect((await checkLedger()).differences).toContainEqual(
        expect.stringContaining('every pocket exists and equals'),
      );
    });
  }, 60_000);

  test('the check of the archive finds a month that it no longer has', async () => {
    const file = path.join(dir, `${FIRST}.json`);
    const kept = readFileSync(file);
    rmSync(file);
    const { code, out } = await svc('ledger', 'check', '--archive', dir);
    expect([code, out]).toEqual([1, expect.stringContaining(`${FIRST}: the receipts were removed`)]);
    writeFileSync(file, kept);
  }, 60_000);
});
