import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chargeFor, wholeCredits } from '@/server/base/credits';
import { pool, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { newId } from '@/server/base/ids';
import { capture, checkLedger, type Hold } from '@/server/ledger';
import { readEarnings, rollUpEarnings } from '@/server/ledger/earnings';
import { readEarningsDays } from '@/server/reports/activity/partner-activity';
import { newDatabase } from '../harness/database';
import { RECOUNT_SPENT } from './forged-rows';
import { receipt } from './receipt';
import {
  allow,
  buy,
  exactly,
  grant,
  hold,
  newWallet,
  ownCredits,
  sees,
  takeBack,
  type Wallet,
} from './wallets';

await newDatabase();

/** A fifth of each charge. */
const RATE_BP = 2500;

async function begin(wallet: Wallet, app: string, charge: number): Promise<Hold> {
  const admission = await hold(wallet, app, charge / 1.25, charge / 1.25);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  return admission.hold;
}

const end = (running: Hold, charge: number) =>
  capture(running, chargeFor(exactly(charge / 1.25), running.rateBp), receipt());

const spend = async (wallet: Wallet, app: string, charge: number) =>
  end(await begin(wallet, app, charge), charge);

/** Returns `[matured, maturing]`, in credits. */
async function earningsOf(wallet: Wallet, app: string): Promise<[number, number]> {
  const { matured, maturing } = await readEarnings(wallet.apps[app]?.id ?? '');
  return [Number(matured) / 1e6, Number(maturing) / 1e6];
}

async function buyAnd(credits: number) {
  const wallet = await newWallet(['A', 'B'], { rateBp: RATE_BP });
  const session = newId('cks');
  await buy(wallet, 'A', credits, session);
  return { wallet, session };
}

/** Makes the history days older and resets the roll-ups of earnings. */
async function age(wallet: Wallet, days: number): Promise<void> {
  await pool().query('ALTER TABLE ledger_transaction DISABLE TRIGGER USER');
  await pool().query(
    'UPDATE ledger_transaction SET created_at = created_at - make_interval(days => $2) WHERE user_id = $1',
    [wallet.userId, days],
  );
  await pool().query('ALTER TABLE ledger_transaction ENABLE TRIGGER USER');
  await pool().query(RECOUNT_SPENT);
  await pool().query("UPDATE watermark SET up_to = '2000-01-01' WHERE name = 'earnings'");
  await pool().query('DELETE FROM earnings_rollup');
  await pool().query('DELETE FROM earnings_day');
}

describe('commission matures', () => {
  test('after the maturity period, the same before and after a roll-up', async () => {
    const { wallet } = await buyAnd(500);
    await spend(wallet, 'A', 100);
    expect(await earningsOf(wallet, 'A')).toEqual([0, 20]);

    await age(wallet, 31);
    await spend(wallet, 'A', 50);
    expect(await earningsOf(wallet, 'A')).toEqual([20, 10]);

    await Promise.all([rollUpEarnings('0 seconds'), rollUpEarnings('0 seconds')]);
    expect(await earningsOf(wallet, 'A')).toEqual([20, 10]);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('after the period of its partner, and shows what is paid out while disputes are still possible', async () => {
    const { wallet, session } = await buyAnd(500);
    const id = wallet.apps.A?.id ?? '';
    await prisma().partner.update({ where: { id }, data: { earningsHoldDays: 120 } });
    await spend(wallet, 'A', 100);
    await age(wallet, 31);
    expect(await readEarnings(id)).toMatchObject({ matured: 0n, disputable: 0n, holdDays: 120 });

    await prisma().partner.update({ where: { id }, data: { earningsHoldDays: 14 } });
    expect(await readEarnings(id)).toMatchObject({
      matured: wholeCredits(20),
      maturing: 0n,
      disputable: wholeCredits(20),
      holdDays: 14,
    });
    await age(wallet, 100);
    expect(await readEarnings(id)).toMatchObject({ matured: wholeCredits(20), disputable: 0n });
    await takeBack(wallet, session, { refunded: 500 });
    expect(await earningsOf(wallet, 'A')).toEqual([20, 0]);
  });

  test('after a period that is longer than payments can be disputed: until then it can be reversed', async () => {
    const { wallet, session } = await buyAnd(500);
    const id = wallet.apps.A?.id ?? '';
    await prisma().partner.update({ where: { id }, data: { earningsHoldDays: 200 } });
    await spend(wallet, 'A', 100);
    await age(wallet, 150);
    expect(await earningsOf(wallet, 'A')).toEqual([0, 20]);
    await takeBack(wallet, session, { disputed: 500 });
    expect(await earningsOf(wallet, 'A')).toEqual([0, 0]);
  });
});

describe('commission on credits that were spent and then taken back is reversed', () => {
  test.each(['refunded', 'disputed'] as const)('when the purchase is %s, oldest first', async (reason) => {
    const { wallet, session } = await buyAnd(500);
    await spend(wallet, 'A', 100);
    await spend(wallet, 'A', 200);
    // 300 were spent. Taking 350 back leaves 150 of them unpaid: all of the first, a quarter of the second.
    await takeBack(wallet, session, { [reason]: 350 });
    expect(await ownCredits(wallet, 'A')).toBe(-150);
    expect(await earningsOf(wallet, 'A')).toEqual([0, 30]);
    const { rows } = await pool().query<{ credits: string }>(
      `SELECT e.amount / 1000000 AS credits FROM ledger_entry e JOIN ledger_transaction t ON t.id = e.transaction_id
       WHERE t.user_id = $1 AND t.kind = 'earnings_reversal' AND e.account = 'partner_earnings' ORDER BY 1`,
      [wallet.userId],
    );
    expect(rows.map(({ credits }) => Number(credits))).toEqual([-20, -10]);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('in the pocket they came from, in favour of the app that spent them', async () => {
    const { wallet, session } = await buyAnd(500);
    await allow(wallet, 'B', 200);
    await spend(wallet, 'B', 200);
    await buy(wallet, 'B', 100);
    await spend(wallet, 'B', 100);
    await takeBack(wallet, session, { refunded: 500 });
    expect(await earningsOf(wallet, 'B')).toEqual([0, 20]);
  });

  test('again by a second dispute of the same purchase, after the first was won', async () => {
    const { wallet, session } = await buyAnd(100);
    await spend(wallet, 'A', 100);
    for (const [disputed, earned] of [
      [100, 0],
      [0, 20],
      [100, 0],
      [50, 10],
      [100, 0],
      [0, 20],
    ] as const) {
      await takeBack(wallet, session, { disputed });
      expect(await earningsOf(wallet, 'A')).toEqual([0, earned]);
    }
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('further when more of a partly reversed request is taken back', async () => {
    const { wallet, session } = await buyAnd(100);
    await spend(wallet, 'A', 100);
    await takeBack(wallet, session, { refunded: 30 });
    expect(await earningsOf(wallet, 'A')).toEqual([0, 14]);
    await takeBack(wallet, session, { refunded: 30, disputed: 70 });
    expect(await earningsOf(wallet, 'A')).toEqual([0, 0]);
  });

  test('when the request was still running, as soon as it ends', async () => {
    const { wallet, session } = await buyAnd(100);
    const running = await begin(wallet, 'A', 100);
    await takeBack(wallet, session, { disputed: 100 });
    await end(running, 100);
    expect(await ownCredits(wallet, 'A')).toBe(-100);
    expect(await earningsOf(wallet, 'A')).toEqual([0, 0]);

    await takeBack(wallet, session, { disputed: 0 });
    expect(await earningsOf(wallet, 'A')).toEqual([0, 20]);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('and restored when the next purchase repays them', async () => {
    const { wallet, session } = await buyAnd(100);
    await spend(wallet, 'A', 100);
    await takeBack(wallet, session, { refunded: 100 });
    await buy(wallet, 'A', 150);
    expect([await sees(wallet, 'A'), await earningsOf(wallet, 'A')]).toEqual([
      [50, 'ok'],
      [0, 20],
    ]);
  });

  test('whether or not it has matured, as long as its payment can be disputed; restored, it is final', async () => {
    const { wallet, session } = await buyAnd(500);
    await spend(wallet, 'A', 100);
    await age(wallet, 40);
    await takeBack(wallet, session, { disputed: 450 });
    expect(await earningsOf(wallet, 'A')).toEqual([10, 0]);
    await takeBack(wallet, session, { disputed: 0 });
    expect(await earningsOf(wallet, 'A')).toEqual([20, 0]);
    await takeBack(wallet, session, { disputed: 450 });

    // From now on the other half is final, and this one can only be restored.
    await age(wallet, 81);
    await takeBack(wallet, session, { refunded: 500 });
    expect(await earningsOf(wallet, 'A')).toEqual([10, 0]);
    await takeBack(wallet, session, { refunded: 0 });
    expect(await earningsOf(wallet, 'A')).toEqual([20, 0]);
    await takeBack(wallet, session, { refunded: 500 });
    expect(await earningsOf(wallet, 'A')).toEqual([20, 0]);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('on the day of the request, before and after a roll-up; partners see it on the day it happens', async () => {
    const { wallet, session } = await buyAnd(500);
    await spend(wallet, 'A', 100);
    await age(wallet, 40);
    await rollUpEarnings('0 seconds');
    await takeBack(wallet, session, { disputed: 450 });
    expect(await earningsOf(wallet, 'A')).toEqual([10, 0]);
    await rollUpEarnings('0 seconds');
    expect(await earningsOf(wallet, 'A')).toEqual([10, 0]);

    const days = await readEarningsDays(wallet.apps.A?.id ?? '', { from: '2000-01-01', to: '2100-01-01' });
    expect(days.filter(({ net }) => net !== 0n).map(({ net }) => Number(net) / 1e6)).toEqual([20, -10]);
    expect((await checkLedger()).differences).toEqual([]);
  });
});

describe('granted credits', () => {
  test('earn no commission, are spent first, and cost the user the same @attack', async () => {
    const { wallet } = await buyAnd(100);
    await grant(wallet, 'A', 60);
    expect(await spend(wallet, 'A', 100)).toMatchObject({ captured: wholeCredits(100) });
    expect(await sees(wallet, 'A')).toEqual([60, 'ok']);
    expect(await earningsOf(wallet, 'A')).toEqual([0, 8]);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('of another pocket earn none either @attack', async () => {
    const { wallet } = await buyAnd(100);
    await grant(wallet, 'B', 60);
    await allow(wallet, 'A', 60);
    await spend(wallet, 'A', 160);
    expect(await earningsOf(wallet, 'A')).toEqual([0, 20]);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('do not cover a refund: commission on the refunded credits is reversed', async () => {
    const { wallet, session } = await buyAnd(100);
    await spend(wallet, 'A', 100);
    await grant(wallet, 'A', 100);
    await takeBack(wallet, session, { refunded: 100 });
    expect(await sees(wallet, 'A')).toEqual([0, 'insufficient_credits']);
    expect(await earningsOf(wallet, 'A')).toEqual([0, 0]);
  });

  test('earn commission if the operator says so', async () => {
    const { wallet } = await buyAnd(100);
    settings().GRANTS_EARN_COMMISSION = true;
    await grant(wallet, 'A', 60);
    settings().GRANTS_EARN_COMMISSION = false;
    await spend(wallet, 'A', 100);
    expect(await earningsOf(wallet, 'A')).toEqual([0, 20]);
  });
});

type Step =
  | { do: 'buy'; app: 'A' | 'B'; credits: number }
  | { do: 'grant'; app: 'A' | 'B'; credits: number }
  | { do: 'begin'; app: 'A' | 'B'; credits: number }
  | { do: 'end'; which: number; part: number }
  | { do: 'takeBack'; which: number; refunded: number; disputed: number };

const app = fc.constantFrom('A' as const, 'B' as const);
const which = fc.nat({ max: 9 });
const percent = fc.constantFrom(0, 0, 20, 60, 100);
const credits = fc.integer({ min: 1, max: 8 }).map((n) => n * 5);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('buy' as const, 'begin' as const), app, credits }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('grant' as const), app, credits }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('begin' as const), app, credits }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('end' as const), which, part: fc.nat({ max: 4 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('takeBack' as const),
      which,
      refunded: percent,
      disputed: percent,
    }),
  },
);

type World = { wallet: Wallet; running: Hold[]; bought: { session: string; credits: number }[] };

async function take({ wallet, running, bought }: World, next: Step): Promise<void> {
  switch (next.do) {
    case 'buy': {
      const session = newId('cks');
      await buy(wallet, next.app, next.credits, session);
      bought.push({ session, credits: next.credits });
      return;
    }
    case 'grant':
      await grant(wallet, next.app, next.credits);
      return;
    case 'begin': {
      const cost = next.credits / 1.25;
      const admission = await hold(wallet, next.app, cost, cost);
      if (admission.ok) running.push(admission.hold);
      return;
    }
    case 'end': {
      const [ended] = running.splice(next.which % Math.max(1, running.length), 1);
      if (ended) await end(ended, (Number(ended.amount) / 5e6) * next.part);
      return;
    }
    case 'takeBack': {
      const purchase = bought[next.which % Math.max(1, bought.length)];
      if (!purchase) return;
      const part = (percent: number) => Math.floor((purchase.credits * percent) / 100);
      await takeBack(wallet, purchase.session, {
        refunded: part(next.refunded),
        disputed: part(next.disputed),
      });
    }
  }
}

/** The earnings of both partners, and the bought credits that were spent and are not missing, in microcredits. */
async function readEarned({
  userId,
}: Wallet): Promise<{ earned: number; paid: number; gross: number; lowest: number }> {
  const { rows } = await pool().query<{ earned: number; paid: number; gross: number; lowest: number }>(
    `SELECT (SELECT coalesce(sum(amount), 0)::float8 FROM ledger_entry WHERE user_id = $1 AND account = 'partner_earnings') AS earned,
       (SELECT coalesce(sum(coalesce(p.granted, 0) - p.amount), 0)::float8 FROM ledger_transaction t
        CROSS JOIN LATERAL ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) p
        WHERE t.user_id = $1 AND t.kind = 'usage' AND p.account = 'pocket')
       - (SELECT coalesce(sum(greatest(0, own_granted - own)), 0)::float8 FROM user_app WHERE user_id = $1) AS paid,
       (SELECT coalesce(sum(partner_share), 0)::float8 FROM usage WHERE user_id = $1) AS gross,
       (SELECT coalesce(min(net), 0)::float8 FROM (
          SELECT sum(e.amount) AS net FROM ledger_entry e JOIN ledger_transaction t ON t.user_id = e.user_id AND t.id = e.transaction_id
          WHERE e.user_id = $1 AND e.account = 'partner_earnings'
          GROUP BY CASE t.kind WHEN 'usage' THEN t.id ELSE t.note END) r) AS lowest`,
    [userId],
  );
  const [row] = rows;
  if (!row) throw new Error('no row');
  return row;
}

test('after any sequence of events, partners have earned on the bought credits that were spent and kept', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const wallet = await newWallet(['A', 'B'], { rateBp: RATE_BP });
      await allow(wallet, 'A', 60);
      await allow(wallet, 'B', 60);
      const world: World = { wallet, running: [], bought: [] };
      for (const next of steps) {
        await take(world, next);
        const { earned, paid, gross, lowest } = await readEarned(wallet);
        // Each reversal rounds down.
        expect(Math.abs(earned - paid / 5)).toBeLessThan(100);
        expect(earned).toBeLessThanOrEqual(gross);
        expect(lowest).toBeGreaterThanOrEqual(0);
      }
    }),
    { numRuns: Number(process.env.WALKS ?? 40), ...(process.env.SEED && { seed: Number(process.env.SEED) }) },
  );
  expect((await checkLedger()).differences).toEqual([]);
});
