import { expect, test } from 'vitest';
import { DAY_MS, now } from '@/server/base/clock';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { askRefund, checkLedger, readRefundable, release } from '@/server/ledger';
import { newDatabase } from '../harness';
import { bookWithBonus, newPromotion, startWithCode } from '../harness/promotions';
import { randomFrom } from '../harness/random';
import { place, spend } from './steps';
import { buy, grant, newWallet, ownCredits, takeBack, type Wallet } from './wallets';

/** How much users may have refunded, and the decision itself. A credit of these purchases costs one cent. */

await newDatabase();

const since = () => new Date(now() - DAY_MS);

async function refundable({ userId }: Wallet): Promise<number[]> {
  return (await readRefundable(userId, since())).map(({ refundMinor }) => refundMinor);
}

async function ask({ userId }: Wallet, given: { id?: string; purchaseId?: string; most?: number } = {}) {
  const [first] = await readRefundable(userId, since());
  const { id = newId('req'), purchaseId = first?.purchaseId ?? '', most = 100 } = given;
  const order = { userId, refundId: id, purchaseId, since: since(), month: since(), most };
  return inTransaction((tx) => askRefund(tx, order));
}

async function buyWithBonus({ userId, apps }: Wallet, credits: number, percent: number): Promise<void> {
  const { code } = await prisma().promotion.findUniqueOrThrow({
    where: { id: (await newPromotion({ percent, maxCredits: wholeCredits(100_000) })).id },
  });
  const order = { userId, partnerId: apps.A?.id ?? '', credits: wholeCredits(credits) };
  const { sessionId } = await startWithCode(order, code ?? '');
  await bookWithBonus({ ...order, sessionId });
}

test('all of an unspent purchase is refundable, and of a spent one what is left', async () => {
  const wallet = await newWallet(['A', 'B']);
  await buy(wallet, 'A', 500);
  expect(await refundable(wallet)).toEqual([500]);
  await spend(wallet, 'A', 180);
  expect(await refundable(wallet)).toEqual([320]);
  expect(await ask(wallet)).toMatchObject({ amountMinor: 320, targetMinor: 320, settledAt: null });
  expect(await ownCredits(wallet, 'A')).toBe(0);
  expect(await refundable(wallet)).toEqual([]);
  expect(await ask(wallet)).toBeNull();
});

test('the oldest purchase comes first, and an earlier one than the period allows is not refunded', async () => {
  const wallet = await newWallet(['A', 'B']);
  const { transactionId: old } = await buy(wallet, 'A', 500);
  await buy(wallet, 'A', 700);
  await buy(wallet, 'B', 50);
  await spend(wallet, 'A', 300);
  // 900 credits are left in A: each purchase alone may have them.
  expect(await refundable(wallet)).toEqual([500, 700, 50]);
  expect(await ask(wallet)).toMatchObject({ purchaseId: old, amountMinor: 500 });
  expect(await refundable(wallet)).toEqual([400, 50]);
  expect(await readRefundable(wallet.userId, new Date(now() + DAY_MS))).toEqual([]);
});

test('credits that are held, granted or owed elsewhere are not refunded', async () => {
  const wallet = await newWallet(['A', 'B']);
  await buy(wallet, 'A', 500);
  await grant(wallet, 'A', 100);
  expect(await refundable(wallet)).toEqual([500]);
  const held = await place(wallet, 'A', 250);
  expect(await refundable(wallet)).toEqual([250]);
  await release(held);
  const sessionId = newId('cks');
  await buy(wallet, 'B', 200, sessionId);
  await spend(wallet, 'B', 200);
  await takeBack(wallet, sessionId, { refunded: 200 });
  // B owes 200: of the 600 in A, 400 are free.
  expect(await refundable(wallet)).toEqual([400]);
  expect((await checkLedger()).differences).toEqual([]);
});

test('a disputed purchase is not refunded', async () => {
  const wallet = await newWallet(['A']);
  const sessionId = newId('cks');
  await buy(wallet, 'A', 500, sessionId);
  await takeBack(wallet, sessionId, { disputed: 100 });
  expect(await refundable(wallet)).toEqual([]);
});

test('bonus credits are taken back with the purchase, so a spent bonus reduces the refund @attack', async () => {
  const wallet = await newWallet(['A']);
  await buyWithBonus(wallet, 500, 10);
  expect(await refundable(wallet)).toEqual([500]);
  await spend(wallet, 'A', 110);
  // 440 of 550 are left: 400 bought and 40 of the bonus.
  expect(await refundable(wallet)).toEqual([400]);
  expect(await ask(wallet)).toMatchObject({ amountMinor: 400 });
  expect(await ownCredits(wallet, 'A')).toBe(0);
});

test('one id is one refund, another purchase than the user saw is none, and a month has a maximum', async () => {
  const wallet = await newWallet(['A', 'B']);
  await buy(wallet, 'A', 500);
  const { transactionId: second } = await buy(wallet, 'B', 50);
  expect(await ask(wallet, { purchaseId: second })).toBeNull();
  const first = await ask(wallet, { id: 'req_same' });
  expect(first).toMatchObject({ amountMinor: 500 });
  expect(await ask(wallet, { id: 'req_same', purchaseId: second })).toEqual(first);
  expect(await ownCredits(wallet, 'B')).toBe(50);
  expect(await ask(wallet, { most: 1 })).toBeNull();
  // A refund that the processor refused does not count.
  await prisma().userRefund.updateMany({ where: { userId: wallet.userId }, data: { isRefused: true } });
  expect(await ask(wallet, { most: 1 })).toMatchObject({ purchaseId: second });
});

test('of many refunds at once, next to requests, one is made, and no pocket falls below zero @attack', async () => {
  const wallet = await newWallet(['A']);
  await buy(wallet, 'A', 500);
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, (_, n) => (n % 2 ? ask(wallet) : spend(wallet, 'A', 10).catch(() => null))),
  );
  const refunds = outcomes.filter((outcome) => outcome !== null && 'amountMinor' in outcome);
  expect(refunds.length).toBeLessThanOrEqual(2);
  expect(await ownCredits(wallet, 'A')).toBeGreaterThanOrEqual(0);
  expect((await checkLedger()).differences).toEqual([]);
});

test('whatever was bought, given, spent and refunded, no more is refunded than was paid or is left @attack', async () => {
  const random = randomFrom(50);
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  for (let user = 0; user < 25; user++) {
    const wallet = await newWallet(['A', 'B']);
    for (let step = 0; step < 8; step++) {
      const app = random() < 0.6 ? 'A' : 'B';
      const chance = random();
      if (chance < 0.25) await buy(wallet, app, upTo(900));
      else if (chance < 0.4) await buyWithBonus(wallet, upTo(900), upTo(60));
      else if (chance < 0.5) await grant(wallet, app, upTo(300));
      else if (chance < 0.75) await spend(wallet, app, upTo(400)).catch(() => null);
      else await refundOnce(wallet);
    }
    while (await refundOnce(wallet));
    expect(await refundable(wallet)).toEqual([]);
  }
  expect((await checkLedger()).differences).toEqual([]);
}, 120_000);

/** Refunds once and checks the pockets. False if nothing was left. */
async function refundOnce(wallet: Wallet): Promise<boolean> {
  const before = await readPockets(wallet);
  const refund = await ask(wallet);
  if (refund === null) return false;
  const after = await readPockets(wallet);
  const purchase = await prisma().purchase.findUniqueOrThrow({ where: { id: refund.purchaseId } });
  expect(purchase.refundedMinor).toBeLessThanOrEqual(purchase.amountMinor);
  const [own, was] = [after.get(purchase.partnerId) ?? 0n, before.get(purchase.partnerId) ?? 0n];
  expect(own).toBeGreaterThanOrEqual(0n);
  expect(was - own).toBeGreaterThanOrEqual(BigInt(refund.amountMinor) * 1_000_000n - 1n);
  return true;
}

async function readPockets({ userId }: Wallet): Promise<Map<string, bigint>> {
  const { rows } = await pool().query<{ partner_id: string; own: bigint }>(
    'SELECT partner_id, own FROM user_app WHERE user_id = $1',
    [userId],
  );
  return new Map(rows.map(({ partner_id: id, own }) => [id, BigInt(own)]));
}
