import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { nowDate } from '@/server/base/clock';
import { microcredits } from '@/server/base/credits';
import { pool, prisma } from '@/server/base/db';
import { syncCatalog } from '@/server/gateway/pricing/sync-catalog';
import { checkLedger, closeProposal, openProposal, writeProposal } from '@/server/ledger';
import { svc } from '../../harness/command';
import { newDatabase } from '../../harness/database';
import { withClient } from '../../harness/database-connection';
import { correct } from '../../ledger/correct';
import { generateYear } from '../year/generate';

/** Corrections of receipts that are about to be archived, or are. */

const { url } = await newDatabase();
await syncCatalog();
await withClient(url, (client) => generateYear(client, { requests: 2_000 }));
const dir = mkdtempSync(path.join(tmpdir(), 'svc-archive-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const monthsAgo = (months: number): string => {
  const date = nowDate();
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1)).toISOString().slice(0, 7);
};
const BEFORE = monthsAgo(5);
const MONTH = monthsAgo(7);

const archive = (...more: string[]) => svc('ledger', 'archive', '--before', BEFORE, '--to', dir, ...more);

type Charged = { id: string; userId: string; partnerId: string };

async function findCharged(month: string): Promise<Charged> {
  const { rows } = await pool().query<Charged>(
    `SELECT request_id AS id, user_id AS "userId", partner_id AS "partnerId" FROM usage
     WHERE created_at >= $1::date AND created_at < $1::date + 28 AND charge > 10 ORDER BY created_at DESC LIMIT 1`,
    [`${month}-01`],
  );
  if (rows[0] === undefined) throw new Error(`no request in ${month}`);
  return rows[0];
}

test('a corrected receipt stays, also if it was corrected after the archive was written, and an archived one is final', async () => {
  expect((await archive()).code).toBe(0);
  const { id } = await findCharged(MONTH);
  await correct({ requestId: id, credits: microcredits(10n) });
  const refused = await archive('--delete');
  expect([refused.code, refused.err]).toEqual([
    1,
    `${MONTH}: a receipt was corrected after it was archived: delete the files of this month, and archive it again\n`,
  ]);
  for (const file of readdirSync(dir)) if (file.startsWith(MONTH)) rmSync(path.join(dir, file));
  const removed = await archive('--delete');
  expect([removed.code, removed.err]).toEqual([0, '']);
  const { rows } = await pool().query('SELECT request_id AS id FROM usage WHERE created_at < $1', [
    `${BEFORE}-01`,
  ]);
  expect(rows).toEqual([{ id }]);
  expect((await checkLedger()).differences).toEqual([]);

  // What is left of an archived month is final too.
  const batch = await openProposal({ source: 'price', basis: 'a test', reason: 'Too late.' });
  const transaction = await prisma().ledgerTransaction.findUniqueOrThrow({
    where: { id: id.replace('req_', 'txn_') },
  });
  const { userId, partnerId } = transaction;
  await writeProposal(batch, [
    { requestId: id, userId, partnerId, charge: microcredits(0n), providerCost: microcredits(0n) },
  ]);
  expect(await closeProposal(batch)).toBe(false);
}, 120_000);
