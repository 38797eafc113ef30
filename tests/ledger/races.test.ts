import { describe, expect, test } from 'vitest';
import { chargeFor } from '../../server/base/credits';
import { pool } from '../../server/base/db';
import { newId } from '../../server/base/ids';
import { capture, checkLedger, release, sweepHolds } from '../../server/ledger';
import { writeBatch } from '../../server/ledger/batch';
import { returnIdleHolds } from '../../server/ledger/kept-holds';
import { newDatabase } from '../harness/database';
import { inLanes } from '../harness/in-lanes';
import { seededRandom } from '../harness/random';
import { receipt } from './receipt';
import { allow, buy, exactly, hold, newWallet, sees, type Wallet } from './wallets';

process.env.LIMIT_RUNNING_PER_USER = '5000';
await newDatabase();

async function expectSound(): Promise<void> {
  await returnIdleHolds();
  expect((await checkLedger()).differences).toEqual([]);
  const { rows } = await pool().query('SELECT 1 FROM wallet WHERE money < 0 OR held <> 0 OR running <> 0');
  expect(rows).toEqual([]);
}

describe('requests in parallel', () => {
  test('a thousand requests with credits for ten spend exactly what ten cost', async () => {
    const wallet = await newWallet(['A']);
    await buy(wallet, 'A', 10);

    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, async () => {
        const admission = await hold(wallet, 'A', 1, 1);
        if (!admission.ok) return admission.refusal;
        await capture(admission.hold, chargeFor(exactly(1), 0), receipt());
        return 'paid';
      }),
    );

    expect(outcomes.filter((outcome) => outcome === 'paid')).toHaveLength(10);
    expect(outcomes.every((outcome) => ['paid', 'busy', 'insufficient_credits'].includes(outcome))).toBe(
      true,
    );
    expect(await sees(wallet, 'A')).toEqual([0, 'insufficient_credits']);
    await expectSound();
  });

  test('an allowance is never exceeded by parallel requests', async () => {
    const wallet = await newWallet(['A', 'B']);
    await buy(wallet, 'A', 500);
    await allow(wallet, 'B', 50);

    const captured = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const admission = await hold(wallet, 'B', 3, 3);
        if (!admission.ok) return 0;
        await capture(admission.hold, chargeFor(exactly(3), 0), receipt());
        return 3;
      }),
    );

    expect(captured.reduce<number>((sum, credits) => sum + credits, 0)).toBe(48);
    expect(await sees(wallet, 'A')).toEqual([452, 'ok']);
    await expectSound();
  });

  test('parallel purchases, allowances, requests and settlements of many users keep every sum', async () => {
    const random = seededRandom();
    const wallets = await Promise.all(
      Array.from({ length: 12 }, () => newWallet(['A', 'B', 'C'], { rateBp: 1500 })),
    );
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

    await Promise.all(wallets.map((wallet) => buy(wallet, pick(['A', 'B', 'C']), 20)));
    await inLanes({ lanes: 100, times: 1500 }, () => step(pick(wallets), pick(['A', 'B', 'C'])));

    async function step(wallet: Wallet, app: string): Promise<void> {
      const dice = random();
      if (dice < 0.08) return void (await buy(wallet, app, 1 + Math.floor(random() * 10)));
      if (dice < 0.16)
        return void (await allow(wallet, app, random() < 0.2 ? null : Math.floor(random() * 20)));
      const admission = await hold(wallet, app, 0.1 + random() * 5);
      if (!admission.ok) return;
      if (random() < 0.15) return release(admission.hold);
      // Some charges exceed the hold, and some are captured twice.
      const charge = chargeFor(exactly(random() * 6), admission.hold.rateBp);
      await Promise.all([
        capture(admission.hold, charge, receipt()),
        ...(random() < 0.2 ? [capture(admission.hold, charge, receipt())] : []),
      ]);
    }
    await expectSound();
  });

  test('instances that share only the database spend exactly the balance', async () => {
    const wallet = await newWallet(['A']);
    await buy(wallet, 'A', 10);

    // Run the statement directly, as eight other instances would, without a batcher that separates requests.
    const outcomes = await inLanes({ lanes: 8, times: 200 }, () => admitDirectly(wallet));

    expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(10);
    expect(await sees(wallet, 'A')).toEqual([0, 'ok']);
    await pool().query("UPDATE hold SET lease_until = '2000-01-01' WHERE user_id = $1", [wallet.userId]);
    await sweepHolds();
    await expectSound();
  });

  async function admitDirectly(wallet: Wallet): Promise<string | undefined> {
    const keyHash = wallet.apps.A?.keyHash ?? Buffer.alloc(0);
    const request = {
      keyHash,
      requestId: newId('req'),
      model: 'test/model',
      need: exactly(1),
      want: exactly(1),
    };
    const { rows } = await pool().query<{ outcome: string }>(writeBatch([], [request]));
    return rows[0]?.outcome;
  }

  test('a purchase booked three times in parallel counts once', async () => {
    const wallet = await newWallet(['A']);
    const bookings = await Promise.all(Array.from({ length: 3 }, () => buy(wallet, 'A', 25, 'cks_same')));

    expect(bookings.filter((booking) => !booking.repeated)).toHaveLength(1);
    expect(new Set(bookings.map((booking) => booking.transactionId)).size).toBe(1);
    expect(await sees(wallet, 'A')).toEqual([25, 'ok']);
  });
});
