import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { now, setClock } from '../../server/base/clock';
import { chargeFor, wholeCredits } from '../../server/base/credits';
import { inTransaction, ledgerPool, pool, prisma } from '../../server/base/db';
import { newId } from '../../server/base/ids';
import {
  admit,
  capture,
  checkLedger,
  drainLedger,
  type Hold,
  release,
  sweepHolds,
} from '../../server/ledger';
import { writeBatch } from '../../server/ledger/batch';
import { returnIdleHolds } from '../../server/ledger/kept-holds';
import { keepLease, renewLeases } from '../../server/ledger/lease';
import { newDatabase } from '../harness/database';
import { receipt } from './receipt';
import { allow, buy, exactly, grant, hold, newWallet, sees, takeBack, type Wallet } from './wallets';

await newDatabase();

/** Time for the timer that returns holds. */
const PATIENTLY = { timeout: 5_000 };

// Even on a slow machine, a kept hold is idle only for as long as a test says.
beforeEach(() => {
  const start = Date.now();
  setClock(() => start);
});

afterEach(async () => {
  await returnIdleHolds();
  expect((await checkLedger()).differences).toEqual([]);
});

async function place(wallet: Wallet, want: number, app = 'A'): Promise<Hold> {
  const admission = await hold(wallet, app, want);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  return admission.hold;
}

const charge = (running: Hold, credits: number) =>
  capture(running, chargeFor(exactly(credits), running.rateBp), receipt());

/** A user whose requests are frequent, so that the last of them leaves a kept hold. */
async function frequentUser({
  credits = 100,
  want = 1,
} = {}): Promise<{ wallet: Wallet; kept: string; maker: Hold; session: string }> {
  const wallet = await newWallet(['A', 'B']);
  const session = newId('cks');
  await buy(wallet, 'A', credits, session);
  for (let n = 0; n < 2; n++) await release(await place(wallet, want));
  const third = await place(wallet, want);
  await release(third);
  return { wallet, kept: third.requestId, maker: third, session };
}

type HoldRow = { request_id: string; amount: bigint; kept: boolean };

async function holdsOf({ userId }: Wallet): Promise<HoldRow[]> {
  const { rows } = await pool().query<HoldRow>(
    'SELECT request_id, amount, kept FROM hold WHERE user_id = $1',
    [userId],
  );
  return rows;
}

/** The rows of the user that any change would replace. */
async function versionsOf({ userId }: Wallet): Promise<unknown[]> {
  const { rows } = await pool().query(
    `SELECT (SELECT xmin::text || xmax::text FROM wallet WHERE user_id = $1) AS wallet,
       (SELECT array_agg(xmin::text || xmax::text) FROM user_app WHERE user_id = $1) AS pockets,
       (SELECT array_agg(xmin::text || xmax::text) FROM hold WHERE user_id = $1) AS holds`,
    [userId],
  );
  return rows;
}

async function booked({ userId }: Wallet): Promise<number[]> {
  const { rows } = await pool().query<{ credits: bigint }>(
    "SELECT credits FROM ledger_transaction WHERE user_id = $1 AND kind = 'usage' ORDER BY created_at",
    [userId],
  );
  return rows.map(({ credits }) => Number(credits) / -1e6);
}

const expireLeases = ({ userId }: Wallet) =>
  pool().query("UPDATE hold SET lease_until = '2000-01-01' WHERE user_id = $1", [userId]);

/** Runs `work` once after the next batch has been committed, before its result is known. */
function afterNextBatch(work: () => Promise<unknown>): void {
  const query = ledgerPool().query.bind(ledgerPool()) as (batch: pg.QueryConfig) => Promise<unknown>;
  const spy = vi.spyOn(ledgerPool(), 'query').mockImplementationOnce((async (batch: pg.QueryConfig) => {
    const result = await query(batch);
    await work();
    return result;
  }) as never);
  onTestFinished(() => spy.mockRestore());
}

function failNextBatch(): void {
  const spy = vi
    .spyOn(ledgerPool(), 'query')
    .mockImplementationOnce(() => Promise.reject(new Error('Connection terminated unexpectedly')) as never);
  onTestFinished(() => spy.mockRestore());
}

describe('a kept hold', () => {
  test('serves the next request without a write, and its settlement leaves it', async () => {
    const { wallet, kept } = await frequentUser();
    const before = await versionsOf(wallet);
    const running = await place(wallet, 1);
    expect(running.kept?.id).toBe(kept);
    expect(await versionsOf(wallet)).toEqual(before);

    expect(await charge(running, 0.25)).toEqual({ captured: 250_000n, balance: 99_750_000n });
    expect(await holdsOf(wallet)).toEqual([{ request_id: kept, amount: 1_000_000n, kept: true }]);
    expect((await place(wallet, 1)).kept?.id).toBe(kept);
  });

  test('is not made for a key that is used seldom', async () => {
    const wallet = await newWallet(['A']);
    await buy(wallet, 'A', 100);
    const start = now();
    for (let n = 0; n < 4; n++) {
      setClock(() => start + n * 700);
      await charge(await place(wallet, 1), 0.5);
    }
    expect(await holdsOf(wallet)).toEqual([]);
  });

  test('is not part of what the user has left', async () => {
    const { wallet } = await frequentUser();
    expect(await sees(wallet, 'A')).toEqual([100, 'ok']);
  });

  test('lets a request take no more than its own part', async () => {
    const { wallet } = await frequentUser({ want: 10 });
    const running = await place(wallet, 4);
    expect(running).toMatchObject({ amount: 4_000_000n, kept: { amount: 10_000_000n } });
    expect((await charge(running, 9))?.captured).toBe(4_000_000n);
    const { rows } = await pool().query('SELECT held FROM ledger_transaction WHERE id = $1', [
      running.requestId.replace('req_', 'txn_'),
    ]);
    expect(rows).toEqual([{ held: 4_000_000n }]);
  });

  test('lets a request take no more than its ceiling, and none that needs more', async () => {
    const { wallet, kept } = await frequentUser({ want: 10 });
    const ceiling = wholeCredits(3);
    const first = await hold(wallet, 'A', 4, 3, { ceiling });
    expect(first).toMatchObject({ hold: { amount: ceiling, kept: { id: kept } } });
    if (first.ok) expect((await charge(first.hold, 9))?.captured).toBe(ceiling);
    const limit = { kind: 'credits', scope: 'request', resetsAt: null };
    const lack = { needed: wholeCredits(4), available: ceiling };
    expect(await hold(wallet, 'A', 5, 4, { ceiling })).toMatchObject({ limit, lack });
  });

  test('is used by one request at a time, and a larger request replaces it', async () => {
    const { wallet, kept } = await frequentUser();
    const [first, second] = await Promise.all([place(wallet, 1), place(wallet, 1)]);
    expect([first.kept?.id, second.kept?.id].filter((id) => id === kept)).toHaveLength(1);
    await Promise.all([release(first), release(second)]);
    const large = await place(wallet, 5);
    expect(large.kept?.id).toBe(large.requestId);
    await release(large);
    expect((await holdsOf(wallet)).map(({ amount }) => amount)).toContain(5_000_000n);
    expect(await holdsOf(wallet)).toHaveLength(2);
  });

  test('ends when little else is free', async () => {
    const { wallet } = await frequentUser({ credits: 10 });
    await charge(await place(wallet, 1), 0.5);
    expect(await holdsOf(wallet)).toHaveLength(1);
    // Of 9.5 credits, 8.5 were free next to the hold; now it is less than 8.
    await charge(await place(wallet, 1), 0.6);
    expect(await holdsOf(wallet)).toEqual([]);
    expect(await sees(wallet, 'A')).toEqual([8.9, 'ok']);
  });

  test('is returned half a second after its last request, or when it is 15 seconds old', async () => {
    const { wallet } = await frequentUser();
    const made = now();
    setClock(() => made + 600);
    await vi.waitFor(async () => expect(await holdsOf(wallet)).toEqual([]), PATIENTLY);

    const other = await frequentUser();
    const running = await place(other.wallet, 1);
    setClock(() => made + 16_000);
    await charge(running, 0.5);
    await vi.waitFor(async () => expect(await holdsOf(other.wallet)).toEqual([]), PATIENTLY);
    expect(await sees(other.wallet, 'A')).toEqual([99.5, 'ok']);
  });

  test('is returned when the process stops', async () => {
    const { wallet } = await frequentUser();
    await drainLedger(5_000);
    expect(await holdsOf(wallet)).toEqual([]);
  });
});

describe('a request that finds a kept hold', () => {
  const admitAgain = async (wallet: Wallet, model = 'test/model') => {
    const keyHash = wallet.apps.A?.keyHash ?? Buffer.alloc(0);
    const admission = await admit({
      keyHash,
      requestId: newId('req'),
      model,
      need: exactly(0),
      want: exactly(1),
    });
    return admission.ok ? 'held' : admission.refusal;
  };
  const partnerOf = (wallet: Wallet) => ({ where: { id: wallet.apps.A?.id ?? '' } });

  test('is refused as soon as its key is revoked', async () => {
    const { wallet } = await frequentUser();
    await prisma().userKey.updateMany({ where: { userId: wallet.userId }, data: { revokedAt: new Date() } });
    expect(await admitAgain(wallet)).toBe('invalid_user_key');
    expect(await holdsOf(wallet)).toEqual([]);
  });

  test('is refused as soon as its partner is disabled or paused, or may not use the model', async () => {
    const { wallet } = await frequentUser();
    await prisma().partner.update({ ...partnerOf(wallet), data: { allModels: false, allowedModels: [] } });
    expect(await admitAgain(wallet)).toBe('model_not_allowed');

    const paused = await frequentUser();
    await prisma().partner.update({ ...partnerOf(paused.wallet), data: { pausedAt: new Date() } });
    expect(await admitAgain(paused.wallet)).toBe('paused_for_review');

    const disabled = await frequentUser();
    await prisma().partner.update({ ...partnerOf(disabled.wallet), data: { disabledAt: new Date() } });
    expect(await admitAgain(disabled.wallet)).toBe('partner_disabled');
  });

  test('is refused as soon as its user is paused, or its key restricted', async () => {
    const { wallet } = await frequentUser();
    await prisma().wallet.update({ where: { userId: wallet.userId }, data: { pausedAt: new Date() } });
    expect(await admitAgain(wallet)).toBe('paused_for_review');

    const restricted = await frequentUser();
    await prisma().userKey.updateMany({
      where: { userId: restricted.wallet.userId },
      data: { networks: ['10.0.0.0/8'] },
    });
    expect(await admitAgain(restricted.wallet)).toBe('restricted_to_key_networks');
  });

  test('pays a changed commission', async () => {
    const { wallet, kept } = await frequentUser({ want: 10 });
    await prisma().partner.update({ ...partnerOf(wallet), data: { rateBp: 2500 } });
    const running = await place(wallet, 1);
    expect(running).toMatchObject({ rateBp: 2500, amount: 1_250_000n });
    expect(running.kept?.id).not.toBe(kept);
    expect((await charge(running, 0.4))?.captured).toBe(500_000n);
  });

  test('records the use of its key once a minute', async () => {
    const { wallet } = await frequentUser();
    await pool().query("UPDATE user_key SET last_used_at = last_used_at - interval '2 minutes'");
    await release(await place(wallet, 1));
    const { rows } = await pool().query(
      "SELECT 1 FROM user_key WHERE user_id = $1 AND last_used_at > clock_timestamp() - interval '1 minute'",
      [wallet.userId],
    );
    expect(rows).toHaveLength(1);
  });

  test('spends nothing that a refund took back', async () => {
    const { wallet, session } = await frequentUser();
    const running = await place(wallet, 1);
    await takeBack(wallet, session, { refunded: 100 });
    expect((await charge(running, 0.5))?.captured).toBe(500_000n);
    expect(await admitAgain(wallet)).toBe('insufficient_credits');
    expect(await holdsOf(wallet)).toEqual([]);

    const idle = await frequentUser();
    await takeBack(idle.wallet, idle.session, { refunded: 100 });
    expect(await admitAgain(idle.wallet)).toBe('insufficient_credits');
    expect(await sees(idle.wallet, 'A')).toEqual([0, 'insufficient_credits']);
  });

  test('gets the whole balance: an idle hold of another app is returned first', async () => {
    const { wallet } = await frequentUser();
    await allow(wallet, 'B', 200);
    expect((await place(wallet, 500, 'B')).amount).toBe(100_000_000n);
    expect(await holdsOf(wallet)).toEqual([expect.objectContaining({ amount: 100_000_000n, kept: false })]);
  });

  test('is returned again a moment later when the database did not take it back', async () => {
    const { wallet } = await frequentUser();
    failNextBatch();
    await expect(returnIdleHolds(wallet.userId)).rejects.toThrow('Connection terminated');
    await vi.waitFor(async () => expect(await holdsOf(wallet)).toEqual([]), PATIENTLY);
  });

  test('is returned before another hold is settled, even if that needs several attempts', async () => {
    const { wallet } = await frequentUser();
    await allow(wallet, 'B', 10);
    const running = await place(wallet, 5, 'B');
    await release(await place(wallet, 1));
    expect(await holdsOf(wallet)).toHaveLength(2);
    failNextBatch();
    expect((await charge(running, 2))?.captured).toBe(2_000_000n);
    expect(await holdsOf(wallet)).toEqual([]);
  });

  test('waits for another instance to return what is in the way, and no longer than a second', async () => {
    const { wallet } = await frequentUser();
    await returnIdleHolds();
    // Another instance: this process does not know its hold.
    const request = {
      keyHash: wallet.apps.A?.keyHash ?? Buffer.alloc(0),
      requestId: newId('req'),
      model: 'test/model',
    };
    const costs = { need: exactly(0), want: exactly(1) };
    const make = writeBatch([], [{ ...request, ...costs, isKept: true }]);
    await ledgerPool().query(make);
    const wanted = () => hold(wallet, 'A', 100, 100);
    expect(await wanted()).toMatchObject({ ok: false, refusal: 'busy' });

    const { userId } = wallet;
    const giveUp = writeBatch([{ userId, requestId: '', holdId: request.requestId }], []);
    // The request is refused twice before it is.
    afterNextBatch(async () => afterNextBatch(() => pool().query(giveUp)));
    expect(await wanted()).toMatchObject({ ok: true, hold: { amount: 100_000_000n } });
  });

  test('does not wait for the requests of this instance', async () => {
    const { wallet } = await frequentUser();
    const running = await place(wallet, 1);
    const batches = vi.spyOn(ledgerPool(), 'query');
    onTestFinished(() => batches.mockRestore());
    expect(await hold(wallet, 'A', 100, 100)).toMatchObject({ ok: false, refusal: 'busy' });
    expect(batches).toHaveBeenCalledTimes(2);
    await charge(running, 1);
  });
});

describe('settling in a kept hold', () => {
  test('happens once: a repetition changes nothing, although another request uses the hold', async () => {
    const { wallet, kept, maker } = await frequentUser();
    const first = await place(wallet, 1);
    const calls = vi.spyOn(ledgerPool(), 'query');
    const captures = await Promise.all(Array.from({ length: 5 }, () => charge(first, 0.25)));
    expect(calls).toHaveBeenCalledTimes(1);
    calls.mockRestore();
    expect(captures.map((settled) => settled?.captured)).toEqual(Array(5).fill(250_000n));
    const second = await place(wallet, 1);
    expect(second.kept?.id).toBe(kept);
    expect((await charge(first, 0.25))?.captured).toBe(250_000n);
    await release(first);
    // The request that made the hold has ended too.
    await release(maker);
    expect((await charge(second, 0.5))?.captured).toBe(500_000n);
    expect(await booked(wallet)).toEqual([0.25, 0.5]);
    expect(await sees(wallet, 'A')).toEqual([99.25, 'ok']);
  });

  test('shares a call with other requests of the user, each after the one before it', async () => {
    const { wallet } = await frequentUser();
    const requests = await Promise.all(Array.from({ length: 4 }, () => place(wallet, 1)));
    expect(requests.every(({ kept }) => kept)).toBe(true);
    const calls = vi.spyOn(ledgerPool(), 'query');
    onTestFinished(() => calls.mockRestore());
    const settled = await Promise.all(requests.map((request, n) => charge(request, 0.1 * (n + 1))));
    expect(calls).toHaveBeenCalledTimes(1);
    expect(settled.map((row) => Number(row?.balance) / 1e6)).toEqual([96.9, 96.7, 96.4, 96]);
    const { rows } = await pool().query(
      "SELECT count(DISTINCT created_at)::int AS times FROM ledger_transaction WHERE user_id = $1 AND kind = 'usage'",
      [wallet.userId],
    );
    expect(rows).toEqual([{ times: 4 }]);
    expect(await booked(wallet)).toEqual([0.1, 0.2, 0.3, 0.4]);
  });

  test('ends only the hold that leaves too little free, also of requests that share a call', async () => {
    const { wallet } = await frequentUser({ credits: 10 });
    const requests = [await place(wallet, 1), await place(wallet, 0.5)] as const;
    expect(requests.every(({ kept }) => kept)).toBe(true);
    const settled = await Promise.all([charge(requests[0], 0.6), charge(requests[1], 0.4)]);
    // The first leaves 7.9, less than eight times its hold. What it returns is in the balance after the second.
    expect(settled.map((row) => Number(row?.balance) / 1e6)).toEqual([8.9, 9]);
    expect(await booked(wallet)).toEqual([0.6, 0.4]);
    expect(await holdsOf(wallet)).toEqual([
      { request_id: requests[1].requestId, amount: 500_000n, kept: true },
    ]);
  });

  test('spends granted credits first', async () => {
    const { wallet } = await frequentUser();
    await grant(wallet, 'A', 1);
    const requests = [await place(wallet, 1), await place(wallet, 1)];
    expect(requests.every(({ kept }) => kept)).toBe(true);
    await Promise.all(requests.map((request) => charge(request, 0.6)));
    const { rows } = await pool().query(
      'SELECT own, own_granted FROM user_app WHERE user_id = $1 AND own > 0',
      [wallet.userId],
    );
    expect(rows).toEqual([{ own: 99_800_000n, own_granted: 0n }]);
  });

  test('happens once, even if a release overtakes the capture', async () => {
    const { wallet } = await frequentUser({ credits: 9 });
    const running = await place(wallet, 1);
    const query = ledgerPool().query.bind(ledgerPool()) as (batch: pg.QueryConfig) => Promise<unknown>;
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const spy = vi.spyOn(ledgerPool(), 'query').mockImplementationOnce((async (batch: pg.QueryConfig) => {
      await begun;
      return query(batch);
    }) as never);
    // What is left next to the hold would be less than 8 times as much: the capture ends it.
    const captured = charge(running, 0.5);
    await vi.waitFor(() => expect(spy).toHaveBeenCalled());
    const released = release(running);
    const second = await place(wallet, 1);
    begin();
    await Promise.all([captured, released]);
    expect((await charge(second, 0.5))?.captured).toBe(500_000n);
    expect(await booked(wallet)).toEqual([0.5, 0.5]);
    spy.mockRestore();
  });

  test('survives a lost answer', async () => {
    const { wallet, kept } = await frequentUser();
    const running = await place(wallet, 1);
    afterNextBatch(() => Promise.reject(new Error('Connection terminated unexpectedly')));
    expect((await charge(running, 0.25))?.captured).toBe(250_000n);
    expect(await booked(wallet)).toEqual([0.25]);
    expect((await place(wallet, 1)).kept?.id).toBe(kept);
  });

  test('never spends more than the balance, however many requests run', async () => {
    const { wallet } = await frequentUser({ credits: 20 });
    const outcomes = await Promise.all(
      Array.from({ length: 400 }, async () => {
        const admission = await hold(wallet, 'A', 0.1, 0.1);
        if (!admission.ok) return;
        await charge(admission.hold, 0.1);
      }),
    );
    expect(outcomes).toHaveLength(400);
    const spent = (await booked(wallet)).reduce((sum, credits) => sum + credits, 0);
    expect(spent).toBeLessThanOrEqual(20);
    expect((await sees(wallet, 'A'))[0]).toBeCloseTo(20 - spent, 6);
  });
});

describe('a kept hold of a dead instance', () => {
  test('is captured for the request that was metered', async () => {
    const { wallet, kept } = await frequentUser({ want: 10 });
    const running = await place(wallet, 4);
    const endLease = keepLease(running, () => ({ charge: chargeFor(exactly(6), 0), receipt: receipt() }));
    await renewLeases();
    endLease();
    await expireLeases(wallet);
    expect(await sweepHolds()).toBe(1);
    expect(await booked(wallet)).toEqual([4]);
    const { rows } = await pool().query('SELECT 1 FROM ledger_transaction WHERE id = $1', [
      running.requestId.replace('req_', 'txn_'),
    ]);
    expect(rows).toHaveLength(1);
    expect(await holdsOf(wallet)).toEqual([]);
    expect(kept).not.toBe(running.requestId);
  });

  test('is released if nothing was metered, whatever its earlier requests cost', async () => {
    const { wallet } = await frequentUser();
    await charge(await place(wallet, 1), 0.25);
    await place(wallet, 1);
    await expireLeases(wallet);
    expect(await sweepHolds()).toBe(1);
    expect(await booked(wallet)).toEqual([0.25]);
    expect(await sees(wallet, 'A')).toEqual([99.75, 'ok']);
  });

  test('is released if the metered request was settled before it died', async () => {
    const { wallet } = await frequentUser();
    const running = await place(wallet, 1);
    const endLease = keepLease(running, () => ({ charge: chargeFor(exactly(0.9), 0), receipt: receipt() }));
    // The renewal is under way while the settlement is committed.
    const meter = pool().query.bind(pool()) as (text: string, values: unknown[]) => Promise<unknown>;
    const spy = vi.spyOn(pool(), 'query').mockImplementationOnce((async (text: string, values: unknown[]) => {
      await ledgerPool().query(
        writeBatch(
          [
            {
              userId: running.userId,
              requestId: running.requestId,
              holdId: running.kept?.id ?? '',
              held: running.amount,
              charge: chargeFor(exactly(0.25), 0),
              receipt: receipt(),
            },
          ],
          [],
        ),
      );
      return meter(text, values);
    }) as never);
    await renewLeases();
    spy.mockRestore();
    endLease();
    await expireLeases(wallet);
    expect(await sweepHolds()).toBe(1);
    expect(await booked(wallet)).toEqual([0.25]);
    expect(await holdsOf(wallet)).toEqual([]);
  });

  test('is not used again after a renewal has metered a request in it', async () => {
    const { wallet, kept } = await frequentUser();
    const running = await place(wallet, 1);
    const endLease = keepLease(running, () => ({ charge: chargeFor(exactly(0.9), 0), receipt: receipt() }));
    await renewLeases();
    await release(running);
    endLease();
    expect(await holdsOf(wallet)).toEqual([]);
    expect((await place(wallet, 1)).kept?.id).not.toBe(kept);
  });

  test('lets no request begin once it is gone', async () => {
    const { wallet } = await frequentUser();
    await expireLeases(wallet);
    await sweepHolds();
    const running = await place(wallet, 1);
    expect(running.kept?.id).toBe(running.requestId);
    expect(await inTransaction((tx) => tx.hold.count({ where: { userId: wallet.userId } }))).toBe(1);
  });
});
