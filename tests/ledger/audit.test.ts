import { expect, test } from 'vitest';
import { setClock } from '@/server/base/clock';
import { chargeFor } from '@/server/base/credits';
import { pool } from '@/server/base/db';
import { capture } from '@/server/ledger';
import { auditRecent } from '@/server/ledger/audit';
import { forgetOldAudits } from '@/server/ledger/audit-run';
import { newDatabase } from '../harness/database';
import { forge, RECOUNT_SPENT } from './forged-rows';
import { receipt } from './receipt';
import { buy, exactly, hold, newWallet, type Wallet } from './wallets';

await newDatabase();

async function spend(wallet: Wallet, app: string, credits: number): Promise<void> {
  const admission = await hold(wallet, app, credits);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  await capture(admission.hold, chargeFor(exactly(credits), 0), receipt());
}

/** Simulates the passing of minutes by making everything written that much older. */
async function passTime(minutes = 10): Promise<void> {
  await forge([
    `UPDATE ledger_transaction SET created_at = created_at - interval '${minutes} minutes'`,
    `UPDATE watermark SET up_to = up_to - interval '${minutes} minutes'`,
    RECOUNT_SPENT,
  ]);
}

/** Returns the audited total of a pocket and its current one, in credits. */
async function readAuditedPocket({ userId, apps }: Wallet, app: string): Promise<[number, number]> {
  const { rows } = await pool().query<{ total: bigint; own: bigint }>(
    `SELECT a.total, u.own FROM user_app u JOIN audited_pocket a USING (user_id, partner_id)
     WHERE u.user_id = $1 AND u.partner_id = $2`,
    [userId, apps[app]?.id],
  );
  return [Number(rows[0]?.total) / 1e6, Number(rows[0]?.own) / 1e6];
}

const audit = async () => (await auditRecent(0))?.differences;

test('several instances run one audit between them, and its differences are stored', async () => {
  const wallet = await newWallet(['A']);
  await buy(wallet, 'A', 10);
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => auditRecent()));
  expect(outcomes.filter((one) => one !== null)).toEqual([{ users: expect.any(Number), differences: [] }]);

  await pool().query('UPDATE wallet SET money = money + 3 WHERE user_id = $1', [wallet.userId]);
  const found = await audit();
  expect(found).toEqual([expect.stringContaining('differs by 3')]);
  const { rows } = await pool().query('SELECT differences FROM audit_run ORDER BY id DESC LIMIT 1');
  expect(rows[0]?.differences).toEqual(found);
  await pool().query('UPDATE wallet SET money = money - 3 WHERE user_id = $1', [wallet.userId]);
});

test('a pocket changed by hand is found with each request of its user, from any pocket, until it is fixed', async () => {
  const wallet = await newWallet(['A', 'B']);
  await buy(wallet, 'A', 100);
  await buy(wallet, 'B', 100);
  await audit();
  await passTime();
  expect(await audit()).toEqual([]);

  const add = async (amount: number) => {
    await pool().query('UPDATE user_app SET own = own + $3 WHERE user_id = $1 AND partner_id = $2', [
      wallet.userId,
      wallet.apps.B?.id,
      amount,
    ]);
    await pool().query('UPDATE wallet SET money = money + $2 WHERE user_id = $1', [wallet.userId, amount]);
  };
  await add(5);
  for (let request = 0; request < 2; request++) {
    await spend(wallet, 'A', 10);
    expect(await audit()).toEqual([
      expect.stringMatching(/^every pocket exists and equals .* differs by 5$/),
    ]);
    await passTime();
  }
  await add(-5);
  await spend(wallet, 'A', 10);
  expect(await audit()).toEqual([]);
  await passTime();
  expect(await audit()).toEqual([]);
});

test('a transaction that commits long after its timestamp is not a difference', async () => {
  const wallet = await newWallet(['A']);
  await buy(wallet, 'A', 100);
  await audit();
  await passTime();
  expect(await audit()).toEqual([]);

  await buy(wallet, 'A', 50);
  await forge([
    `UPDATE ledger_transaction SET created_at = created_at - interval '5 minutes'
     WHERE user_id = '${wallet.userId}' AND credits = 50000000`,
  ]);
  await spend(wallet, 'A', 10);
  expect(await audit()).toEqual([]);
  await passTime();
  expect(await audit()).toEqual([]);
  await spend(wallet, 'A', 10);
  await passTime();
  expect(await audit()).toEqual([]);
  expect(await readAuditedPocket(wallet, 'A')).toEqual([130, 130]);
});

test('an audit adds only what is new since the last one to the pockets of active users', async () => {
  const wallet = await newWallet(['A']);
  await buy(wallet, 'A', 500);
  await spend(wallet, 'A', 20);
  expect(await audit()).toEqual([]);
  await passTime();
  expect(await audit()).toEqual([]);
  expect(await readAuditedPocket(wallet, 'A')).toEqual([480, 480]);
  await spend(wallet, 'A', 30);
  expect(await audit()).toEqual([]);
  // Transactions with earlier timestamps may still commit, so recent entries are added again next time.
  expect(await readAuditedPocket(wallet, 'A')).toEqual([480, 450]);
  await passTime();
  expect(await audit()).toEqual([]);
  expect(await readAuditedPocket(wallet, 'A')).toEqual([450, 450]);
});

test('audits check the whole history of all users in turn, each as much as its budget allows', async () => {
  for (let n = 0; n < 50; n++) await newWallet(['A']);
  // A step takes longer than the budget.
  let time = Date.now();
  setClock(() => (time += 10_000));
  try {
    const { rows } = await pool().query<{ user_id: string }>('SELECT user_id FROM wallet ORDER BY user_id');
    const last = rows.at(-1)?.user_id;
    // One user at a time, and once more to see that none is left.
    const rounds = rows.length + 1;
    expect(rounds).toBeGreaterThan(2);
    await forge([`UPDATE wallet SET money = money + 7 WHERE user_id = '${last}'`]);
    const found: (string[] | undefined)[] = [];
    for (let round = 0; round < 2 * rounds; round++) found.push(await audit());
    const [first, second] = [found.slice(0, rounds), found.slice(rounds)];
    expect(first).toEqual([
      ...Array.from({ length: rows.length - 1 }, () => []),
      [expect.stringContaining('a wallet equals the sum of its pockets')],
      [],
    ]);
    expect(second).toEqual(first);
    await forge([`UPDATE wallet SET money = money - 7 WHERE user_id = '${last}'`]);
  } finally {
    setClock();
  }
});

test('one instance audits every minute, even if its timer is early, and several share the audits', async () => {
  const lastBegan = (secondsAgo: number) =>
    pool().query(
      `UPDATE watermark SET up_to = clock_timestamp() - make_interval(secs => $1) WHERE name = 'audit_turn'`,
      [secondsAgo],
    );
  await lastBegan(59.9);
  expect(await auditRecent()).not.toBeNull();
  await lastBegan(30);
  expect(await auditRecent()).toBeNull();
});

test('an audit without differences is kept for a month; one with differences and the newest are kept indefinitely', async () => {
  await pool().query('DELETE FROM audit_run');
  const write = (daysAgo: number, found: string[], runs = 1) =>
    pool().query(
      `INSERT INTO audit_run (at, users, differences)
       SELECT clock_timestamp() - make_interval(days => $1), 1, $2 FROM generate_series(1, $3)`,
      [daysAgo, found, runs],
    );
  const kept = async () => {
    const { rows } = await pool().query<{ days: number; found: number }>(
      `SELECT extract(day FROM clock_timestamp() - at)::int AS days, cardinality(differences) AS found
       FROM audit_run ORDER BY id`,
    );
    return rows.map(({ days, found }) => `${days} days ago: ${found}`);
  };
  await write(400, ['a pocket differs by 3']);
  await write(31, [], 2_500);
  await write(29, []);
  await write(40, []);
  await forgetOldAudits();
  expect(await kept()).toEqual(['400 days ago: 1', '29 days ago: 0', '40 days ago: 0']);
});
