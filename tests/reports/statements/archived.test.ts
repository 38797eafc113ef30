import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { nowDate } from '@/server/base/clock';
import { pool } from '@/server/base/db';
import { syncCatalog } from '@/server/gateway/pricing/sync-catalog';
import { runCommand } from '@/server/operator/cli/run';
import { listAccountStatements } from '@/server/reports/statements/account-statements';
import { closeDays } from '@/server/reports/statements/close-days';
import { newDatabase } from '../../harness/database';
import { withClient } from '../../harness/database-connection';
import { forge } from '../../ledger/forged-rows';
import { generateYear } from '../year/generate';

/** Statements of days whose receipts were archived and removed. */

const { url } = await newDatabase();
await syncCatalog();
await withClient(url, (client) => generateYear(client, { requests: 300 }));
const dir = mkdtempSync(path.join(tmpdir(), 'svc-archive-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const firstOf = (monthsAgo: number): Date => {
  const date = nowDate();
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - monthsAgo, 1));
};

async function run(...words: string[]): Promise<{ code: number; text: string }> {
  let text = '';
  const write = (line: string) => {
    text += line;
  };
  return { code: await runCommand(words, { out: write, err: write }), text };
}

const beginStatements = (at: Date) =>
  pool().query("UPDATE watermark SET up_to = $1 WHERE name = 'statements'", [at]);
const readOpenings = async (): Promise<Record<string, string>> => {
  const { rows } = await pool().query<{ user: string; opening: string }>(
    `SELECT DISTINCT ON (user_id) user_id AS user,
            convert_from(decode(rpad(translate(split_part(signed, '.', 2), '-_', '+/'),
              (length(split_part(signed, '.', 2)) + 3) / 4 * 4, '='), 'base64'), 'UTF8')::json ->> 'opening' AS opening
     FROM daily_statement WHERE scope = 'account' ORDER BY user_id, day`,
  );
  return Object.fromEntries(rows.map(({ user, opening }) => [user, opening]));
};

test('the first statement after an archive begins with the same balance, and archived days still agree', async () => {
  await beginStatements(firstOf(1));
  await closeDays();
  const openings = await readOpenings();
  expect(Object.keys(openings).length).toBeGreaterThan(5);
  expect(Object.values(openings).some((opening) => opening !== '0')).toBe(true);

  await forge(['DELETE FROM daily_statement']);
  await beginStatements(firstOf(6));
  await closeDays();
  expect(await run('ledger', 'check')).toMatchObject({ code: 0 });
  const before = firstOf(5).toISOString().slice(0, 7);
  expect(await run('ledger', 'archive', '--before', before, '--to', dir, '--delete')).toMatchObject({
    code: 0,
  });
  expect(await run('ledger', 'check', '--archive', dir)).toMatchObject({ code: 0 });

  const { rows } = await pool().query<{ id: string; day: string }>(
    `SELECT user_id AS id, to_char(day, 'YYYY-MM-DD') AS day FROM daily_statement
     WHERE scope = 'account' AND day < $1 ORDER BY day LIMIT 1`,
    [firstOf(5)],
  );
  const [archived] = rows;
  const { statements } = await listAccountStatements(archived?.id ?? '', { limit: 400, before: null });
  expect(statements.find(({ day }) => day === archived?.day)).toMatchObject({
    isArchived: true,
    matches: true,
  });
  expect(statements.filter(({ matches }) => matches !== true)).toEqual([]);

  await forge(['DELETE FROM daily_statement']);
  await beginStatements(firstOf(1));
  await closeDays();
  expect(await readOpenings()).toEqual(openings);
}, 120_000);
