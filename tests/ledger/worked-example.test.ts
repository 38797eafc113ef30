import { describe, expect, test } from 'vitest';
import { chargeFor } from '../../server/base/credits';
import { capture, checkLedger, type Hold } from '../../server/ledger';
import { newDatabase } from '../harness/database';
import { receipt } from './receipt';
import { allow, buy, exactly, hold, newWallet, ownCredits, sees, type Wallet } from './wallets';

await newDatabase();

async function placeHold(wallet: Wallet, app: string, want: number): Promise<Hold> {
  const admission = await hold(wallet, app, want);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  return admission.hold;
}

const settle = (placed: Hold, cost: number) =>
  capture(placed, chargeFor(exactly(cost), placed.rateBp), receipt());

async function spend(wallet: Wallet, app: string, credits: number): Promise<void> {
  await settle(await placeHold(wallet, app, credits), credits);
}

describe('the worked example of the ledger', () => {
  test('spends the own pocket first, then up to the allowance from the others', async () => {
    const wallet = await newWallet(['A', 'B', 'C']);

    expect(await buy(wallet, 'A', 500)).toMatchObject({ balance: 500_000_000n, creditsAdded: 500_000_000n });
    expect(await sees(wallet, 'A')).toEqual([500, 'ok']);
    expect(await sees(wallet, 'B')).toEqual([0, 'partner_not_permitted']);

    expect(await allow(wallet, 'B', 300)).toMatchObject({
      balance: 300_000_000n,
      creditsAdded: 300_000_000n,
    });
    expect(await sees(wallet, 'B')).toEqual([300, 'ok']);

    await spend(wallet, 'B', 120);
    expect([await sees(wallet, 'A'), await sees(wallet, 'B')]).toEqual([
      [380, 'ok'],
      [180, 'ok'],
    ]);

    expect(await buy(wallet, 'B', 200)).toMatchObject({ balance: 380_000_000n, creditsAdded: 200_000_000n });
    await spend(wallet, 'B', 250);
    expect([await sees(wallet, 'A'), await sees(wallet, 'B')]).toEqual([
      [330, 'ok'],
      [130, 'ok'],
    ]);

    await spend(wallet, 'B', 130);
    expect([await sees(wallet, 'A'), await sees(wallet, 'B')]).toEqual([
      [200, 'ok'],
      [0, 'partner_limit_reached'],
    ]);

    expect(await allow(wallet, 'B', 50)).toMatchObject({ creditsAdded: 50_000_000n });
    expect(await allow(wallet, 'B', 50)).toMatchObject({ balance: 50_000_000n, creditsAdded: 0n });
    expect(await allow(wallet, 'B', 1000)).toMatchObject({
      balance: 200_000_000n,
      creditsAdded: 150_000_000n,
    });

    await spend(wallet, 'A', 200);
    expect(await sees(wallet, 'A')).toEqual([0, 'insufficient_credits']);
    expect(await sees(wallet, 'B')).toEqual([0, 'insufficient_credits']);

    await buy(wallet, 'C', 300);
    expect(await sees(wallet, 'A')).toEqual([0, 'partner_not_permitted']);
    expect(await sees(wallet, 'B')).toEqual([300, 'ok']);

    expect(await allow(wallet, 'B', null)).toMatchObject({ balance: 0n, creditsAdded: 0n });
    expect(await sees(wallet, 'B')).toEqual([0, 'partner_not_permitted']);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('captures a hold of an older epoch without returning anything to the new allowance', async () => {
    const wallet = await newWallet(['A', 'B']);
    await buy(wallet, 'A', 500);
    await allow(wallet, 'B', 300);
    const running = await placeHold(wallet, 'B', 200);
    await allow(wallet, 'B', null);

    await settle(running, 150);

    expect(await sees(wallet, 'A')).toEqual([350, 'ok']);
    expect(await sees(wallet, 'B')).toEqual([0, 'partner_not_permitted']);
  });

  test('charges a running request to a purchase made while it runs and restores the allowance', async () => {
    const wallet = await newWallet(['A', 'B']);
    await buy(wallet, 'A', 500);
    await allow(wallet, 'B', 300);
    const running = await placeHold(wallet, 'B', 200);
    await buy(wallet, 'B', 500);

    await settle(running, 150);

    expect(await ownCredits(wallet, 'B')).toBe(350);
    expect(await ownCredits(wallet, 'A')).toBe(500);
    expect(await sees(wallet, 'B')).toEqual([650, 'ok']);
  });

  test('lets allowances exceed the wallet: the second app gets the rest, or "busy" if that is too little', async () => {
    const wallet = await newWallet(['A', 'B', 'C']);
    await buy(wallet, 'A', 500);
    await allow(wallet, 'B', 400);
    await allow(wallet, 'C', 400);
    await placeHold(wallet, 'B', 400);

    expect(await hold(wallet, 'C', 400, 200)).toMatchObject({ ok: false, refusal: 'busy' });
    expect(await hold(wallet, 'C', 400, 50)).toMatchObject({ ok: true, hold: { amount: 100_000_000n } });
  });

  test('refuses an app without an allowance for that reason, whatever else is running', async () => {
    const wallet = await newWallet(['A', 'B']);
    await buy(wallet, 'A', 500);
    await placeHold(wallet, 'A', 400);

    expect(await hold(wallet, 'B', 10)).toMatchObject({ ok: false, refusal: 'partner_not_permitted' });
  });

  test('spends the pockets of other apps oldest first', async () => {
    const wallet = await newWallet(['A', 'B', 'C']);
    await buy(wallet, 'A', 100);
    await buy(wallet, 'B', 100);
    await allow(wallet, 'C', 1000);

    await spend(wallet, 'C', 130);

    expect([await ownCredits(wallet, 'A'), await ownCredits(wallet, 'B')]).toEqual([0, 70]);
  });
});
