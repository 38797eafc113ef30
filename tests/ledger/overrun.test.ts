import { beforeEach, describe, expect, test } from 'vitest';
import { chargeFor, type Picocredits } from '@/server/base/credits';
import { closeDatabase, inTransaction, pool } from '@/server/base/db';
import {
  type AdmissionRefusal,
  capture,
  checkLedger,
  type Hold,
  resumePartner,
  resumeUser,
  sweepHolds,
} from '@/server/ledger';
import { writeBatch } from '@/server/ledger/batch';
import { keepLease, renewLeases } from '@/server/ledger/lease';
import { newDatabase } from '../harness/database';
import { receipt } from './receipt';
import { buy, exactly, hold, newWallet, sees, type Wallet } from './wallets';

/** The limits of these tests, in credits. */
process.env.LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY = '10';
process.env.LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY = '15';
await newDatabase();

let wallet: Wallet;
beforeEach(async () => {
  wallet = await newWallet(['A', 'B']);
  await buy(wallet, 'A', 100);
  await buy(wallet, 'B', 100);
});

/** Adds another user of the same apps. */
async function newUserOf({ apps }: Wallet): Promise<Wallet> {
  const other = await newWallet(['A']);
  const { id = '', keyHash } = other.apps.A ?? {};
  await pool().query('UPDATE user_key SET partner_id = $2 WHERE hash = $1', [keyHash, apps.A?.id]);
  await pool().query(`UPDATE user_app SET partner_id = $2 WHERE partner_id = $1`, [id, apps.A?.id]);
  if (other.apps.A) other.apps.A.id = apps.A?.id ?? '';
  await buy(other, 'A', 100);
  return other;
}

async function placeHold(of: Wallet, app: string): Promise<Hold> {
  const admission = await hold(of, app, 1);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  return admission.hold;
}

/** Settles a request that cost `overrun` credits more than its hold of 1. */
async function overrun(of: Wallet, app: string, credits: number): Promise<void> {
  await settle(await placeHold(of, app), exactly(1 + credits));
}

const settle = (held: Hold, cost: Picocredits) => capture(held, chargeFor(cost, held.rateBp), receipt());

async function admissionTo(of: Wallet, app: string): Promise<'held' | AdmissionRefusal> {
  const admission = await hold(of, app, 1);
  return admission.ok ? 'held' : admission.refusal;
}

type Count = { overrun: bigint; paused: boolean };

async function countOf(table: 'wallet' | 'partner'): Promise<Count | undefined> {
  const [key, id] = table === 'wallet' ? ['user_id', wallet.userId] : ['id', wallet.apps.A?.id];
  const { rows } = await pool().query<Count>(
    `SELECT overrun, paused_at IS NOT NULL AS paused FROM ${table} WHERE ${key} = $1`,
    [id],
  );
  return rows[0];
}

describe('a user whose overruns pass the limit', () => {
  test('is refused in every app, and the balance reports the same reason', async () => {
    await overrun(wallet, 'A', 10);
    expect(await sees(wallet, 'A')).toEqual([99, 'ok']);
    await overrun(wallet, 'A', 0.001);

    for (const app of ['A', 'B']) {
      expect(await admissionTo(wallet, app)).toBe('paused_for_review');
      expect((await sees(wallet, app))[1]).toBe('paused_for_review');
    }
    expect((await sees(wallet, 'A'))[0]).toBe(98);
    const other = await newUserOf(wallet);
    expect(await admissionTo(other, 'A')).toBe('held');
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('gets the running requests settled, which no longer change the pause', async () => {
    const running = await placeHold(wallet, 'A');
    await overrun(wallet, 'A', 11);
    const { rows } = await pool().query<{ at: string }>(
      'SELECT paused_at::text AS at FROM wallet WHERE user_id = $1',
      [wallet.userId],
    );

    expect((await settle(running, exactly(3)))?.captured).toBe(1_000_000n);

    const { rows: after } = await pool().query(
      'SELECT paused_at::text AS at, overrun FROM wallet WHERE user_id = $1',
      [wallet.userId],
    );
    expect(after).toEqual([{ at: rows[0]?.at, overrun: 13_000_000n }]);
  });

  test('stays refused on a new connection and after a day, until an operator resumes them', async () => {
    await overrun(wallet, 'A', 11);
    await pool().query("UPDATE wallet SET overrun_since = overrun_since - interval '2 days'");
    await closeDatabase();
    expect(await admissionTo(wallet, 'B')).toBe('paused_for_review');

    expect(await inTransaction((tx) => resumeUser(tx, wallet.userId))).toBe(true);
    expect(await inTransaction((tx) => resumeUser(tx, wallet.userId))).toBe(false);

    expect(await sees(wallet, 'A')).toEqual([99, 'ok']);
    expect(await countOf('wallet')).toEqual({ overrun: 0n, paused: false });
    expect(await admissionTo(wallet, 'B')).toBe('held');
  });
});

describe('the sum of overruns', () => {
  test('starts again with the first overrun after 24 hours', async () => {
    await overrun(wallet, 'A', 9);
    await pool().query("UPDATE wallet SET overrun_since = overrun_since - interval '23 hours 59 minutes'");
    await overrun(wallet, 'A', 1);
    expect(await countOf('wallet')).toEqual({ overrun: 10_000_000n, paused: false });
    await pool().query("UPDATE wallet SET overrun_since = overrun_since - interval '1 minute'");
    await overrun(wallet, 'A', 2);
    expect(await countOf('wallet')).toEqual({ overrun: 2_000_000n, paused: false });
  });

  test('does not count a microcredit of rounding, a charge within the hold, or a commission that the hold cut', async () => {
    const rounding = await placeHold(wallet, 'A');
    await settle(rounding, (exactly(1) + 1n) as Picocredits);
    const within = await placeHold(wallet, 'A');
    await settle(within, exactly(1));
    const cut = await placeHold(wallet, 'A');
    await capture(cut, chargeFor(exactly(1), 10_000), receipt());
    expect(await countOf('wallet')).toEqual({ overrun: 0n, paused: false });
    expect(await countOf('partner')).toEqual({ overrun: 0n, paused: false });
  });

  test('includes what the sweep settles for a dead instance', async () => {
    const running = await placeHold(wallet, 'A');
    const endLease = keepLease(running, () => ({ charge: chargeFor(exactly(13), 0), receipt: receipt() }));
    await renewLeases();
    endLease();
    await pool().query("UPDATE hold SET lease_until = clock_timestamp() - interval '1 second'");
    await sweepHolds();
    expect(await countOf('wallet')).toEqual({ overrun: 12_000_000n, paused: true });
  });
});

describe('an app whose overruns pass its limit', () => {
  test('is refused for all of its users and no other app, until an operator resumes it', async () => {
    const other = await newUserOf(wallet);
    await overrun(wallet, 'A', 8);
    await overrun(other, 'A', 8);

    expect(await countOf('wallet')).toEqual({ overrun: 8_000_000n, paused: false });
    expect(await countOf('partner')).toEqual({ overrun: 16_000_000n, paused: true });
    for (const user of [wallet, other, await newUserOf(wallet)]) {
      expect(await admissionTo(user, 'A')).toBe('paused_for_review');
      expect((await sees(user, 'A'))[1]).toBe('paused_for_review');
    }
    expect(await admissionTo(wallet, 'B')).toBe('held');

    const { id = '' } = wallet.apps.A ?? {};
    expect(await inTransaction((tx) => resumePartner(tx, id))).toBe(true);
    expect(await inTransaction((tx) => resumePartner(tx, id))).toBe(false);
    expect(await admissionTo(other, 'A')).toBe('held');
  });

  test('is paused by a batch that only together passes the limit, and the batch says so once', async () => {
    const users = [wallet, await newUserOf(wallet), await newUserOf(wallet)];
    const holds = await Promise.all(users.map((user) => placeHold(user, 'A')));
    const charge = chargeFor(exactly(7), 0);
    const batch = writeBatch(
      holds.map((held) => ({ ...held, charge, receipt: receipt() })),
      [],
    );
    const { rows } = await pool().query<{ pauses: string | null }>(batch);
    expect(rows.map(({ pauses }) => pauses).sort()).toEqual(['app', null, null]);
    expect(await countOf('partner')).toEqual({ overrun: 18_000_000n, paused: true });
  });
});

test('settlements in parallel pause a user and an app once each, and lose no overrun', async () => {
  const users = [wallet];
  while (users.length < 4) users.push(await newUserOf(wallet));
  const holds = await Promise.all(
    users.flatMap((user) => Array.from({ length: 6 }, () => placeHold(user, 'A'))),
  );
  const charge = chargeFor(exactly(3), 0);
  const batches = await Promise.all(
    // As from several instances: one statement each, on connections of their own.
    holds.map((held) =>
      pool().query<{ pauses: string | null }>(writeBatch([{ ...held, charge, receipt: receipt() }], [])),
    ),
  );

  const pauses = batches.flatMap(({ rows }) => rows.flatMap(({ pauses: who }) => who?.split(' and ') ?? []));
  expect(pauses.sort()).toEqual(['app', 'user', 'user', 'user', 'user']);
  expect(await countOf('wallet')).toEqual({ overrun: 12_000_000n, paused: true });
  expect(await countOf('partner')).toEqual({ overrun: 48_000_000n, paused: true });
  expect((await checkLedger()).differences).toEqual([]);
});
