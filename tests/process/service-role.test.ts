import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { readSettings } from '@/server/base/env';
import { checkLedger, clawBack, LEDGER_JOBS, mayRemove, readSpendable } from '@/server/ledger';
import { applyDueRates } from '@/server/partners/rates';
import { sweepDeliveries } from '@/server/partners/webhooks/retention';
import { sweepPayments } from '@/server/payments/checkout/sweep';
import { forgetOldVisits } from '@/server/payments/checkout/visits';
import { sweepSignIns } from '@/server/people/sweep-sign-ins';
import { openCommandEnvironment, provideDatabase, updateDatabase } from '@/server/process/environment';
import { sendMails } from '@/server/process/mail-jobs';
import { keepActivity, writeCounts } from '@/server/reports/activity/keep';
import { startApi } from '../harness/api-server';
import { newDatabase } from '../harness/database';
import { withClient } from '../harness/database-connection';
import { serviceAddressOf } from '../harness/database-server';
import { newPerson } from '../harness/people';

const { url } = await newDatabase();
process.env.DATABASE_URL = serviceAddressOf(url);
const api = await startApi();
const person = await newPerson({ credits: 100 });

test('the service does all of its work with a role that owns nothing', async () => {
  const { rows } = await pool().query(
    'SELECT current_user, rolsuper FROM pg_roles WHERE rolname = current_user',
  );
  expect(rows).toEqual([{ current_user: 'svc_service', rolsuper: false }]);

  const response = await fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(response.status).toBe(200);
  const { sessionId } = await prisma().purchase.findFirstOrThrow({ where: { userId: person.userId } });
  await inTransaction(async (tx) => {
    const [refunded, disputed] = [wholeCredits(50), wholeCredits(0)];
    await clawBack(tx, { userId: person.userId, sessionId, refunded, disputed });
    await tx.purchase.update({ where: { sessionId }, data: { refundedMinor: 50 } });
  });
  for (const { run } of LEDGER_JOBS) await run(new AbortController().signal);
  await writeCounts([]);
  await keepActivity([]);
  for (const sweep of [
    sweepPayments,
    () => sendMails('receipt'),
    sweepDeliveries,
    sweepSignIns,
    forgetOldVisits,
    applyDueRates,
  ])
    await sweep();
  expect((await checkLedger()).differences).toEqual([]);
  expect((await readSpendable(person.userId, person.partnerId)).balance).toBeLessThan(50_000_000n);
});

const APPEND_ONLY = [
  'ledger_transaction',
  'model_price',
  'purchase',
  'invoice',
  'audit_entry',
  'payout',
  'payout_line',
  'payout_item',
  'payout_transaction',
];

test('that role may not remove archived receipts', async () => {
  expect(await mayRemove()).toBe(false);
});

describe('that role cannot', () => {
  test.each([
    ...APPEND_ONLY.flatMap((table) => [
      `DELETE FROM ${table}`,
      `TRUNCATE ${table}`,
      `ALTER TABLE ${table} DISABLE TRIGGER USER`,
    ]),
    'UPDATE ledger_transaction SET credits = 0',
    'UPDATE payout_line SET amount = 0',
    "UPDATE daily_statement SET signed = ''",
    'DELETE FROM signing_key',
    'TRUNCATE daily_statement',
    'UPDATE payout_item SET amount = 0',
    "UPDATE payout_transaction SET postings = '[]'",
    'UPDATE usage SET held = 0',
    'DELETE FROM usage',
    'DELETE FROM archived_month',
    'UPDATE archived_month SET moved = 0',
    "UPDATE model_price SET prices = '{}'",
    'UPDATE purchase SET credits = 0',
    "UPDATE audit_entry SET reason = 'none'",
    'ALTER TABLE ledger_transaction DROP CONSTRAINT ledger_transaction_sums_to_zero',
    'DROP TRIGGER ledger_transaction_append_only ON ledger_transaction',
    "CREATE OR REPLACE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    "SET session_replication_role = 'replica'",
    "UPDATE sql_file SET hash = ''",
    'CREATE TABLE anything ()',
  ])('%s', async (statement) => {
    await expect(pool().query(statement)).rejects.toThrow(/permission denied|must be owner|append-only/);
  });
});

test('the owner cannot change or truncate history by mistake either', async () => {
  await withClient(url, async (owner) => {
    for (const table of APPEND_ONLY)
      await expect(owner.query(`TRUNCATE ${table} CASCADE`)).rejects.toThrow(`${table} is append-only`);
    for (const statement of [
      'DELETE FROM ledger_transaction',
      'DELETE FROM purchase',
      'UPDATE usage SET held = 0',
      'UPDATE purchase SET credits = 0',
      "UPDATE model_price SET prices = '{}'",
    ])
      await expect(owner.query(statement)).rejects.toThrow('is append-only');
    const { rowCount } = await owner.query('UPDATE purchase SET refunded_minor = refunded_minor');
    expect(rowCount).toBe(1);
  });
});

test('with the embedded database, the service has this role at every start, and commands that of the owner', async () => {
  const environment = { ...process.env };
  const dataDir = path.resolve(`.data/test-role-${process.pid}`);
  const roleOf = (address: string | undefined) =>
    withClient(
      String(address),
      async (client) => (await client.query('SELECT current_user')).rows[0]?.current_user,
    );
  try {
    delete process.env.DATABASE_URL;
    process.env.DATA_DIR = dataDir;
    for (const _start of ['first', 'second']) {
      const given = readSettings(process.env);
      const embedded = await provideDatabase(given);
      const address = await updateDatabase(given, embedded);
      expect(await roleOf(address)).toBe('svc_service');
      expect(process.env.DATABASE_URL).toBe(address);
      delete process.env.DATABASE_URL;
      const leave = await openCommandEnvironment();
      expect(await roleOf(process.env.DATABASE_URL)).toBe('svc');
      await leave();
      delete process.env.DATABASE_URL;
      await embedded?.stop();
    }
  } finally {
    process.env = environment;
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 60_000);
