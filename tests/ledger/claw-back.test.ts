import { describe, expect, test } from 'vitest';
import { chargeFor } from '@/server/base/credits';
import { newId } from '@/server/base/ids';
import { capture, checkLedger } from '@/server/ledger';
import { newDatabase } from '../harness/database';
import { receipt } from './receipt';
import { allow, buy, exactly, hold, newWallet, ownCredits, sees, takeBack, type Wallet } from './wallets';

await newDatabase();

async function spend(wallet: Wallet, app: string, credits: number): Promise<void> {
  const admission = await hold(wallet, app, credits);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  await capture(admission.hold, chargeFor(exactly(credits), admission.hold.rateBp), receipt());
}

describe('a claw-back', () => {
  test('applies the difference to the cumulative sum, so repeated, late or partial ones add up exactly', async () => {
    const wallet = await newWallet(['A']);
    const session = newId('cks');
    await buy(wallet, 'A', 100, session);

    expect(await takeBack(wallet, session, { refunded: 40 })).toMatchObject({
      credits: -40_000_000n,
      balance: 60_000_000n,
    });
    expect(await takeBack(wallet, session, { refunded: 40 })).toMatchObject({ credits: 0n });
    await Promise.all(Array.from({ length: 5 }, () => takeBack(wallet, session, { refunded: 100 })));
    expect(await sees(wallet, 'A')).toEqual([0, 'insufficient_credits']);

    expect(await takeBack(wallet, session, { refunded: 40 })).toMatchObject({
      credits: 60_000_000n,
      balance: 60_000_000n,
    });
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('never takes more than was bought, even for a refund and a chargeback together', async () => {
    const wallet = await newWallet(['A']);
    const session = newId('cks');
    await buy(wallet, 'A', 100, session);
    await takeBack(wallet, session, { refunded: 70 });
    await takeBack(wallet, session, { refunded: 70, disputed: 100 });

    expect(await ownCredits(wallet, 'A')).toBe(0);
  });

  test('leaves a debt in the pocket of the app whose running request held the credits', async () => {
    const wallet = await newWallet(['A', 'B']);
    const session = newId('cks');
    await buy(wallet, 'B', 100, session);
    await allow(wallet, 'A', 80);
    const admission = await hold(wallet, 'A', 80);
    if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
    await takeBack(wallet, session, { refunded: 70 });

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

    await takeBack(wallet, session, { disputed: 500 });
    expect([await ownCredits(wallet, 'A'), await sees(wallet, 'C')]).toEqual([-300, [100, 'ok']]);
    expect(await sees(wallet, 'A')).toEqual([0, 'partner_not_permitted']);

    await spend(wallet, 'C', 100);
    expect(await sees(wallet, 'C')).toEqual([0, 'insufficient_credits']);

    expect(await buy(wallet, 'A', 500)).toMatchObject({ balance: 200_000_000n, creditsAdded: 200_000_000n });
    expect(await sees(wallet, 'C')).toEqual([300, 'ok']);
    expect((await checkLedger()).differences).toEqual([]);
  });
});
