import { expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import { newDatabase } from '../harness/database';
import { buy, hold, newWallet, type Wallet } from './wallets';

await newDatabase();

async function lastUse(wallet: Wallet): Promise<Date | null> {
  const { rows } = await pool().query<{ at: Date | null }>(
    'SELECT last_used_at AS at FROM user_key WHERE user_id = $1',
    [wallet.userId],
  );
  return rows[0]?.at ?? null;
}

async function setLastUse(wallet: Wallet, age: string, { exact = false } = {}): Promise<Date | null> {
  await pool().query(
    'UPDATE user_key SET last_used_at = clock_timestamp() - $2::interval, exact_use = $3 WHERE user_id = $1',
    [wallet.userId, age, exact],
  );
  return lastUse(wallet);
}

test('a request records the use of its key once a minute, or always if the key may be evicted', async () => {
  const wallet = await newWallet(['A']);
  await buy(wallet, 'A', 100);
  expect(await lastUse(wallet)).toBeNull();
  await hold(wallet, 'A', 1);
  expect(await lastUse(wallet)).not.toBeNull();

  const recent = await setLastUse(wallet, '30 seconds');
  await hold(wallet, 'A', 1);
  expect(await lastUse(wallet)).toEqual(recent);

  const old = await setLastUse(wallet, '61 seconds');
  await hold(wallet, 'A', 1);
  expect(await lastUse(wallet)).not.toEqual(old);

  const exact = await setLastUse(wallet, '1 second', { exact: true });
  await hold(wallet, 'A', 1);
  expect(await lastUse(wallet)).not.toEqual(exact);
});

test('a refused request does not count as a use of its key', async () => {
  const wallet = await newWallet(['A']);
  expect(await hold(wallet, 'A', 1, 1)).toMatchObject({ ok: false, refusal: 'insufficient_credits' });
  expect(await lastUse(wallet)).toBeNull();
});
