import { expect, test } from 'vitest';
import { chargeFor, wholeCredits } from '../../server/base/credits';
import { inTransaction, pool } from '../../server/base/db';
import { newId } from '../../server/base/ids';
import { capture, checkLedger, takeCredits } from '../../server/ledger';
import { newDatabase } from '../harness/database';
import { receipt } from './receipt';
import { allow, buy, exactly, hold, newWallet, ownCredits, sees, type Wallet } from './wallets';

await newDatabase();

const take = (wallet: Wallet, app: string, credits: number, takeId = newId('req')) =>
  inTransaction((tx) =>
    takeCredits(tx, {
      userId: wallet.userId,
      partnerId: wallet.apps[app]?.id ?? '',
      credits: wholeCredits(credits),
      takeId,
      note: 'given by mistake',
    }),
  );

const expectSound = async () => expect((await checkLedger()).differences).toEqual([]);

test('taking credits lowers one pocket, is booked once per id and appears in the history', async () => {
  const wallet = await newWallet(['A', 'B']);
  await buy(wallet, 'A', 100);
  await buy(wallet, 'B', 50);
  const takeId = newId('req');
  const taken = await take(wallet, 'A', 30, takeId);
  expect(taken).toMatchObject({ free: wholeCredits(70), repeated: false });
  expect(await take(wallet, 'A', 30, takeId)).toMatchObject({
    transactionId: taken.transactionId,
    repeated: true,
  });
  expect([await ownCredits(wallet, 'A'), await ownCredits(wallet, 'B')]).toEqual([70, 50]);
  const { rows } = await pool().query(
    'SELECT kind, credits, balance_after, note FROM ledger_transaction WHERE id = $1',
    [taken.transactionId],
  );
  expect(rows).toEqual([
    {
      kind: 'adjustment',
      credits: -30_000_000n,
      balance_after: 70_000_000n,
      note: 'given by mistake',
    },
  ]);
  await expectSound();
});

test('taking more than is free in the pocket is refused entirely, whatever other pockets contain', async () => {
  const wallet = await newWallet(['A', 'B']);
  await buy(wallet, 'A', 10);
  await buy(wallet, 'B', 500);
  expect(await take(wallet, 'A', 11)).toMatchObject({ transactionId: null, free: wholeCredits(10) });
  expect(await ownCredits(wallet, 'A')).toBe(10);
  await expectSound();
});

test('credits held by running requests are not taken, whether in the own pocket or in another', async () => {
  const wallet = await newWallet(['A', 'B']);
  await buy(wallet, 'A', 100);
  await allow(wallet, 'B', 80);
  const own = await hold(wallet, 'A', 30);
  const elsewhere = await hold(wallet, 'B', 60);
  expect(await take(wallet, 'A', 11)).toMatchObject({ transactionId: null, free: wholeCredits(10) });
  expect((await take(wallet, 'A', 10)).transactionId).not.toBeNull();
  for (const admission of [own, elsewhere]) {
    if (!admission.ok) throw new Error(admission.refusal);
    const credits = Number(admission.hold.amount) / 1e6;
    await capture(admission.hold, chargeFor(exactly(credits), 0), receipt());
  }
  expect(await ownCredits(wallet, 'A')).toBe(0);
  await expectSound();
});

test('parallel takes and requests never make a pocket negative', async () => {
  const wallet = await newWallet(['A']);
  await buy(wallet, 'A', 100);
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      if (n % 2 === 0) return (await take(wallet, 'A', 3)).transactionId === null ? 0 : 3;
      const admission = await hold(wallet, 'A', 5, 5);
      if (!admission.ok) return 0;
      await capture(admission.hold, chargeFor(exactly(5), 0), receipt());
      return 5;
    }),
  );
  const spent = outcomes.reduce<number>((sum, credits) => sum + credits, 0);
  expect(await ownCredits(wallet, 'A')).toBe(100 - spent);
  expect(100 - spent).toBeGreaterThanOrEqual(0);
  expect((await sees(wallet, 'A'))[0]).toBe(100 - spent);
  await expectSound();
});
