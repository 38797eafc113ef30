import { describe, expect, test } from 'vitest';
import { chargeFor } from '@/server/credits';
import { pool } from '@/server/db';
import { capture, checkLedger } from '@/server/ledger';
import { auditRecent } from '@/server/ledger/audit';
import { rollUpEarnings } from '@/server/ledger/earnings';
import { newDatabase } from '../harness/database';
import { receipt } from './receipt';
import { buy, exactly, hold, newWallet } from './wallets';

await newDatabase();

/** A user with a purchase, a settled request and a running one. */
async function newHistory(): Promise<string> {
  const wallet = await newWallet(['A'], { rateBp: 1_000 });
  await buy(wallet, 'A', 100);
  const admission = await hold(wallet, 'A', 10);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  await capture(admission.hold, chargeFor(exactly(5), admission.hold.rateBp), receipt());
  await hold(wallet, 'A', 10);
  return wallet.userId;
}

async function forge(change: string, userId: string): Promise<void> {
  await pool().query('ALTER TABLE ledger_transaction DISABLE TRIGGER USER');
  await pool().query(`${change} WHERE user_id = $1`, [userId]);
  await pool().query('ALTER TABLE ledger_transaction ENABLE TRIGGER USER');
}

/** Deletes every trace of a user. */
async function forget(userId: string): Promise<void> {
  for (const table of ['usage', 'hold', 'user_app', 'wallet', 'audited_pocket', 'ledger_transaction'])
    await forge(`DELETE FROM ${table}`, userId);
}

describe('the audit and the check find a change by hand:', () => {
  test.each([
    ['a missing pocket', 'DELETE FROM user_app', 'a pocket that does not exist'],
    [
      'a pocket',
      'UPDATE user_app SET own = own + 1',
      'every pocket exists and equals the sum of its postings',
    ],
    [
      'the total of a wallet',
      'UPDATE wallet SET money = money + 1',
      'a wallet equals the sum of its pockets',
    ],
    [
      'the held amount of a wallet',
      'UPDATE wallet SET held = held + 1',
      'the held amount and the running requests of a wallet match',
    ],
    [
      'the running requests of a wallet',
      'UPDATE wallet SET running = running + 1',
      'the held amount and the running requests of a wallet match',
    ],
    [
      'the held amount of a pocket',
      'UPDATE user_app SET own_held = own_held + 1',
      'the held amount of a pocket matches',
    ],
    ['a debt', 'UPDATE user_app SET own = -1', 'only a refund makes a pocket negative'],
    [
      'a transaction',
      'UPDATE ledger_transaction SET credits = credits - 1',
      'the credits of a transaction equal',
    ],
    ['the charge of a receipt', 'UPDATE usage SET charge = charge + 1', 'every receipt matches'],
    ['the cost of a receipt', 'UPDATE usage SET provider_cost = provider_cost + 1', 'every receipt matches'],
    ['the share of a receipt', 'UPDATE usage SET partner_share = partner_share + 1', 'every receipt matches'],
    ['the hold of a receipt', 'UPDATE usage SET held = 1', 'every receipt matches'],
    ['a missing receipt', 'DELETE FROM usage', 'every charged request has a receipt'],
    [
      'a receipt without a transaction',
      "INSERT INTO usage SELECT user_id, 'req_other', partner_id, key_id, model, provider, price_version, 1, 0, 0, 0, 1, 0, 9, 1, 1, 0, false, 'completed' FROM usage",
      'every receipt matches',
    ],
  ])('%s', async (_what, change, invariant) => {
    const userId = await newHistory();
    const difference = expect.stringContaining(invariant);
    expect((await auditRecent(0))?.differences).not.toContainEqual(difference);
    await forge(change, userId);
    expect((await auditRecent(0))?.differences).toContainEqual(difference);
    expect((await checkLedger()).differences).toContainEqual(difference);
    await forget(userId);
  });
});

describe('only the check finds', () => {
  test('a sum of earnings that differs from the entries', async () => {
    await newHistory();
    await rollUpEarnings('0 seconds');
    expect((await checkLedger()).differences).toEqual([]);
    await pool().query('UPDATE earnings_rollup SET earned = earned + 1');
    const difference = expect.stringMatching(/^earnings by hour .* differs by 1$/);
    expect((await checkLedger()).differences).toContainEqual(difference);
  });

  test('a hold that is open long after its lease', async () => {
    await forge("UPDATE hold SET lease_until = lease_until - interval '10 minutes'", await newHistory());
    const difference = expect.stringContaining('no hold stays open long after its lease expired');
    expect((await checkLedger()).differences).toContainEqual(difference);
  });
});
