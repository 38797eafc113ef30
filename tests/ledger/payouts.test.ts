import { afterEach, describe, expect, test } from 'vitest';
import { DAY_MS, nowDate, setClock } from '@/server/base/clock';
import { chargeFor, type Microcredits, microcredits, wholeCredits } from '@/server/base/credits';
import { onConnection, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import {
  type AppEarnings,
  capture,
  checkLedger,
  createPayout,
  readExposure,
  readTeamEarnings,
  returnPayout,
} from '@/server/ledger';
import { rollUpEarnings } from '@/server/ledger/earnings';
import { newDatabase } from '../harness/database';
import { until } from '../harness/until';
import { receipt } from './receipt';
import { newTeam } from './teams';
import { buy, exactly, grant, hold, newWallet, takeBack, type Wallet } from './wallets';

await newDatabase();
afterEach(() => setClock());

/** A fifth of each charge. */
const RATE_BP = 2500;

async function spend(wallet: Wallet, app: string, charge: number, model = 'test/model'): Promise<string> {
  const admission = await hold(wallet, app, charge / 1.25, charge / 1.25);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  await capture(admission.hold, chargeFor(exactly(charge / 1.25), RATE_BP), { ...receipt(), model });
  return admission.hold.requestId;
}

/** A user who bought credits in two apps of one team. `session` is the purchase in A. */
async function newEarners(credits = 10_000) {
  const wallet = await newWallet(['A', 'B'], { rateBp: RATE_BP });
  const [A, B] = [wallet.apps.A?.id ?? '', wallet.apps.B?.id ?? ''];
  const teamId = await newTeam([A, B]);
  const session = newId('cks');
  await buy(wallet, 'A', credits, session);
  await buy(wallet, 'B', credits);
  return { wallet, teamId, session, A, B };
}

const HOLD_DAYS = 30;
const later = (days: number): Date => new Date(nowDate().getTime() + days * DAY_MS);
let months = 0;
const nextMonth = (): string => new Date(Date.UTC(2030, months++)).toISOString().slice(0, 7);

/** Plans a payout of the next month. By then, everything has matured. */
const plan = (teamId: string, given: Partial<Parameters<typeof createPayout>[0]> = {}) =>
  createPayout({
    payoutId: newId('po'),
    teamId,
    period: nextMonth(),
    asOf: later(HOLD_DAYS + 1),
    method: 'manual',
    minimum: microcredits(0n),
    approvedBy: null,
    processorAccountId: null,
    payee: null,
    ...given,
  });

async function payOut(teamId: string): Promise<{ payoutId: string; amount: Microcredits }> {
  await rollUpEarnings('0 seconds');
  const made = await plan(teamId);
  if (made.outcome !== 'created') throw new Error(made.outcome);
  return made;
}

/** The earnings of an app when everything has matured. */
async function earningsOf(teamId: string, partnerId: string): Promise<AppEarnings> {
  setClock(() => Date.now() + (HOLD_DAYS + 1) * DAY_MS);
  const apps = await readTeamEarnings(teamId);
  setClock();
  const app = apps.find((found) => found.partnerId === partnerId);
  if (!app) throw new Error(`no app ${partnerId}`);
  return app;
}

const payableOf = async (teamId: string, partnerId: string): Promise<number> =>
  Number((await earningsOf(teamId, partnerId)).payable) / 1e6;

/** The lines of a payout by app, and its items, in credits. */
async function readStatement(payoutId: string) {
  const credits = (amount: bigint) => Number(amount) / 1e6;
  const lines = await prisma().payoutLine.findMany({ where: { payoutId } });
  const items = await prisma().payoutItem.findMany({
    where: { payoutId },
    orderBy: [{ model: 'asc' }, { kind: 'asc' }],
  });
  return {
    lines: Object.fromEntries(
      lines.map(({ partnerId, carriedBefore, amount, carriedAfter }) => [
        partnerId,
        [carriedBefore, amount, carriedAfter].map(credits),
      ]),
    ),
    items: items.map(({ partnerId, model, kind, requests, amount }) => [
      partnerId,
      model,
      kind,
      Number(requests),
      credits(amount),
    ]),
  };
}

const expectNoDifferences = async () => expect((await checkLedger()).differences).toEqual([]);

/** Waits until so many connections wait for a lock. */
const waitForBlocked = (connections: number) =>
  until(
    async () => {
      const { rows } = await pool().query<{ blocked: bigint }>(
        "SELECT count(*) AS blocked FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows[0]?.blocked;
    },
    (blocked) => blocked === BigInt(connections),
  );

describe('a payout', () => {
  test('pays what the apps of a team have earned and matured in whole cents, and carries the remainder over', async () => {
    const { wallet, teamId, A, B } = await newEarners();
    await spend(wallet, 'A', 1_000);
    await spend(wallet, 'A', 200, 'other/model');
    await spend(wallet, 'B', 502.5);
    const { payoutId, amount } = await payOut(teamId);
    expect(amount).toBe(wholeCredits(340));
    expect(await readStatement(payoutId)).toEqual({
      lines: { [A]: [0, 239.5, 0.5], [B]: [0, 100.5, 0] },
      items: expect.arrayContaining([
        [A, 'test/model', 'earned', 1, 200],
        [A, 'other/model', 'earned', 1, 40],
        [B, 'test/model', 'earned', 1, 100.5],
      ]),
    });
    expect(await earningsOf(teamId, A)).toEqual({
      partnerId: A,
      matured: wholeCredits(240),
      maturing: 0n,
      disputable: wholeCredits(240),
      paidOut: 239_500_000n,
      payable: 500_000n,
    });

    await spend(wallet, 'A', 102.5);
    const next = await payOut(teamId);
    expect(next.amount).toBe(wholeCredits(21));
    expect(await readStatement(next.payoutId)).toEqual({
      lines: { [A]: [0.5, 21, 0] },
      items: [[A, 'test/model', 'earned', 1, 20.5]],
    });
    await expectNoDifferences();
  });

  test('is one for a team and month, however many ask for it at once @attack', async () => {
    const { wallet, teamId } = await newEarners();
    await spend(wallet, 'A', 1_000);
    await rollUpEarnings('0 seconds');
    const period = nextMonth();
    const made = await Promise.all(Array.from({ length: 50 }, () => plan(teamId, { period })));
    expect(made.filter(({ outcome }) => outcome === 'created')).toMatchObject([
      { amount: wholeCredits(200) },
    ]);
    const payouts = await prisma().payout.findMany({ where: { teamId } });
    expect(payouts).toHaveLength(1);
    for (const other of made) expect(other).toMatchObject({ payoutId: payouts[0]?.id });
    await expectNoDifferences();
  });

  test('pays an app once that changes its team while both are paid @attack', async () => {
    const { wallet, teamId, A } = await newEarners();
    await spend(wallet, 'A', 1_000);
    await rollUpEarnings('0 seconds');
    const other = await newTeam([]);
    const period = nextMonth();
    const [from, to] = await onConnection(async (client) => {
      await client.query("BEGIN; SELECT FROM watermark WHERE name = 'earnings' FOR UPDATE");
      const first = plan(teamId, { period });
      await waitForBlocked(1);
      await prisma().partner.update({ where: { id: A }, data: { teamId: other } });
      const second = plan(other, { period });
      await waitForBlocked(2);
      await client.query('COMMIT');
      return Promise.all([first, second]);
    });
    expect([from.outcome, to.outcome]).toEqual(['below_minimum', 'created']);
    await expectNoDifferences();
  });

  test('waits until the minimum is reached, without the reserve, and while an operator holds it', async () => {
    const { wallet, teamId } = await newEarners();
    await spend(wallet, 'A', 1_000);
    await rollUpEarnings('0 seconds');
    expect(await plan(teamId, { minimum: wholeCredits(201) })).toEqual({
      outcome: 'below_minimum',
      payable: wholeCredits(200),
    });
    await prisma().team.update({ where: { id: teamId }, data: { payoutReserve: wholeCredits(50) } });
    expect(await plan(teamId, { minimum: wholeCredits(151) })).toEqual({
      outcome: 'below_minimum',
      payable: wholeCredits(150),
    });
    await prisma().team.update({ where: { id: teamId }, data: { payoutsHeldAt: nowDate() } });
    expect(await plan(teamId)).toEqual({ outcome: 'held' });
    await prisma().team.update({ where: { id: teamId }, data: { payoutsHeldAt: null } });
    const { payoutId, amount } = await payOut(teamId);
    expect(amount).toBe(wholeCredits(150));
    expect(Object.values((await readStatement(payoutId)).lines)).toEqual([[0, 150, 50]]);

    // Less of a reserve pays what was kept.
    await prisma().team.update({ where: { id: teamId }, data: { payoutReserve: 0n } });
    const rest = await payOut(teamId);
    expect(await readStatement(rest.payoutId)).toMatchObject({ items: [] });
    expect(rest.amount).toBe(wholeCredits(50));
    await expectNoDifferences();
  });

  test('of less than a cent is none, whatever the minimum', async () => {
    const { wallet, teamId } = await newEarners();
    await spend(wallet, 'A', 4.5);
    await rollUpEarnings('0 seconds');
    expect(await plan(teamId)).toEqual({ outcome: 'below_minimum', payable: 900_000n });
    expect(await plan(await newTeam([]))).toEqual({ outcome: 'below_minimum', payable: 0n });
  });

  test('contains no commission on granted credits', async () => {
    const { wallet, teamId, A } = await newEarners(100);
    await grant(wallet, 'A', 60);
    await spend(wallet, 'A', 100);
    const { payoutId, amount } = await payOut(teamId);
    expect(amount).toBe(wholeCredits(8));
    expect((await readStatement(payoutId)).items).toEqual([[A, 'test/model', 'earned', 1, 8]]);
  });
});

describe('a reversal', () => {
  test('of commission that was paid out lowers the next payout, and is listed in it @attack', async () => {
    const { wallet, teamId, session, A } = await newEarners(1_000);
    await spend(wallet, 'A', 1_000);
    await payOut(teamId);
    await takeBack(wallet, session, { disputed: 500 });
    expect(await payableOf(teamId, A)).toBe(-100);

    await rollUpEarnings('0 seconds');
    expect(await plan(teamId)).toEqual({ outcome: 'below_minimum', payable: -wholeCredits(100) });
    await buy(wallet, 'A', 1_200);
    await spend(wallet, 'A', 700);
    // The purchase repaid what the pocket owed, which restored the commission.
    await takeBack(wallet, session, { disputed: 1_000 });
    const { payoutId, amount } = await payOut(teamId);
    expect(amount).toBe(wholeCredits(40));
    expect(await readStatement(payoutId)).toEqual({
      lines: { [A]: [0, 40, 0] },
      items: [
        [A, 'test/model', 'earned', 1, 140],
        [A, 'test/model', 'reversed', 3, -100],
      ],
    });
    await expectNoDifferences();
  });

  test('in one app is offset against what another app of the team earned @attack', async () => {
    const { wallet, teamId, session, A, B } = await newEarners(1_000);
    await spend(wallet, 'A', 1_000);
    await payOut(teamId);
    await spend(wallet, 'B', 750);
    await takeBack(wallet, session, { disputed: 500 });
    const { payoutId, amount } = await payOut(teamId);
    expect(amount).toBe(wholeCredits(50));
    expect((await readStatement(payoutId)).lines).toEqual({ [A]: [0, -100, 0], [B]: [0, 150, 0] });
    expect([await payableOf(teamId, A), await payableOf(teamId, B)]).toEqual([0, 0]);
    await expectNoDifferences();
  });
});

describe('a payout that is returned or fails', () => {
  test('is booked back once, and the next one lists its requests again @attack', async () => {
    const { wallet, teamId, A } = await newEarners();
    await spend(wallet, 'A', 1_002.5);
    const failed = await payOut(teamId);
    const statement = await readStatement(failed.payoutId);
    const back = { payoutId: failed.payoutId, to: 'failed', failure: 'The account is closed.' } as const;
    expect(await returnPayout({ ...back, from: ['sending', 'sent'] })).toBe(false);
    expect(await payableOf(teamId, A)).toBe(0.5);
    const booked = await Promise.all(
      Array.from({ length: 8 }, () => returnPayout({ ...back, from: ['planned', 'failed'] })),
    );
    expect(booked.filter(Boolean)).toHaveLength(1);
    expect(await payableOf(teamId, A)).toBe(200.5);
    expect(await prisma().payout.findUnique({ where: { id: failed.payoutId } })).toMatchObject({
      state: 'failed',
      failure: back.failure,
      endedAt: expect.any(Date),
    });

    const again = await payOut(teamId);
    expect(await readStatement(again.payoutId)).toEqual(statement);
    await expectNoDifferences();
  });

  test('after the next one was made is carried over to the one after that', async () => {
    const { wallet, teamId, A } = await newEarners();
    await spend(wallet, 'A', 1_002.5);
    const first = await payOut(teamId);
    await spend(wallet, 'A', 500);
    await payOut(teamId);
    await returnPayout({ payoutId: first.payoutId, from: ['planned'], to: 'returned', failure: 'Closed.' });
    await spend(wallet, 'A', 10);
    const { payoutId, amount } = await payOut(teamId);
    expect(amount).toBe(wholeCredits(202));
    expect(await readStatement(payoutId)).toEqual({
      lines: { [A]: [0, 202, 0.5] },
      items: [[A, 'test/model', 'earned', 2, 202.5]],
    });
    await expectNoDifferences();
  });

  test('frees its month', async () => {
    const { wallet, teamId } = await newEarners();
    await spend(wallet, 'A', 1_000);
    await rollUpEarnings('0 seconds');
    const period = nextMonth();
    const failed = await plan(teamId, { period });
    if (failed.outcome !== 'created') throw new Error(failed.outcome);
    await returnPayout({ payoutId: failed.payoutId, from: ['planned'], to: 'failed', failure: 'Refused.' });
    expect(await plan(teamId, { period })).toMatchObject({ outcome: 'created', amount: wholeCredits(200) });
  });
});

test('a longer maturity period does not bring back what has matured and was paid out', async () => {
  const { wallet, teamId, A } = await newEarners();
  await spend(wallet, 'A', 1_000);
  await payOut(teamId);
  await prisma().partner.update({ where: { id: A }, data: { earningsHoldDays: 90 } });
  expect(await readTeamEarnings(teamId)).toContainEqual(
    expect.objectContaining({ partnerId: A, matured: wholeCredits(200), maturing: 0n, payable: 0n }),
  );
  await spend(wallet, 'A', 500);
  const { payoutId, amount } = await payOut(teamId);
  expect(amount).toBe(wholeCredits(100));
  expect(await prisma().payoutLine.findFirst({ where: { payoutId } })).toMatchObject({
    maturedUntil: (await prisma().payoutLine.findFirst({ where: { partnerId: A } }))?.maturedUntil,
  });
  await expectNoDifferences();
});

test('what has not matured is not paid, to the day', async () => {
  const { wallet, teamId } = await newEarners();
  await spend(wallet, 'A', 1_000);
  await rollUpEarnings('0 seconds');
  const { rows } = await pool().query<{ day: Date }>(
    'SELECT (max(day) + 1)::timestamptz AS day FROM earnings_day',
  );
  const matures = (rows[0]?.day.getTime() ?? 0) + HOLD_DAYS * DAY_MS;
  expect(await plan(teamId, { asOf: new Date(matures - 1) })).toMatchObject({
    outcome: 'below_minimum',
    payable: 0n,
  });
  expect(await plan(teamId, { asOf: new Date(matures) })).toMatchObject({
    outcome: 'created',
    amount: wholeCredits(200),
  });
});

test('a posting that is not rolled up yet is in the next payout, and no posting is in two', async () => {
  const { wallet, teamId } = await newEarners();
  const listed: unknown[] = [];
  for (let month = 0; month < 3; month++) {
    for (let n = 0; n < 5; n++) await spend(wallet, 'A', 50);
    await rollUpEarnings('0 seconds');
    const spending = Promise.all(Array.from({ length: 3 }, () => spend(wallet, 'A', 50)));
    const made = await plan(teamId);
    if (made.outcome !== 'created') throw new Error(made.outcome);
    listed.push(...(await readStatement(made.payoutId)).items.map(([, , , requests]) => requests));
    await spending;
    await expectNoDifferences();
  }
  const { payoutId } = await payOut(teamId);
  listed.push(...(await readStatement(payoutId)).items.map(([, , , requests]) => requests));
  expect(listed).toEqual([5, 8, 8, 3]);
  await expectNoDifferences();
});

test.each(['payout_line', 'payout_item', 'payout_transaction'])(
  'a connection that is killed before it writes %s leaves nothing, and the payout can be repeated @attack',
  async (table) => {
    const { wallet, teamId } = await newEarners();
    await spend(wallet, 'A', 1_000);
    await rollUpEarnings('0 seconds');
    const period = nextMonth();
    const kill = () =>
      pool().query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
    const whileBlocked = (work: () => Promise<unknown>) =>
      onConnection(async (client) => {
        await client.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`);
        const outcome = work().then(
          () => 'done',
          () => 'killed',
        );
        await waitForBlocked(1);
        await kill();
        expect(await outcome).toBe('killed');
        await client.query('ROLLBACK');
      });

    await whileBlocked(() => plan(teamId, { period }));
    expect(await prisma().payout.count({ where: { teamId } })).toBe(0);
    const made = await plan(teamId, { period });
    expect(made).toMatchObject({ outcome: 'created', amount: wholeCredits(200) });
    await expectNoDifferences();

    if (table !== 'payout_transaction' || made.outcome !== 'created') return;
    const back = { payoutId: made.payoutId, from: ['planned'], to: 'returned', failure: 'Closed.' } as const;
    await whileBlocked(() => returnPayout({ ...back, from: ['planned'] }));
    await expectNoDifferences();
    expect(await returnPayout({ ...back, from: ['planned'] })).toBe(true);
    await expectNoDifferences();
  },
);

test('an operator sees what each team has earned, is owed and was paid', async () => {
  const { wallet, teamId } = await newEarners();
  await spend(wallet, 'A', 1_000);
  await payOut(teamId);
  await spend(wallet, 'B', 500);
  setClock(() => Date.now() + (HOLD_DAYS + 1) * DAY_MS);
  const ours = async () => (await readExposure()).find((team) => team.teamId === teamId);
  expect(await ours()).toEqual({
    teamId,
    payable: wholeCredits(100),
    maturing: 0n,
    disputable: wholeCredits(300),
    paidOut: wholeCredits(200),
  });
  setClock(() => Date.now() + 200 * DAY_MS);
  expect(await ours()).toMatchObject({ disputable: 0n });
});

test.each([
  ['payout', 'amount = amount + 1000000'],
  ['payout', "period = '2031-01-01'"],
  ['payout', "team_id = 'tm_other'"],
  ['payout', 'posted_until = now()'],
  ['payout_line', 'amount = 0'],
  ['payout_item', 'amount = 0'],
  ['payout_transaction', "postings = '[]'"],
])('nothing changes the statement of a payout: %s SET %s @attack', async (table, change) => {
  const { wallet, teamId } = await newEarners();
  await spend(wallet, 'A', 1_000);
  await payOut(teamId);
  await expect(pool().query(`UPDATE ${table} SET ${change}`)).rejects.toThrow('append-only');
  await expect(pool().query(`DELETE FROM ${table}`)).rejects.toThrow(/append-only/);
});
