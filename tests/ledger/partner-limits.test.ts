import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chargeFor, type Microcredits, wholeCredits } from '@/server/base/credits';
import { inTransaction, ledgerPool, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import {
  type Hold,
  readPartnerLimits,
  release,
  removeLimits,
  saveAllowance,
  saveLimits,
} from '@/server/ledger';
import { writeBatch } from '@/server/ledger/batch';
import { createPartner } from '@/server/partners/partner';
import {
  changeLimitsOfUser,
  listUsersNearLimits,
  saveAppLimits,
  saveCeiling,
  saveDefaultLimits,
  type UserLimits,
} from '@/server/partners/user-limits';
import { newDatabase } from '../harness/database';
import { replaceLimitClock, setTime } from './limit-clock';
import { receipt } from './receipt';
import { ask, charge, place, rich, spend } from './steps';
import { newTeam } from './teams';
import { buy, exactly, hold, limitUser, newWallet, sees, takeBack, type Wallet } from './wallets';

/** What partners and operators let each user spend in an app. */

process.env.LIMIT_RUNNING_PER_USER = '5000';
await newDatabase();
beforeAll(replaceLimitClock);
/** A Wednesday. */
beforeEach(() => setTime('2026-11-18T12:00:00Z'));

const NONE: UserLimits = { request: null, day: null, month: null, models: null };
type Given = Partial<Record<'day' | 'month' | 'request', number>> & Partial<Pick<UserLimits, 'models'>>;

function toLimits({ models = null, ...amounts }: Given): UserLimits {
  const limits = { ...NONE, models };
  for (const [kind, credits] of Object.entries(amounts)) limits[kind as 'day'] = wholeCredits(credits);
  return limits;
}

const idOf = ({ apps }: Wallet, app: string): string => apps[app]?.id ?? '';
const limit = (wallet: Wallet, app: string, given: Given) =>
  inTransaction((tx) => saveAppLimits(idOf(wallet, app), toLimits(given), tx));
const cap = (wallet: Wallet, app: string, given: Given) =>
  inTransaction((tx) => saveCeiling(idOf(wallet, app), toLimits(given), tx));
const limitByDefault = (given: Given) => inTransaction((tx) => saveDefaultLimits(toLimits(given), tx));

const limitOne = (wallet: Wallet, app: string, given: Given | null) =>
  limitUser(wallet, app, given && toLimits(given));

const isLimited = async (partnerId: string) =>
  (await prisma().partner.findUniqueOrThrow({ where: { id: partnerId } })).limitsUsers;

describe('a limit of a partner', () => {
  test('lowers a hold to what is left, refuses what needs more, and concerns only its app', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { day: 10 });
    await spend(wallet, 'A', 4);
    expect(await ask(wallet, 'A', 20)).toBe(6);
    expect(await ask(wallet, 'A', 20, 7)).toBe('day partner 2026-11-19T00:00');
    expect(await ask(wallet, 'B', 20)).toBe(20);
  });

  test('counts what was spent in its day and month before it was set, and before it was removed', async () => {
    const wallet = await rich();
    await setTime('2026-11-02T23:59:59Z');
    await spend(wallet, 'A', 1);
    await setTime('2026-11-18T00:00:00Z');
    await spend(wallet, 'A', 2);
    await spend(wallet, 'B', 50);
    await limit(wallet, 'A', { day: 5 });
    expect(await ask(wallet, 'A', 20)).toBe(3);
    await limit(wallet, 'A', {});
    await spend(wallet, 'A', 4);
    await limit(wallet, 'A', { month: 10 });
    expect(await ask(wallet, 'A', 20)).toBe(3);
    await limit(wallet, 'A', { day: 5 });
    expect(await ask(wallet, 'A', 20)).toBe('day partner 2026-11-19T00:00');
  });

  test('begins again with each day and month of UTC, whatever the time zone of the user’s own limits', async () => {
    const wallet = await rich();
    const own = { request: null, day: null, week: null, month: wholeCredits(500), models: null };
    const ofApp = { userId: wallet.userId, partnerId: idOf(wallet, 'A') };
    await inTransaction((tx) => saveLimits(tx, { ...ofApp, zone: 'Pacific/Auckland', limits: own }));
    await limit(wallet, 'A', { day: 5, month: 8 });
    await setTime('2026-11-30T23:59:59Z');
    await spend(wallet, 'A', 5);
    expect(await ask(wallet, 'A', 20)).toBe('day partner 2026-12-01T00:00');
    await setTime('2026-12-01T00:00:00Z');
    await spend(wallet, 'A', 5);
    await setTime('2026-12-02T00:00:00Z');
    expect(await ask(wallet, 'A', 20)).toBe(3);
    await spend(wallet, 'A', 3);
    expect(await ask(wallet, 'A', 20)).toBe('month partner 2027-01-01T00:00');
    await setTime('2027-01-01T00:00:00Z');
    expect(await ask(wallet, 'A', 20)).toBe(5);
  });

  test('holds for a user’s first request in the app', async () => {
    const wallet = await newWallet(['A', 'B']);
    await buy(wallet, 'B', 100);
    await limit(wallet, 'A', { day: 10 });
    const ofA = { userId: wallet.userId, partnerId: idOf(wallet, 'A') };
    await inTransaction((tx) =>
      saveAllowance(tx, { ...ofA, allowance: wholeCredits(50), saveId: newId('req') }),
    );
    await spend(wallet, 'A', 7);
    expect(await ask(wallet, 'A', 20)).toBe(3);
  });

  test('per request and of models names itself, and lowers or refuses', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { request: 2, models: { rule: 'only', models: ['test/model'] } });
    expect(await ask(wallet, 'A', 20)).toBe(2);
    expect(await ask(wallet, 'A', 20, 3)).toBe('request partner');
    await cap(wallet, 'A', { models: { rule: 'except', models: ['test/model'] } });
    expect(await ask(wallet, 'A', 1)).toBe('model partner');
    expect((await readPartnerLimits(wallet.userId, idOf(wallet, 'A')))?.models).toEqual({
      rule: 'only',
      models: [],
    });
  });

  test('is named rather than a limit of the user that lasts as long', async () => {
    const wallet = await rich();
    const ofAll = { userId: wallet.userId, partnerId: '' };
    const own = { request: null, day: wholeCredits(5), week: null, month: null, models: null };
    await inTransaction((tx) => saveLimits(tx, { ...ofAll, zone: 'UTC', limits: own }));
    await limit(wallet, 'A', { day: 5 });
    await spend(wallet, 'A', 5);
    expect(await ask(wallet, 'A', 1)).toBe('day partner 2026-11-19T00:00');
    expect(await ask(wallet, 'B', 1)).toBe('day all 2026-11-19T00:00');
  });

  test('lowers the balance, also the one after a request, and is not raised by a refund', async () => {
    const wallet = await newWallet(['A']);
    const session = newId('cks');
    await buy(wallet, 'A', 100, session);
    await limit(wallet, 'A', { day: 10 });
    expect(await sees(wallet, 'A')).toEqual([10, 'ok']);
    expect(await spend(wallet, 'A', 4)).toEqual({ captured: 4_000_000n, balance: 6_000_000n });
    const running = await place(wallet, 'A', 6);
    expect(await sees(wallet, 'A')).toEqual([0, 'ok']);
    expect(await ask(wallet, 'A', 1)).toBe('busy');
    expect(await charge(running, 6)).toMatchObject({ balance: 0n });
    await takeBack(wallet, session, { refunded: 50 });
    await takeBack(wallet, session, { refunded: 0 });
    expect(await sees(wallet, 'A')).toEqual([0, 'partner_limit_reached']);
  });

  test('ends kept holds, and an app without limits has them again', async () => {
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
    await limit(wallet, 'A', { day: 10 });
    expect(await ask(wallet, 'A', 20)).toBe(10);
    expect(await isKept()).toBe(false);
    await limit(wallet, 'A', {});
    expect(await isKept()).toBe(true);
  });

  test('counts what a kept hold that is in use has reserved, until it is settled', async () => {
    const wallet = await rich();
    for (let n = 0; n < 3; n++) await release(await place(wallet, 'A', 8));
    const running = await place(wallet, 'A', 2);
    expect(running.kept).toBeDefined();
    await limit(wallet, 'A', { day: 10 });
    expect(await ask(wallet, 'A', 20)).toBe(2);
    await charge(running, 1);
    expect(await ask(wallet, 'A', 20)).toBe(9);
  });

  test('is saved in one row, however many users the app has', async () => {
    const wallet = await rich();
    const partnerId = idOf(wallet, 'A');
    await pool().query(
      `INSERT INTO user_app (user_id, partner_id, app_user_id)
       SELECT $1 || n, $1, $1 || '-' || n FROM generate_series(1, 1000) n`,
      [partnerId],
    );
    const written = await inTransaction(async (tx) => {
      const read = async () =>
        new Map(
          (
            await tx.$queryRaw<{ table: string; rows: number }[]>`
              SELECT relname::text AS table, (n_tup_ins + n_tup_upd + n_tup_del)::integer AS rows
              FROM pg_stat_xact_user_tables`
          ).map(({ table, rows }) => [table, rows]),
        );
      const before = await read();
      await saveAppLimits(partnerId, toLimits({ day: 10 }), tx);
      return [...(await read())].filter(([table, rows]) => rows !== before.get(table));
    });
    expect(written.map(([table]) => table).sort()).toEqual(['partner', 'partner_limit']);
  });
});

describe('the limits of one user', () => {
  test('replace those of the app, higher, lower or none, and leave with the account', async () => {
    const [wallet, other] = [await rich(), await rich()];
    await pool().query(`UPDATE user_app SET partner_id = $2 WHERE partner_id = $1`, [
      idOf(other, 'A'),
      idOf(wallet, 'A'),
    ]);
    await prisma().userKey.updateMany({
      where: { partnerId: idOf(other, 'A') },
      data: { partnerId: idOf(wallet, 'A') },
    });
    await limit(wallet, 'A', { day: 10 });
    await limitOne(wallet, 'A', { day: 15 });
    expect([await ask(wallet, 'A', 20), await ask(other, 'A', 20)]).toEqual([15, 10]);
    await limitOne(wallet, 'A', {});
    expect([await ask(wallet, 'A', 20), await ask(other, 'A', 20)]).toEqual([20, 10]);
    await limitOne(wallet, 'A', { day: 5 });
    await inTransaction((tx) => removeLimits(tx, wallet.userId));
    expect([await ask(wallet, 'A', 20), await ask(other, 'A', 20)]).toEqual([10, 10]);
  });

  test('of someone who does not use the app are refused @attack', async () => {
    const wallet = await rich();
    const id = await newTeam([idOf(wallet, 'A')]);
    const app = {
      ...(await prisma().partner.findUniqueOrThrow({ where: { id: idOf(wallet, 'A') } })),
      teamId: id,
    };
    const elsewhere = await prisma().userApp.findFirstOrThrow({ where: { partnerId: idOf(wallet, 'B') } });
    for (const appUserId of ['', 'au_none', elsewhere.appUserId ?? ''])
      await expect(changeLimitsOfUser({ app, actor: 'operator', appUserId }, NONE)).rejects.toThrow(
        'no user with this ID',
      );
  });
});

describe('an operator', () => {
  test('sets a ceiling that holds for what partners have set, for all or for one user', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { day: 10, month: 100 });
    await limitOne(wallet, 'A', { day: 50 });
    expect(await ask(wallet, 'A', 100)).toBe(50);
    await cap(wallet, 'A', { day: 20, month: 30 });
    expect(await ask(wallet, 'A', 100)).toBe(20);
    await limitOne(wallet, 'A', null);
    expect(await ask(wallet, 'A', 100)).toBe(10);
    await cap(wallet, 'A', { day: 5 });
    await spend(wallet, 'A', 5);
    expect(await ask(wallet, 'A', 100)).toBe('day partner 2026-11-19T00:00');
    expect(await readPartnerLimits(wallet.userId, idOf(wallet, 'A'))).toMatchObject({
      day: wholeCredits(5),
      month: wholeCredits(100),
      used: { day: { spent: wholeCredits(5), held: 0n, resetsAt: new Date('2026-11-19T00:00:00Z') } },
    });
  });

  test('sets a default for apps that set no limits, existing and new ones', async () => {
    const wallet = await rich();
    await limit(wallet, 'A', { day: 50 });
    await limitByDefault({ day: 20 });
    const later = await rich();
    expect([await ask(wallet, 'A', 100), await ask(wallet, 'B', 100)]).toEqual([50, 20]);
    expect(await ask(later, 'A', 100)).toBe(20);
    await limit(wallet, 'A', {});
    expect(await ask(wallet, 'A', 100)).toBe(20);
    await limitByDefault({});
    expect(await ask(wallet, 'A', 100)).toBe(100);
    expect(await isLimited(idOf(later, 'A'))).toBe(false);
  });

  test('sets a default that no app misses, also one that is created or limited at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const { id: existing } = await createPartner({ name: 'Existing', rateBp: 0, origins: [] });
      const [{ id: created }] = await Promise.all([
        createPartner({ name: 'Created', rateBp: 0, origins: [] }),
        limitByDefault({ day: 20 }),
        inTransaction((tx) => saveAppLimits(existing, toLimits({ day: 5 }), tx)),
      ]);
      expect([await isLimited(created), await isLimited(existing)]).toEqual([true, true]);
      await Promise.all([
        limitByDefault({}),
        inTransaction((tx) => saveAppLimits(existing, toLimits({ day: 6 }), tx)),
      ]);
      expect([await isLimited(created), await isLimited(existing)]).toEqual([false, true]);
      await Promise.all([
        inTransaction((tx) => saveAppLimits(existing, NONE, tx)),
        inTransaction((tx) => saveCeiling(existing, toLimits({ day: 6 }), tx)),
      ]);
      expect(await isLimited(existing)).toBe(true);
    }
  });
});

const admissionTo = (wallet: Wallet, app: string, credits: number) =>
  writeBatch(
    [],
    [
      {
        keyHash: wallet.apps[app]?.keyHash ?? Buffer.alloc(0),
        requestId: newId('req'),
        model: 'test/model',
        need: exactly(credits),
        want: exactly(credits),
      },
    ],
  );

type Outcome = { outcome: string; amount: Microcredits };

/** As two instances send them, each on connections of its own. */
const sendParallel = (wallet: Wallet, count: number, credits: number): Promise<Outcome[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const { rows } = await (n % 2 === 0 ? ledgerPool() : pool()).query<Outcome>(
        admissionTo(wallet, 'A', credits),
      );
      return rows[0] ?? { outcome: '', amount: 0n as Microcredits };
    }),
  );

const heldOf = (outcomes: Outcome[]): number =>
  outcomes.reduce((sum, { outcome, amount }) => sum + (outcome === 'held' ? Number(amount) / 1e6 : 0), 0);

test('parallel requests of two processes hold exactly the limit together @attack', async () => {
  const wallet = await rich();
  await spend(wallet, 'A', 3);
  await limit(wallet, 'A', { month: 33 });
  const outcomes = await sendParallel(wallet, 24, 3);
  expect(heldOf(outcomes)).toBe(30);
  expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['held', 'busy']));
});

test('no request that begins after a limit is saved passes it, whatever ran before @attack', async () => {
  for (let round = 0; round < 8; round++) {
    const wallet = await rich();
    const before = sendParallel(wallet, 2 * round, 3);
    await limit(wallet, 'A', { day: 12 });
    const after = heldOf(await sendParallel(wallet, 8, 3));
    const all = after + heldOf(await before);
    expect(all).toBeGreaterThanOrEqual(12);
    if (after > 0) expect(all).toBe(12);
  }
});

test('what parallel settlements of many requests spend is counted exactly, over midnight too', async () => {
  const wallet = await rich();
  const counted = async () => {
    const row = await prisma().userApp.findFirstOrThrow({
      where: { userId: wallet.userId, partnerId: idOf(wallet, 'A') },
    });
    return [
      row.spentOn?.toISOString().slice(0, 10),
      Number(row.daySpent) / 1e6,
      Number(row.monthSpent) / 1e6,
    ];
  };
  const settleMany = async (count: number) => {
    const holds = await Promise.all(Array.from({ length: count }, () => place(wallet, 'A', 2)));
    await Promise.all(holds.map((held, n) => (n % 4 === 0 ? release(held) : charge(held, 1))));
  };
  await settleMany(20);
  expect(await counted()).toEqual(['2026-11-18', 15, 15]);
  const running = await place(wallet, 'A', 2);
  await setTime('2026-11-19T00:00:00Z');
  await Promise.all([settleMany(8), charge(running, 2)]);
  expect(await counted()).toEqual(['2026-11-19', 8, 23]);
  // A clock that goes back resets nothing.
  await setTime('2026-11-18T23:59:59Z');
  await settleMany(4);
  expect(await counted()).toEqual(['2026-11-19', 11, 26]);
  await setTime('2026-12-01T00:00:00Z');
  await settleMany(4);
  expect(await counted()).toEqual(['2026-12-01', 3, 3]);
});

test('a user is near a limit from 80% of the one that applies: the user’s, else the app’s, else the default, at most the ceiling', async () => {
  const wallet = await rich();
  await spend(wallet, 'A', 8);
  const findNear = async () => {
    const near = await listUsersNearLimits(idOf(wallet, 'A'));
    return near.map(({ appUserId: _, ...amounts }) => amounts);
  };
  const near = (perDay: number | null, perMonth: number | null, daySpent = 8, monthSpent = 8) => [
    {
      daySpent: wholeCredits(daySpent),
      perDay: perDay && wholeCredits(perDay),
      monthSpent: wholeCredits(monthSpent),
      perMonth: perMonth && wholeCredits(perMonth),
    },
  ];
  expect(await findNear()).toEqual([]);
  await limitByDefault({ day: 10 });
  expect(await findNear()).toEqual(near(10, null));
  await limit(wallet, 'A', { day: 100, month: 10 });
  expect(await findNear()).toEqual(near(100, 10));
  await limitOne(wallet, 'A', { day: 11 });
  expect(await findNear()).toEqual([]);
  await cap(wallet, 'A', { month: 9 });
  expect(await findNear()).toEqual(near(11, 9));
  await limitOne(wallet, 'A', null);
  expect(await findNear()).toEqual(near(100, 9));
  await setTime('2026-11-19T12:00:00Z');
  expect(await findNear()).toEqual(near(100, 9, 0, 8));
  await setTime('2026-12-01T00:00:00Z');
  expect(await findNear()).toEqual([]);
  await limitByDefault({});
});

test('a user without limits, in an app without limits, costs no look for one', async () => {
  const wallet = await rich();
  const admission = await hold(wallet, 'A', 40);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  const settlement = { ...admission.hold, charge: chargeFor(exactly(3), 0), receipt: receipt() };
  const { keyHash } = wallet.apps.A ?? expect.fail();
  const request = {
    keyHash,
    requestId: newId('req'),
    model: 'test/model',
    need: exactly(0),
    want: exactly(1),
  };
  const countLooks = async () => {
    const client = await pool().connect();
    const read = async () => {
      const { rows } = await client.query<{ scans: number }>(
        `SELECT sum(seq_scan + coalesce(idx_scan, 0))::integer AS scans FROM pg_stat_xact_user_tables
         WHERE relname IN ('partner_limit', 'spending_limit')`,
      );
      return rows[0]?.scans ?? 0;
    };
    try {
      await client.query('BEGIN');
      const before = await read();
      await client.query(writeBatch([settlement], [{ ...request, requestId: newId('req') }]));
      return (await read()) - before;
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  };
  expect(await countLooks()).toBe(0);
  await limit(wallet, 'A', { day: 100 });
  expect(await countLooks()).toBeGreaterThan(0);
});
