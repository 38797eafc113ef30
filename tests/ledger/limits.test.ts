import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, ledgerPool, pool } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import {
  type Hold,
  PERIODS,
  type Period,
  readLimits,
  release,
  removeLimits,
  resumeSpending,
  stopSpending,
} from '@/server/ledger';
import { writeBatch } from '@/server/ledger/batch';
import { findDifferences } from '@/server/ledger/differences';
import { LIMIT_INVARIANT, POCKET_INVARIANT, WALLET_INVARIANTS } from '@/server/ledger/invariants';
import { saveDefaultLimits } from '@/server/partners/user-limits';
import { newDatabase } from '../harness/database';
import { replaceLimitClock, setTime } from './limit-clock';
import {
  type By,
  idOf,
  instant,
  LimitModel,
  labelOf,
  limit,
  limitUsers,
  NO_LIMITS,
  ZONES,
} from './limit-model';
import { ask, charge, place, rich, spend } from './steps';
import { allow, buy, exactly, hold, newWallet, sees, takeBack, type Wallet } from './wallets';

process.env.LIMIT_RUNNING_PER_USER = '5000';
await newDatabase();

beforeAll(replaceLimitClock);

/** A Wednesday. */
beforeEach(() => setTime('2026-11-18T12:00:00Z'));

const stop = (wallet: Wallet, app: string) =>
  inTransaction((tx) => stopSpending(tx, { userId: wallet.userId, partnerId: idOf(wallet, app) }));
const resume = (wallet: Wallet, app: string) =>
  inTransaction((tx) => resumeSpending(tx, { userId: wallet.userId, partnerId: idOf(wallet, app) }));

describe('a limit', () => {
  test('lowers a hold to what is left, and refuses a request that needs more', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { day: 10 });
    await spend(wallet, 'A', 4);
    expect(await ask(wallet, 'A', 20)).toBe(6);
    expect(await ask(wallet, 'A', 20, 6)).toBe(6);
    expect(await ask(wallet, 'A', 20, 7)).toBe('day app 2026-11-19T00:00');
    expect(await ask(wallet, 'B', 20)).toBe(20);
  });

  test('for all apps counts what every app spent', async () => {
    const wallet = await rich();
    await limit(wallet, 'all', { week: 10 });
    await spend(wallet, 'A', 4);
    await spend(wallet, 'B', 6);
    expect(await ask(wallet, 'A', 1)).toBe('week all 2026-11-23T00:00');
    expect(await ask(wallet, 'B', 1)).toBe('week all 2026-11-23T00:00');
  });

  test('counts what running requests hold: the next one is busy, not refused', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { month: 10 });
    const running = await place(wallet, 'A', 10);
    expect(await ask(wallet, 'A', 1)).toBe('busy');
    await charge(running, 2);
    expect(await ask(wallet, 'A', 20)).toBe(8);
  });

  test('names the longest of several periods, in whose time zone it resets', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { day: 5, week: 5, month: 5 }, 'America/New_York');
    await spend(wallet, 'A', 5);
    expect(await ask(wallet, 'A', 1)).toBe('month app 2026-12-01T05:00');
    await limit(wallet, 'A', { day: 5, week: 5 }, 'America/New_York');
    expect(await ask(wallet, 'A', 1)).toBe('week app 2026-11-23T05:00');
    await setTime('2026-11-23T04:59:59Z');
    expect(await ask(wallet, 'A', 1)).toBe('week app 2026-11-23T05:00');
    await setTime('2026-11-23T05:00:00Z');
    expect(await ask(wallet, 'A', 20)).toBe(5);
  });

  test('per request lowers the hold, and refuses what costs more', async () => {
    const wallet = await rich();
    await limit(wallet, 'all', { request: 3 });
    await limit(wallet, 'A', { request: 2 });
    expect(await ask(wallet, 'A', 20)).toBe(2);
    expect(await ask(wallet, 'A', 20, 3)).toBe('request app');
    expect(await ask(wallet, 'B', 20)).toBe(3);
    expect(await ask(wallet, 'B', 20, 4)).toBe('request all');
  });

  test('of models allows only those, or all except those', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { models: { rule: 'only', models: ['other/model'] } });
    expect(await ask(wallet, 'A', 1)).toBe('model app');
    await limit(wallet, 'A', { models: { rule: 'only', models: ['test/model'] } });
    expect(await ask(wallet, 'A', 1)).toBe(1);
    await limit(wallet, 'all', { models: { rule: 'except', models: ['test/model'] } });
    expect(await ask(wallet, 'A', 1)).toBe('model all');
    await limit(wallet, 'all', { models: { rule: 'except', models: ['other/model'] } });
    expect(await ask(wallet, 'A', 1)).toBe(1);
  });

  test('lowers the balance, and its status says so', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { day: 10 });
    expect(await sees(wallet, 'A')).toEqual([10, 'ok']);
    expect(await spend(wallet, 'A', 4)).toEqual({ captured: 4_000_000n, balance: 6_000_000n });
    expect(await sees(wallet, 'A')).toEqual([6, 'ok']);
    const running = await place(wallet, 'A', 6);
    expect(await sees(wallet, 'A')).toEqual([0, 'ok']);
    await charge(running, 6);
    expect(await sees(wallet, 'A')).toEqual([0, 'partner_limit_reached']);
    expect(await sees(wallet, 'B')).toEqual([1_000, 'ok']);
    await limit(wallet, 'A', { day: 5 });
    expect(await sees(wallet, 'A')).toEqual([0, 'partner_limit_reached']);
  });

  test('also counts what a request took from an allowance', async () => {
    const wallet = await newWallet(['A', 'B']);
    await buy(wallet, 'B', 100);
    await allow(wallet, 'A', 50);
    await limit(wallet, 'A', { day: 10 });
    await spend(wallet, 'A', 7);
    expect(await ask(wallet, 'A', 20)).toBe(3);
  });

  test('is not raised by a refund', async () => {
    const wallet = await newWallet(['A']);
    const session = newId('cks');
    await buy(wallet, 'A', 100, session);
    await limit(wallet, 'A', { day: 10 });
    await spend(wallet, 'A', 10);
    await takeBack(wallet, session, { refunded: 50 });
    await takeBack(wallet, session, { refunded: 0 });
    expect(await ask(wallet, 'A', 1)).toBe('day app 2026-11-19T00:00');
  });

  test('counts a settlement once, even if it is repeated', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { day: 10 });
    const held = await place(wallet, 'A', 5);
    const first = await charge(held, 5);
    expect(await charge(held, 5)).toEqual(first);
    expect(await ask(wallet, 'A', 20)).toBe(5);
  });

  test('of a user who does not use the app is not saved', async () => {
    const wallet = await rich();
    expect(await limit(wallet, 'prt_other', { day: 10 })).toBe(false);
    expect(await stop(wallet, 'prt_other')).toBe(false);
    expect((await readLimits(wallet.userId)).limits).toEqual([]);
  });

  test('ends kept holds, and a user without limits has them again', async () => {
    const wallet = await rich();
    const isKept = async () => {
      const holds: Hold[] = [];
      for (let n = 0; n < 4; n++) {
        const held = await place(wallet, 'A', 1);
        holds.push(held);
        await release(held);
      }
      return holds.at(-1)?.kept !== undefined;
    };
    expect(await isKept()).toBe(true);
    await limit(wallet, 'B', { day: 10 });
    expect(await isKept()).toBe(false);
    const { rows } = await pool().query('SELECT 1 FROM hold WHERE user_id = $1', [wallet.userId]);
    expect(rows).toEqual([]);
    await limit(wallet, 'B', {});
    expect(await isKept()).toBe(true);
  });
});

describe('a change in the middle of a period', () => {
  test('a new limit counts what was spent before', async () => {
    const wallet = await rich();
    await setTime('2026-11-02T12:00:00Z');
    await spend(wallet, 'A', 1);
    await setTime('2026-11-16T12:00:00Z');
    await spend(wallet, 'A', 2);
    await setTime('2026-11-18T12:00:00Z');
    await spend(wallet, 'A', 4);
    await spend(wallet, 'B', 8);
    await limit(wallet, 'A', { day: 100 });
    await limit(wallet, 'all', { month: 100 });
    const { limits } = await readLimits(wallet.userId);
    const spent = limits.map(({ used }) => PERIODS.map((period) => Number(used[period].spent) / 1e6));
    expect(spent).toEqual([
      [12, 14, 15],
      [4, 6, 7],
    ]);
  });

  test('another limit keeps what was spent, and a removed and repeated one finds it again', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { day: 10 });
    await spend(wallet, 'A', 4);
    await limit(wallet, 'A', { week: 12 });
    expect(await ask(wallet, 'A', 20)).toBe(8);
    await limit(wallet, 'A', {});
    expect(await ask(wallet, 'A', 20)).toBe(20);
    await limit(wallet, 'A', { day: 10 });
    expect(await ask(wallet, 'A', 20)).toBe(6);
  });

  test('another time zone neither resets what was spent nor moves the end of the running period', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { day: 10 });
    await spend(wallet, 'A', 10);
    // There, the day has ended already.
    await limit(wallet, 'A', { day: 10 }, 'Pacific/Auckland');
    expect(await ask(wallet, 'A', 1)).toBe('day app 2026-11-19T00:00');
    await setTime('2026-11-19T00:00:00Z');
    await spend(wallet, 'A', 10);
    expect(await ask(wallet, 'A', 1)).toBe('day app 2026-11-20T11:00');
    await setTime('2026-11-20T11:00:00Z');
    await spend(wallet, 'A', 10);
    expect(await ask(wallet, 'A', 1)).toBe('day app 2026-11-21T11:00');
  });

  test('after a change of the time zone, no month is a few hours long', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { month: 10 });
    await limit(wallet, 'A', { month: 10 }, 'America/Los_Angeles');
    // Still November in Los Angeles, but the November in UTC has ended.
    await setTime('2026-12-01T01:00:00Z');
    await spend(wallet, 'A', 10);
    expect(await ask(wallet, 'A', 1)).toBe('month app 2027-01-01T08:00');
  });

  test('a settlement succeeds if the database no longer knows the time zone', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { day: 10 });
    await pool().query("UPDATE wallet SET limits_zone = 'Nowhere/Gone' WHERE user_id = $1", [wallet.userId]);
    const held = await place(wallet, 'A', 5);
    await setTime('2026-11-19T12:00:00Z');
    await charge(held, 5);
    expect(await ask(wallet, 'A', 20)).toBe(5);
  });
});

describe('a stop', () => {
  test('refuses the next request of the app, and resuming admits it again', async () => {
    const wallet = await rich();
    expect(await stop(wallet, 'A')).toBe(true);
    expect(await stop(wallet, 'A')).toBe(false);
    expect(await ask(wallet, 'A', 1)).toBe('stop app');
    expect(await sees(wallet, 'A')).toEqual([0, 'partner_limit_reached']);
    expect(await ask(wallet, 'B', 1)).toBe(1);
    expect(await resume(wallet, 'A')).toBe(true);
    expect(await resume(wallet, 'A')).toBe(false);
    expect(await ask(wallet, 'A', 1)).toBe(1);
  });

  test('of all apps refuses a request that would use a kept hold', async () => {
    const wallet = await rich();
    for (let n = 0; n < 4; n++) await release(await place(wallet, 'A', 1));
    await stop(wallet, 'all');
    expect(await ask(wallet, 'A', 1)).toBe('stop all');
    await resume(wallet, 'all');
    expect(await ask(wallet, 'A', 1)).toBe(1);
  });

  test('keeps the limits, and saving limits keeps the stop', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { day: 10 });
    await spend(wallet, 'A', 4);
    await stop(wallet, 'A');
    await limit(wallet, 'A', { day: 8 });
    expect(await ask(wallet, 'A', 1)).toBe('stop app');
    await resume(wallet, 'A');
    expect(await ask(wallet, 'A', 20)).toBe(4);
  });

  test('of a deleted account leaves nothing', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { day: 10 });
    await stop(wallet, 'all');
    await inTransaction((tx) => removeLimits(tx, wallet.userId));
    expect(await readLimits(wallet.userId)).toEqual({ zone: null, limits: [] });
    expect(await ask(wallet, 'A', 20)).toBe(20);
  });
});

test('parallel requests of two processes hold exactly the limit together', async () => {
  const wallet = await rich();
  await limit(wallet, 'all', { day: 30 });
  await limit(wallet, 'A', { month: 20 });
  const admissionTo = (app: string) =>
    writeBatch(
      [],
      [
        {
          keyHash: wallet.apps[app]?.keyHash ?? Buffer.alloc(0),
          requestId: newId('req'),
          model: 'test/model',
          need: exactly(3),
          want: exactly(3),
        },
      ],
    );
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) => {
      const batch = admissionTo(n % 2 === 0 ? 'A' : 'B');
      return n % 3 === 0 ? ledgerPool().query(batch) : pool().query(batch);
    }),
  );
  const outcomes = answers.map(({ rows }) => rows[0]);
  const held = outcomes.filter(({ outcome }) => outcome === 'held');
  expect(held.reduce((sum, { amount }) => sum + amount, 0n)).toBe(wholeCredits(30));
  const ofA = held.filter(({ partner_id }) => partner_id === wallet.apps.A?.id);
  expect(ofA.length).toBeLessThanOrEqual(6);
  expect(
    outcomes.filter(({ outcome }) => outcome !== 'held').every(({ outcome }) => outcome === 'busy'),
  ).toBe(true);
});

test('a period begins and ends where the calendar of its time zone says, in any zone and on any day', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...PERIODS),
      fc.constantFrom(...ZONES),
      instant,
      async (period, zone, at) => {
        const { rows } = await pool().query<{ start: Date; end: Date }>(
          'SELECT ledger_period_start($1, $2, $3) AS start, ledger_period_end($1, $2, $3) AS end',
          [period, zone, new Date(at)],
        );
        const [start, end] = [Number(rows[0]?.start), Number(rows[0]?.end)];
        const label = labelOf(period, zone, at);
        expect([start <= at, at < end]).toEqual([true, true]);
        expect([start, end - 1].map((time) => labelOf(period, zone, time))).toEqual([label, label]);
        expect([start - 1, end].map((time) => labelOf(period, zone, time))).not.toContain(label);
      },
    ),
    { numRuns: Number(process.env.WALKS ?? 300) * 4 },
  );
});

type Step =
  | { do: 'wait'; minutes: number }
  | { do: 'hold'; app: string; want: number; need: number }
  | { do: 'settle'; which: number; percent: number }
  | { do: 'limit'; app: string; limits: Partial<Record<Period, number>> }
  | { do: 'limitUsers'; app: string; by: By; limits: Partial<Record<Period, number>> };

const app = fc.constantFrom('A', 'B');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 3_000 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      app,
      want: fc.integer({ min: 1, max: 15 }),
      need: fc.integer({ min: 1, max: 8 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      which: fc.nat({ max: 9 }),
      percent: fc.constantFrom(0, 50, 100),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('limit' as const),
      app: fc.constantFrom('A', 'B', 'all'),
      limits: fc.record(
        {
          day: fc.integer({ min: 1, max: 20 }),
          week: fc.integer({ min: 1, max: 40 }),
          month: fc.integer({ min: 1, max: 60 }),
        },
        { requiredKeys: [] },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('limitUsers' as const),
      app,
      by: fc.constantFrom<By>('partner', 'partner for one', 'ceiling', 'default'),
      limits: fc.record(
        { day: fc.integer({ min: 1, max: 20 }), month: fc.integer({ min: 1, max: 60 }) },
        { requiredKeys: [] },
      ),
    }),
  },
);

type Placed = { app: string; hold: Hold; credits: number };

async function take(wallet: Wallet, model: LimitModel<Placed>, next: Step): Promise<void> {
  switch (next.do) {
    case 'wait':
      model.nowMs += next.minutes * 60_000;
      await setTime(new Date(model.nowMs));
      return;
    case 'limit':
      model.limits.set(next.app, next.limits);
      await limit(wallet, next.app, next.limits, model.zone);
      return;
    case 'limitUsers':
      model.limitUsers(next.by, next.app, next.limits);
      await limitUsers(wallet, next.app, next.by, next.limits);
      return;
    case 'hold': {
      const want = Math.max(next.want, next.need);
      const expected = model.expected(next.app, want, next.need);
      const admission = await hold(wallet, next.app, want, next.need);
      expect(admission.ok ? Number(admission.hold.amount) / 1e6 : admission.refusal).toBe(expected);
      if (admission.ok)
        model.running.push({ app: next.app, hold: admission.hold, credits: Number(expected) });
      return;
    }
    case 'settle': {
      const [run] = model.running.splice(next.which % Math.max(1, model.running.length), 1);
      if (!run) return;
      const credits = Math.floor((run.credits * next.percent) / 100);
      if (credits === 0) return release(run.hold);
      await charge(run.hold, credits);
      model.charges.push({ app: run.app, atMs: model.nowMs, credits });
    }
  }
}

/** Not those of allowances, which the moved clock puts in another order. */
async function findDifferencesOf({ userId }: Wallet): Promise<string[]> {
  const client = await pool().connect();
  try {
    return await findDifferences(
      client,
      [POCKET_INVARIANT, ...WALLET_INVARIANTS, LIMIT_INVARIANT],
      [[userId]],
    );
  } finally {
    client.release();
  }
}

test('admits exactly what the limits leave, over time zones and changes of clocks', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ZONES),
      instant,
      fc.array(step, { minLength: 10, maxLength: 40 }),
      async (zone, at, steps) => {
        const wallet = await rich();
        const model = new LimitModel<Placed>(zone, at);
        await setTime(new Date(at));
        for (const next of steps) await take(wallet, model, next);
        expect(await findDifferencesOf(wallet)).toEqual([]);
        // It concerns the apps of every wallet.
        await inTransaction((tx) => saveDefaultLimits(NO_LIMITS, tx));
      },
    ),
    { numRuns: Number(process.env.WALKS ?? 40) },
  );
});
