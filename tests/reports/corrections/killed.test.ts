import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { chargeFor, wholeCredits } from '@/server/base/credits';
import { onConnection, pool, prisma } from '@/server/base/db';
import { bookCorrections, capture, checkLedger } from '@/server/ledger';
import { newDatabase } from '../../harness';
import { bundleProgram } from '../../harness/programs';
import { until } from '../../harness/until';
import { approve, proposeCredits } from '../../ledger/correct';
import { receipt } from '../../ledger/receipt';
import { buy, exactly, hold, newWallet, type Wallet } from '../../ledger/wallets';

/** A process that dies while it books a batch, and two that book one at the same time. */

await newDatabase();

const bundle = bundleProgram('tests/reports/corrections/corrections-process.ts');

const start = (): ChildProcess =>
  spawn(process.execPath, [bundle], { env: process.env, stdio: ['ignore', 'ignore', 'inherit'] });

const USERS = 6;
const REQUESTS = 3;

/** Each user was charged 3 × 10 credits and gets 3 × 4 back. */
async function newBatch(): Promise<{ batch: string; wallets: Wallet[] }> {
  const wallets: Wallet[] = [];
  const wishes: Parameters<typeof proposeCredits>[0][number][] = [];
  for (let n = 0; n < USERS; n++) {
    const wallet = await newWallet(['A'], { rateBp: 2_500 });
    await buy(wallet, 'A', 100);
    for (let m = 0; m < REQUESTS; m++) {
      const admission = await hold(wallet, 'A', 8, 8);
      if (!admission.ok) throw new Error(admission.refusal);
      await capture(admission.hold, chargeFor(exactly(8), admission.hold.rateBp), receipt());
      wishes.push({ requestId: admission.hold.requestId, credits: wholeCredits(4) });
    }
    wallets.push(wallet);
  }
  const batch = (await proposeCredits(wishes)) ?? '';
  await approve(batch);
  return { batch, wallets };
}

async function countBooked(batch: string): Promise<number> {
  return prisma().correction.count({ where: { batchId: batch, bookedAt: { not: null } } });
}

async function expectBookedOnce(batch: string, wallets: Wallet[]): Promise<void> {
  const { rows } = await pool().query<{ money: bigint }>(
    'SELECT money FROM wallet WHERE user_id = ANY ($1)',
    [wallets.map(({ userId }) => userId)],
  );
  expect(rows.map(({ money }) => money)).toEqual(wallets.map(() => wholeCredits(82)));
  expect(await prisma().ledgerTransaction.count({ where: { kind: 'correction', relatedId: batch } })).toBe(
    USERS * REQUESTS,
  );
  expect(await prisma().correctionBatch.findUnique({ where: { id: batch } })).toMatchObject({
    state: 'booked',
  });
  expect(
    await prisma().dueMail.count({
      where: { kind: 'correction', ref: { path: ['batchId'], equals: batch } },
    }),
  ).toBe(USERS);
  expect((await checkLedger()).differences).toEqual([]);
}

test('a batch whose process was killed halfway is booked by another one, each correction once', async () => {
  const { batch, wallets } = await newBatch();
  // In the order in which they are booked.
  const { rows: users } = await pool().query<{ id: string }>(
    'SELECT DISTINCT user_id AS id FROM correction WHERE batch_id = $1 ORDER BY 1',
    [batch],
  );
  const middle = users[USERS / 2]?.id;
  await onConnection(async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM wallet WHERE user_id = $1 FOR UPDATE', [middle]);
    const child = start();
    await until(
      () => countBooked(batch),
      (count) => count === (USERS / 2) * REQUESTS,
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    // Its statement may still be waiting for the wallet, and is committed then.
    await client.query('ROLLBACK');
  });
  await bookCorrections();
  await expectBookedOnce(batch, wallets);
}, 60_000);

test('two processes book a batch together, each correction once', async () => {
  const { batch, wallets } = await newBatch();
  const children = [start(), start()];
  await Promise.all([bookCorrections(), ...children.map((child) => once(child, 'exit'))]);
  await bookCorrections();
  await expectBookedOnce(batch, wallets);
}, 60_000);
