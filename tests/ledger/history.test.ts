import { expect, test } from 'vitest';
import { chargeFor } from '@/server/base/credits';
import { capture, readHistory, rollUpUsage } from '@/server/ledger';
import { newDatabase } from '../harness/database';
import { receipt } from './receipt';
import { allow, buy, exactly, hold, newWallet, type Wallet } from './wallets';

await newDatabase();

async function spend(wallet: Wallet, app: string, times: number): Promise<void> {
  for (let sent = 0; sent < times; sent++) {
    const admission = await hold(wallet, app, 1);
    if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
    await capture(admission.hold, chargeFor(exactly(1), 0), receipt());
  }
}

/** As many entries as the pages of the history have. */
async function countEntries({ userId, apps }: Wallet, app: string): Promise<{ total: number; read: number }> {
  const owner = { userId, partnerId: apps[app]?.id ?? '' };
  const { total } = await readHistory(owner, { limit: 1, offset: 0 });
  const { entries } = await readHistory(owner, { limit: 200, offset: 0 });
  return { total, read: entries.length };
}

test('the total of a history counts each entry of the app once, before and after requests are added up by day', async () => {
  const wallet = await newWallet(['A', 'B']);
  await buy(wallet, 'A', 100);
  await buy(wallet, 'B', 100);
  await allow(wallet, 'A', 50);
  await spend(wallet, 'A', 3);
  await spend(wallet, 'B', 2);
  expect(await countEntries(wallet, 'A')).toEqual({ total: 5, read: 5 });
  await rollUpUsage('0 seconds');
  expect(await countEntries(wallet, 'A')).toEqual({ total: 5, read: 5 });
  await spend(wallet, 'A', 4);
  expect(await countEntries(wallet, 'A')).toEqual({ total: 9, read: 9 });
  expect(await countEntries(wallet, 'B')).toEqual({ total: 3, read: 3 });
});
