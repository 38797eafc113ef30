import { afterEach, expect, test } from 'vitest';
import { DAY_MS, now } from '@/server/base/clock';
import { chargeFor, type Microcredits, wholeCredits } from '@/server/base/credits';
import { pool, prisma } from '@/server/base/db';
import { capture, checkLedger, type Hold, raiseBudget, release, sweepHolds } from '@/server/ledger';
import { forgetOldBudgets } from '@/server/ledger/budgets';
import { newDatabase } from '../harness/database';
import { seededRandom } from '../harness/random';
import { receipt } from './receipt';
import { addRunKey, type Budgeted, buy, exactly, hold, newWallet, type RunKey, type Wallet } from './wallets';

process.env.LIMIT_RUNNING_PER_USER = '5000';
await newDatabase();

afterEach(async () => expect((await checkLedger()).differences).toEqual([]));

const mint = (wallet: Wallet, budget: Budgeted, parent?: RunKey) => addRunKey(wallet, 'A', budget, parent);

const spend = (wallet: Wallet, key: RunKey, want: number, need = 0) =>
  hold(wallet, 'A', want, need, { keyHash: key.keyHash });

async function place(wallet: Wallet, key: RunKey, want: number): Promise<Hold> {
  const admission = await spend(wallet, key, want);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  return admission.hold;
}

const charge = (running: Hold, credits: number) =>
  capture(running, chargeFor(exactly(credits), running.rateBp), receipt());

const budgetOf = ({ userId }: Wallet, id: string) =>
  prisma().budget.findUniqueOrThrow({ where: { userId_id: { userId, id } } });

async function rich(): Promise<Wallet> {
  const wallet = await newWallet(['A']);
  await buy(wallet, 'A', 10_000);
  return wallet;
}

test('parallel requests of a tree of run keys never pass a budget of it by a microcredit @attack', {
  timeout: 120_000,
}, async () => {
  const wallet = await rich();
  const random = seededRandom();
  const root = await mint(wallet, { credits: 40 });
  const middle = [await mint(wallet, { credits: 25 }, root), await mint(wallet, { credits: 25 }, root)];
  const leaves = await Promise.all(
    [0, 1, 0, 1].map((n) => mint(wallet, { credits: 15, requests: 30 }, middle[n])),
  );
  const keys = [root, ...middle, ...leaves];
  const paid = new Map(keys.map(({ id }) => [id, 0n]));
  for (let round = 0; round < 4; round++) {
    await Promise.all(
      Array.from({ length: 64 }, async () => {
        const key = keys[Math.floor(random() * keys.length)] ?? root;
        const admission = await spend(wallet, key, 0.1 + random() * 3);
        if (!admission.ok) return;
        if (random() < 0.2) return release(admission.hold);
        const settled = await charge(admission.hold, random() * 4);
        for (const id of key.lineage.slice(1)) paid.set(id, (paid.get(id) ?? 0n) + (settled?.captured ?? 0n));
      }),
    );
  }
  for (const { id } of keys) {
    const { spent, held, credits, used } = await budgetOf(wallet, id);
    expect([spent, held]).toEqual([paid.get(id), 0n]);
    expect(spent).toBeLessThanOrEqual(credits ?? 0n);
    if (leaves.some((leaf) => leaf.id === id)) expect(used).toBeLessThanOrEqual(30);
  }
  const { spent } = await budgetOf(wallet, root.id);
  expect(spent).toBeGreaterThan(wholeCredits(35));
});

test('a request gets what the smallest budget of its key leaves, and is refused with the amount', async () => {
  const wallet = await rich();
  const root = await mint(wallet, { credits: 10 });
  const child = await mint(wallet, { credits: 4 }, root);
  const first = await place(wallet, child, 9);
  expect(first).toMatchObject({ amount: wholeCredits(4), budgets: [root.id, child.id] });
  // It would fit if the first one were not running.
  expect(await spend(wallet, child, 2, 1)).toMatchObject({ refusal: 'busy' });
  expect(await place(wallet, root, 9)).toMatchObject({ amount: wholeCredits(6) });
  await charge(first, 3);
  const limit = { kind: 'credits', scope: 'key', resetsAt: null };
  const lack = { needed: wholeCredits(2), available: wholeCredits(1) };
  expect(await spend(wallet, child, 3, 2)).toMatchObject({ limit, lack });
  await sweep(wallet);
});

/** Another instance takes all running requests for abandoned. */
async function sweep({ userId }: Wallet): Promise<void> {
  await pool().query(
    `UPDATE hold SET lease_until = clock_timestamp() - interval '1 second' WHERE user_id = $1`,
    [userId],
  );
  await sweepHolds([]);
}

test('requests are counted once they are charged, and models are checked', async () => {
  const wallet = await rich();
  const key = await mint(wallet, { credits: 10, requests: 1, models: ['test/model'] });
  const running = await place(wallet, key, 1);
  expect(await spend(wallet, key, 1)).toMatchObject({ limit: { kind: 'requests', scope: 'key' } });
  await release(running);
  await charge(await place(wallet, key, 1), 1);
  expect(await spend(wallet, key, 1)).toMatchObject({ limit: { kind: 'requests', scope: 'key' } });
  const other = { keyHash: key.keyHash, model: 'test/other' };
  expect(await hold(wallet, 'A', 1, 0, other)).toMatchObject({ limit: { kind: 'model', scope: 'key' } });
});

test('a request whose instance died gives its budget back, and one that was only paused takes it again', async () => {
  const wallet = await rich();
  const key = await mint(wallet, { credits: 10, requests: 1 });
  const paused = await place(wallet, key, 8);
  await sweep(wallet);
  expect(await budgetOf(wallet, key.id)).toMatchObject({ held: 0n, spent: 0n, used: 0 });
  expect(await charge(paused, 7)).toMatchObject({ captured: wholeCredits(7) });
  expect(await budgetOf(wallet, key.id)).toMatchObject({ held: 0n, spent: wholeCredits(7), used: 1 });
});

test('a request that was paused pays no more than others have left of its budget', async () => {
  const wallet = await rich();
  const key = await mint(wallet, { credits: 10 });
  const paused = await place(wallet, key, 8);
  await sweep(wallet);
  await charge(await place(wallet, key, 9), 9);
  expect((await charge(paused, 7))?.captured).toBe(wholeCredits(1));
  expect(await budgetOf(wallet, key.id)).toMatchObject({ held: 0n, spent: wholeCredits(10), used: 2 });
});

test('a run key without a charge is forgotten a day after its end, and budgets after 90 days', async () => {
  const wallet = await rich();
  const used = await mint(wallet, { credits: 10 });
  const unused = await mint(wallet, { credits: 5 }, used);
  await charge(await place(wallet, used, 1), 1);
  const isLeft = async ({ id }: RunKey) => [
    await prisma().userKey.count({ where: { id } }),
    await prisma().budget.count({ where: { id } }),
  ];
  const endDaysAgo = async (days: number) => {
    const expiresAt = new Date(now() - days * DAY_MS);
    await prisma().userKey.updateMany({
      where: { userId: wallet.userId, lineage: { isEmpty: false } },
      data: { expiresAt },
    });
    await forgetOldBudgets();
    return [await isLeft(used), await isLeft(unused)];
  };
  expect(await endDaysAgo(0.5)).toEqual([
    [1, 1],
    [1, 1],
  ]);
  expect(await endDaysAgo(2)).toEqual([
    [1, 1],
    [0, 0],
  ]);
  expect(await endDaysAgo(91)).toEqual([
    [1, 0],
    [0, 0],
  ]);
  expect(await endDaysAgo(181)).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

test('a run without a charged request is forgotten a day after the last, others after 90 days', async () => {
  const wallet = await rich();
  const run = (id: string) => hold(wallet, 'A', 1, 0, { run: { id, credits: null } });
  for (const id of ['failed', 'charged', 'running']) {
    const admission = await run(id);
    if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
    if (id === 'failed') await release(admission.hold);
    if (id === 'charged') await charge(admission.hold, 1);
  }
  const leftAfter = async (days: number) => {
    await prisma().budget.updateMany({
      where: { userId: wallet.userId },
      data: { lastUsedAt: new Date(now() - days * DAY_MS) },
    });
    await forgetOldBudgets();
    const left = await prisma().budget.findMany({ where: { userId: wallet.userId }, orderBy: { id: 'asc' } });
    return left.map(({ id }) => id.split(':')[2]);
  };
  expect(await leftAfter(0.5)).toEqual(['charged', 'failed', 'running']);
  expect(await leftAfter(2)).toEqual(['charged', 'running']);
  expect(await leftAfter(91)).toEqual(['running']);
});

test('requests under a budget make no kept holds', async () => {
  const wallet = await rich();
  const key = await mint(wallet, { credits: 100 });
  for (let n = 0; n < 5; n++) {
    const running = await place(wallet, key, 1);
    expect(running.kept).toBeUndefined();
    await charge(running, 1);
  }
});

test('a run sums its requests, and the ceiling of its first one holds for all', async () => {
  const wallet = await rich();
  const run = (credits: number | null) => ({
    run: { id: 'nightly', credits: credits === null ? null : (wholeCredits(credits) as Microcredits) },
  });
  const id = `run:${wallet.apps.A?.id}:nightly`;
  expect(await hold(wallet, 'A', 6, 6, run(5))).toMatchObject({ limit: { kind: 'credits', scope: 'run' } });
  const first = await hold(wallet, 'A', 9, 0, run(5));
  expect(first).toMatchObject({ hold: { amount: wholeCredits(5), budgets: [id] } });
  if (first.ok) await charge(first.hold, 3);
  const limit = { kind: 'ceiling', scope: 'run' };
  expect(await hold(wallet, 'A', 1, 0, run(6))).toMatchObject({
    limit,
    lack: { available: wholeCredits(5) },
  });
  const second = await hold(wallet, 'A', 9, 0, run(null));
  expect(second).toMatchObject({ hold: { amount: wholeCredits(2) } });
  if (second.ok) await release(second.hold);
  expect(await budgetOf(wallet, id)).toMatchObject({ spent: wholeCredits(3), held: 0n, used: 1 });
});

test('the owner changes the budget of a run key, at least to what it spent and holds', async () => {
  const wallet = await rich();
  const key = await mint(wallet, { credits: 10 });
  const child = await mint(wallet, { credits: 5 }, key);
  const running = await place(wallet, child, 4);
  const raise = (id: string, credits: number) => raiseBudget(wallet.userId, id, wholeCredits(credits));
  for (const { id } of [key, child]) {
    expect([await raise(id, 3), await raise(id, 20)]).toEqual([false, true]);
    expect(await budgetOf(wallet, id)).toMatchObject({ credits: wholeCredits(20) });
  }
  await release(running);
});
