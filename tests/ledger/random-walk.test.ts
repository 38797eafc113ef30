import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chargeFor, wholeCredits } from '@/server/base/credits';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { admit, capture, clawBack, type Hold, release, resumeUser } from '@/server/ledger';
import { BOOKING_INVARIANTS } from '@/server/ledger/booking-invariants';
import { CORRECTION_INVARIANTS } from '@/server/ledger/correction-invariants';
import { findDifferences } from '@/server/ledger/differences';
import {
  ALLOWANCE_INVARIANT,
  GRANTED_INVARIANT,
  LIMIT_INVARIANT,
  POCKET_INVARIANT,
  WALLET_INVARIANTS,
} from '@/server/ledger/invariants';
import { BONUS_INVARIANTS, PROMOTION_INVARIANTS } from '@/server/ledger/promotion-invariants';
import { newDatabase } from '../harness/database';
import { bookWithBonus, newPromotion, startWithCode } from '../harness/promotions';
import { correct } from './correct';
import { Model } from './model';
import { receipt } from './receipt';
import {
  allow,
  buy,
  exactly,
  grant,
  limitMonth,
  newWallet,
  sees,
  stopOrResume,
  type Wallet,
} from './wallets';

/** Few walks have overruns of this many credits. */
const OVERRUN_LIMIT = 40;
process.env.LIMIT_RUNNING_PER_USER = '5000';
process.env.LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY = String(OVERRUN_LIMIT);
await newDatabase();

const APPS = ['A', 'B', 'C'];
/** The smallest balance that serves a request. */
const MINIMUM = 1;

type Step =
  | { do: 'buy'; app: string; credits: number; again: boolean }
  | { do: 'buyWithCode'; app: string; credits: number; times: number; isPaid: boolean }
  | { do: 'save'; app: string; limit: number | null }
  | { do: 'limit'; scope: string; most: number | null }
  | { do: 'stop'; scope: string; isStopped: boolean }
  | { do: 'hold'; app: string; want: number; need: number }
  | { do: 'settle'; which: number; charge: number; twice: boolean }
  | { do: 'release'; which: number }
  | { do: 'resume' }
  | { do: 'correct'; which: number; percent: number }
  | { do: 'grant'; app: string; credits: number }
  | { do: 'clawBack'; which: number; refundedPercent: number; disputedPercent: number };

const app = fc.constantFrom(...APPS);
const scope = fc.constantFrom('*', ...APPS);
const which = fc.nat({ max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('buy' as const),
      app,
      credits: fc.integer({ min: 1, max: 30 }),
      again: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('buyWithCode' as const),
      app,
      credits: fc.integer({ min: 1, max: 30 }),
      times: fc.integer({ min: 1, max: 3 }),
      isPaid: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('save' as const), app, limit: fc.option(fc.nat({ max: 40 })) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      app,
      want: fc.integer({ min: 1, max: 25 }),
      need: fc.integer({ min: 0, max: 8 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      which,
      charge: fc.nat({ max: 30 }),
      twice: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), which }) },
  { weight: 1, arbitrary: fc.constant({ do: 'resume' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('correct' as const),
      which,
      percent: fc.integer({ min: 1, max: 100 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('limit' as const),
      scope: fc.oneof(
        scope,
        app.map((name) => `partner:${name}`),
      ),
      most: fc.option(fc.integer({ min: 1, max: 60 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), scope, isStopped: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('clawBack' as const),
      which,
      refundedPercent: fc.nat({ max: 100 }),
      disputedPercent: fc.nat({ max: 100 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      app,
      credits: fc.integer({ min: 1, max: 20 }),
    }),
  },
);

type World = { wallet: Wallet; model: Model; holds: Hold[]; sessions: string[]; requests: string[] };

const pickFrom = <T>(items: T[], index: number): T | undefined => items[index % Math.max(1, items.length)];

/** Takes a step in the model and in the ledger, and compares the outcomes. */
async function take(world: World, step: Step): Promise<void> {
  const { wallet, model, holds, sessions, requests } = world;
  switch (step.do) {
    case 'buy': {
      const session = (step.again && sessions.at(-1)) || newId('cks');
      // A repeated payment session is the same purchase, whatever its other fields.
      model.buy(session, step.app, step.credits);
      const bought = model.purchases.get(session);
      if (!sessions.includes(session)) sessions.push(session);
      await buy(wallet, bought?.app ?? step.app, bought?.credits ?? step.credits, session);
      return;
    }
    case 'buyWithCode':
      return buyWithCode(world, step);
    case 'save':
      model.save(step.app, step.limit);
      await allow(wallet, step.app, step.limit);
      return;
    case 'limit':
      model.limit(step.scope, { most: step.most });
      await limitMonth(wallet, step.scope, step.most === null ? null : wholeCredits(step.most));
      return;
    case 'stop': {
      const isChange = (model.limits.get(step.scope)?.isStopped ?? false) !== step.isStopped;
      model.limit(step.scope, { isStopped: step.isStopped });
      expect(await stopOrResume(wallet, step.scope, step.isStopped)).toBe(isChange);
      return;
    }
    case 'hold':
      return placeHold(world, step);
    case 'settle': {
      const hold = pickFrom(holds, step.which);
      if (!hold) return;
      holds.splice(holds.indexOf(hold), 1);
      const taken = model.settle(hold.requestId, step.charge);
      const charge = chargeFor(exactly(step.charge), hold.rateBp);
      const [settled, repeated] = [
        await capture(hold, charge, receipt()),
        step.twice ? await capture(hold, charge, receipt()) : null,
      ];
      expect(settled?.captured).toBe(wholeCredits(taken));
      if (taken > 0) requests.push(hold.requestId);
      if (step.twice) expect(repeated).toEqual(settled);
      return;
    }
    case 'release': {
      const hold = pickFrom(holds, step.which);
      if (!hold) return;
      holds.splice(holds.indexOf(hold), 1);
      model.settle(hold.requestId, 0);
      await release(hold);
      return;
    }
    case 'resume':
      expect(await inTransaction((tx) => resumeUser(tx, wallet.userId))).toBe(model.resume());
      return;
    case 'correct': {
      const requestId = pickFrom(requests, step.which);
      if (!requestId) return;
      const left = (model.taken.get(requestId) ?? []).reduce((sum, { credits }) => sum + credits, 0);
      const credits = Math.ceil((left * step.percent) / 100);
      if (credits === 0) return;
      model.correct(requestId, credits);
      await correct({ requestId, credits: wholeCredits(credits) });
      return;
    }
    case 'clawBack': {
      const sessionId = pickFrom(sessions, step.which);
      if (!sessionId) return;
      const [refunded, disputed] = [step.refundedPercent, step.disputedPercent].map((percent) =>
        Math.floor(((model.purchases.get(sessionId)?.credits ?? 0) * percent) / 100),
      ) as [number, number];
      model.clawBack(sessionId, { refunded, disputed });
      const { userId } = wallet;
      await inTransaction((tx) =>
        clawBack(tx, {
          userId,
          sessionId,
          refunded: wholeCredits(refunded),
          disputed: wholeCredits(disputed),
        }),
      );
      return;
    }
    case 'grant':
      model.grant(step.app, step.credits);
      await grant(wallet, step.app, step.credits);
  }
}

/** The bonus is a multiple of the credits bought, so that its part of a refund is whole. */
async function buyWithCode(
  { wallet, model, sessions }: World,
  step: { app: string; credits: number; times: number; isPaid: boolean },
): Promise<void> {
  const { code } = await newPromotion({ percent: 100 * step.times });
  const partnerId = wallet.apps[step.app]?.id ?? '';
  const order = { userId: wallet.userId, partnerId, credits: wholeCredits(step.credits) };
  const { sessionId: id, ...started } = await startWithCode(order, code ?? '');
  expect(started).toEqual({ bonus: wholeCredits(step.credits * step.times) });
  if (!step.isPaid) {
    await prisma().checkoutSession.update({ where: { id }, data: { status: 'expired' } });
    return;
  }
  model.buy(id, step.app, step.credits, step.credits * step.times);
  sessions.push(id);
  await bookWithBonus({ ...order, sessionId: id });
}

async function placeHold(
  { wallet, model, holds }: World,
  step: { app: string; want: number; need: number },
): Promise<void> {
  const requestId = newId('req');
  const expected = model.hold(
    requestId,
    step.app,
    Math.max(step.want, step.need),
    Math.max(step.need, MINIMUM),
  );
  const admission = await admit({
    keyHash: wallet.apps[step.app]?.keyHash ?? Buffer.alloc(0),
    requestId,
    model: 'test/model',
    need: exactly(step.need),
    want: exactly(Math.max(step.want, step.need)),
  });
  expect(admission.ok ? 'held' : admission.refusal).toBe(expected);
  if (!admission.ok) return;
  expect(admission.hold.amount).toBe(wholeCredits(model.holds.get(requestId)?.amount ?? -1));
  if (admission.hold.kept) model.useKept(requestId, Number(admission.hold.kept.amount) / 1e6);
  holds.push(admission.hold);
}

const STATUS: Record<string, string> = { busy: 'ok', limit_reached: 'partner_limit_reached' };

/** Checks every property of the ledger that a single state can show. */
async function expectAgreement({ wallet, model }: World): Promise<void> {
  for (const name of APPS) {
    const [balance, status] = await sees(wallet, name);
    const expected = model.status(name, MINIMUM);
    expect([balance, status]).toEqual([model.balance(name), STATUS[expected] ?? expected]);
    expect(balance).toBeLessThanOrEqual(Math.max(0, model.money));
  }
  const { rows } = await pool().query<{
    own: bigint;
    own_granted: bigint;
    own_held: bigint;
    allowance_left: bigint;
  }>(
    "SELECT own, own_granted, own_held, allowance_left FROM user_app WHERE user_id = $1 AND partner_id <> '' ORDER BY created_at",
    [wallet.userId],
  );
  expect(rows.map((row) => [row.own, row.own_granted, row.own_held, row.allowance_left])).toEqual(
    [...model.pockets.values()].map((pocket) =>
      [pocket.own, pocket.granted, pocket.ownHeld, pocket.allowanceLeft].map((credits) =>
        wholeCredits(credits),
      ),
    ),
  );
  for (const { taken, limit } of model.drawn.values()) expect(taken).toBeLessThanOrEqual(limit);
  const client = await pool().connect();
  try {
    expect([
      ...(await findDifferences(
        client,
        [
          POCKET_INVARIANT,
          GRANTED_INVARIANT,
          ...WALLET_INVARIANTS,
          ALLOWANCE_INVARIANT,
          LIMIT_INVARIANT,
          ...BONUS_INVARIANTS,
          ...CORRECTION_INVARIANTS,
        ],
        [[wallet.userId]],
      )),
      ...(await findDifferences(client, PROMOTION_INVARIANTS)),
      ...(await findDifferences(client, [BOOKING_INVARIANTS], [[wallet.userId], null, null])),
    ]).toEqual([]);
  } finally {
    client.release();
  }
}

test('after every step of any sequence of operations, the ledger agrees with the model', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const world: World = {
        wallet: await newWallet(APPS),
        model: new Model(APPS, OVERRUN_LIMIT),
        holds: [],
        sessions: [],
        requests: [],
      };
      for (const next of steps) {
        await take(world, next);
        await expectAgreement(world);
      }
    }),
    { numRuns: Number(process.env.WALKS ?? 40), ...(process.env.SEED && { seed: Number(process.env.SEED) }) },
  );
});
