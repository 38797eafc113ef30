import { describe, expect, test } from 'vitest';
import { chargeFor, wholeCredits } from '@/server/credits';
import { inTransaction, pool } from '@/server/db';
import { newId } from '@/server/ids';
import { capture, checkLedger, clawBack } from '@/server/ledger';
import { readEarnings, rollUpEarnings } from '@/server/ledger/earnings';
import { newDatabase } from '../harness/database';
import { receipt } from './receipt';
import { allow, buy, exactly, hold, newWallet, ownCredits, sees, type Wallet } from './wallets';

await newDatabase();

async function spend(wallet: Wallet, app: string, credits: number): Promise<void> {
  const admission = await hold(wallet, app, credits);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  await capture(admission.hold, chargeFor(exactly(credits), admission.hold.rateBp), receipt());
}

const takeBack = (wallet: Wallet, sessionId: string, reason: 'refund' | 'chargeback', credits: number) =>
  inTransaction(async (tx) => {
    const data = reason === 'refund' ? { refundedMinor: credits } : { disputedMinor: credits };
    await tx.purchase.updateMany({ where: { sessionId }, data });
    return clawBack(tx, { userId: wallet.userId, sessionId, reason, cumulative: wholeCredits(credits) });
  });

const earningsOf = (wallet: Wallet, app: string) => readEarnings(wallet.apps[app]?.id ?? '');

/** Makes the history days older and resets the roll-up of earnings. */
async function age(wallet: Wallet, days: number): Promise<void> {
  await pool().query('ALTER TABLE ledger_transaction DISABLE TRIGGER USER');
  await pool().query(
    'UPDATE ledger_transaction SET created_at = created_at - make_interval(days => $2) WHERE user_id = $1',
    [wallet.userId, days],
  );
  await pool().query('ALTER TABLE ledger_transaction ENABLE TRIGGER USER');
  await pool().query("UPDATE watermark SET up_to = '2000-01-01' WHERE name = 'earnings'");
  await pool().query('DELETE FROM earnings_rollup');
}

describe('a claw-back', () => {
  test('applies the difference to the cumulative sum, so repeated, late or partial ones add up exactly', async () => {
    const wallet = await newWallet(['A']);
    const session = newId('cks');
    await buy(wallet, 'A', 100, session);

    expect(await takeBack(wallet, session, 'refund', 40)).toMatchObject({
      credits: -40_000_000n,
      balance: 60_000_000n,
    });
    expect(await takeBack(wallet, session, 'refund', 40)).toMatchObject({ transactionId: null, credits: 0n });
    await Promise.all(Array.from({ length: 5 }, () => takeBack(wallet, session, 'refund', 100)));
    expect(await sees(wallet, 'A')).toEqual([0, 'insufficient_credits']);

    expect(await takeBack(wallet, session, 'refund', 40)).toMatchObject({
      credits: 60_000_000n,
      balance: 60_000_000n,
    });
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('never takes more than was bought, even for a refund and a chargeback together', async () => {
    const wallet = await newWallet(['A']);
    const session = newId('cks');
    await buy(wallet, 'A', 100, session);
    await takeBack(wallet, session, 'refund', 70);
    await takeBack(wallet, session, 'chargeback', 100);

    expect(await ownCredits(wallet, 'A')).toBe(0);
  });

  test('leaves a debt in the pocket of the app whose running request held the credits', async () => {
    const wallet = await newWallet(['A', 'B']);
    const session = newId('cks');
    await buy(wallet, 'B', 100, session);
    await allow(wallet, 'A', 80);
    const admission = await hold(wallet, 'A', 80);
    if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
    await takeBack(wallet, session, 'refund', 70);

    await capture(admission.hold, chargeFor(exactly(50), 0), receipt());

    expect([await ownCredits(wallet, 'A'), await ownCredits(wallet, 'B')]).toEqual([-20, 0]);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('leaves a debt that no request increases and the next purchase repays first', async () => {
    const wallet = await newWallet(['A', 'B', 'C']);
    const session = newId('cks');
    await buy(wallet, 'A', 500, session);
    await allow(wallet, 'B', 100);
    await spend(wallet, 'A', 200);
    await spend(wallet, 'B', 100);
    await buy(wallet, 'C', 400);

    await takeBack(wallet, session, 'chargeback', 500);
    expect([await ownCredits(wallet, 'A'), await sees(wallet, 'C')]).toEqual([-300, [100, 'ok']]);
    expect(await sees(wallet, 'A')).toEqual([0, 'partner_not_permitted']);

    await spend(wallet, 'C', 100);
    expect(await sees(wallet, 'C')).toEqual([0, 'insufficient_credits']);

    expect(await buy(wallet, 'A', 500)).toMatchObject({ balance: 200_000_000n, creditsAdded: 200_000_000n });
    expect(await sees(wallet, 'C')).toEqual([300, 'ok']);
    expect((await checkLedger()).differences).toEqual([]);
  });
});

describe('the commission of a partner', () => {
  test('matures after the hold period and is the same before and after a roll-up', async () => {
    const wallet = await newWallet(['A'], { rateBp: 2500 });
    await buy(wallet, 'A', 500);
    await spend(wallet, 'A', 80);
    expect(await earningsOf(wallet, 'A')).toEqual({ matured: 0n, maturing: 20_000_000n });

    await age(wallet, 31);
    await spend(wallet, 'A', 40);
    expect(await earningsOf(wallet, 'A')).toEqual({ matured: 20_000_000n, maturing: 10_000_000n });

    await Promise.all([rollUpEarnings('0 seconds'), rollUpEarnings('0 seconds')]);
    expect(await earningsOf(wallet, 'A')).toEqual({ matured: 20_000_000n, maturing: 10_000_000n });
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('is reversed by a chargeback, if unmatured, for the credits that were spent, oldest first', async () => {
    const wallet = await newWallet(['A'], { rateBp: 2500 });
    const session = newId('cks');
    await buy(wallet, 'A', 500, session);
    await spend(wallet, 'A', 80); // 100 credits, 20 of them commission
    await spend(wallet, 'A', 160); // 200 credits, 40 of them commission

    // 300 were spent. Taking 350 back leaves 150 of them unpaid: all of the first, a quarter of the second.
    await takeBack(wallet, session, 'chargeback', 350);
    expect(await ownCredits(wallet, 'A')).toBe(-150);
    expect(await earningsOf(wallet, 'A')).toEqual({ matured: 0n, maturing: 30_000_000n });
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('is kept once matured, and a won dispute restores what was reversed', async () => {
    const wallet = await newWallet(['A'], { rateBp: 2500 });
    const session = newId('cks');
    await buy(wallet, 'A', 500, session);
    await spend(wallet, 'A', 80);
    await age(wallet, 31);
    await spend(wallet, 'A', 160);

    await takeBack(wallet, session, 'chargeback', 500);
    expect(await earningsOf(wallet, 'A')).toEqual({ matured: 20_000_000n, maturing: 0n });
    await takeBack(wallet, session, 'chargeback', 0);
    expect(await earningsOf(wallet, 'A')).toEqual({ matured: 20_000_000n, maturing: 40_000_000n });
    expect(await sees(wallet, 'A')).toEqual([200, 'ok']);
    expect((await checkLedger()).differences).toEqual([]);
  });
});
