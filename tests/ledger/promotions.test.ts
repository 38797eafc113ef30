import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { bonusFor } from '@/app/checkout/[visit]/purchase-amount';
import { DAY_MS, setClock } from '@/server/base/clock';
import { chargeFor, microcredits, wholeCredits } from '@/server/base/credits';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { bookBonus, capture, checkLedger } from '@/server/ledger';
import { disablePromotion } from '@/server/operator/promotions';
import { acceptGift } from '@/server/payments/checkout/gifts';
import { newDatabase } from '../harness/database';
import { addLink, bookWithBonus, newGift, newPromotion, startWithCode } from '../harness/promotions';
import { receipt } from './receipt';
import { buy, exactly, hold, newWallet, ownCredits, takeBack, type Wallet } from './wallets';

await newDatabase();
afterEach(async () => {
  setClock();
  expect((await checkLedger()).differences).toEqual([]);
});

const orderOf = (wallet: Wallet, credits = 1000) => ({
  userId: wallet.userId,
  partnerId: wallet.apps.A?.id ?? '',
  credits: wholeCredits(credits),
});

const start = (wallet: Wallet, code: string | null, credits = 1000) =>
  startWithCode(orderOf(wallet, credits), code ?? '');

async function buyWithBonus(wallet: Wallet, code: string | null, credits = 1000): Promise<string> {
  const started = await start(wallet, code, credits);
  if ('refusal' in started) throw new Error(started.refusal);
  await bookWithBonus({ ...orderOf(wallet, credits), sessionId: started.sessionId });
  return started.sessionId;
}

async function spend(wallet: Wallet, credits: number): Promise<void> {
  const admission = await hold(wallet, 'A', credits);
  if (!admission.ok) throw new Error(admission.refusal);
  await capture(admission.hold, chargeFor(exactly(credits), 0), receipt());
}

const end = (id: string, status: string) =>
  prisma().checkoutSession.update({ where: { id }, data: { status } });

const counters = async (id: string) => {
  const { redeemed, given } = await prisma().promotion.findUniqueOrThrow({ where: { id } });
  return { redeemed, given: Number(given) / 1e6 };
};

const granted = async (wallet: Wallet): Promise<number> => {
  const { rows } = await pool().query<{ own_granted: bigint }>(
    'SELECT own_granted FROM user_app WHERE user_id = $1 AND partner_id = $2',
    [wallet.userId, wallet.apps.A?.id],
  );
  return Number(rows[0]?.own_granted) / 1e6;
};

test('a bonus is booked with its purchase, once, as granted credits against promotion_expense', async () => {
  const wallet = await newWallet(['A']);
  const { id, code } = await newPromotion({ percent: 20 });
  const sessionId = await buyWithBonus(wallet, code);
  expect(await ownCredits(wallet, 'A')).toBe(1200);
  expect(await granted(wallet)).toBe(200);
  expect(await inTransaction((tx) => bookBonus(tx, sessionId))).toMatchObject({ repeated: true });
  expect(await ownCredits(wallet, 'A')).toBe(1200);
  expect(await counters(id)).toEqual({ redeemed: 1, given: 200 });
  expect(
    await prisma().ledgerTransaction.findFirst({ where: { userId: wallet.userId, kind: 'promotion' } }),
  ).toMatchObject({
    causeId: sessionId,
    postings: [
      { account: 'pocket', amount: 200_000_000, granted: 200_000_000 },
      { account: 'promotion_expense', amount: -200_000_000 },
    ],
  });
});

test('the bonus is a part of the credits bought, up to its maximum and from the minimum purchase, the same in SQL as on the page', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        percent: fc.option(fc.integer({ min: 1, max: 300 })),
        credits: fc.integer({ min: 1, max: 2000 }),
        max_credits: fc.option(fc.integer({ min: 1, max: 2000 })),
        min_purchase: fc.integer({ min: 0, max: 3000 }),
        bought: fc.integer({ min: 1, max: 50_000 }),
      }),
      async ({ bought, ...offer }) => {
        const isPercent = offer.percent !== null;
        const shown = { ...offer, credits: isPercent ? null : offer.credits };
        const micro = (credits: number | null) => (credits === null ? null : `${credits}000000`);
        const { rows } = await pool().query<{ bonus: bigint | null }>(
          `SELECT promotion_bonus(jsonb_populate_record(NULL::promotion, $1), $2) AS bonus`,
          [
            JSON.stringify({
              percent: shown.percent,
              credits: micro(shown.credits),
              max_credits: isPercent ? micro(offer.max_credits) : null,
              min_purchase: micro(offer.min_purchase),
            }),
            micro(bought),
          ],
        );
        expect(Number(rows[0]?.bonus) / 1e6).toBe(bonusFor(shown, bought));
      },
    ),
    { numRuns: 200 },
  );
});

describe('limits', () => {
  test('are never passed by payments that start at once: total, budget and per user @attack', async () => {
    const wallets = await Promise.all(Array.from({ length: 12 }, () => newWallet(['A'])));
    const [first] = wallets as [Wallet];
    const total = await newPromotion({ maxRedemptions: 5 });
    const budget = await newPromotion({ credits: wholeCredits(30), budget: wholeCredits(100) });
    const perUser = await newPromotion({ maxPerUser: 2 });
    const outcomes = await Promise.all([
      ...wallets.flatMap((wallet) => [start(wallet, total.code), start(wallet, budget.code)]),
      ...wallets.map(() => start(first, perUser.code)),
    ]);
    expect(await counters(total.id)).toEqual({ redeemed: 5, given: 1000 });
    expect(await counters(budget.id)).toEqual({ redeemed: 3, given: 90 });
    expect(await counters(perUser.id)).toEqual({ redeemed: 2, given: 400 });
    const refusals = outcomes.flatMap((outcome) => ('refusal' in outcome ? [outcome.refusal] : []));
    expect(refusals.filter((refusal) => refusal === 'used')).toHaveLength(10);
    expect(refusals.filter((refusal) => refusal === 'exhausted')).toHaveLength(16);
  });

  test('each refuse with their own reason', async () => {
    const wallet = await newWallet(['A', 'B']);
    const reason = async (offer: Parameters<typeof newPromotion>[0], credits?: number) => {
      const started = await start(wallet, (await newPromotion(offer)).code, credits);
      return 'refusal' in started ? started.refusal : 'reserved';
    };
    const at = (days: number) => new Date(Date.now() + days * DAY_MS);
    expect(await reason({ validFrom: at(1) })).toBe('not_started');
    expect(await reason({ validUntil: at(-1) })).toBe('ended');
    expect(await reason({ partnerId: wallet.apps.B?.id })).toBe('other_app');
    expect(await reason({ partnerId: wallet.apps.A?.id })).toBe('reserved');
    expect(await reason({ minPurchase: wholeCredits(1001) })).toBe('too_small');
    expect(await reason({ percent: 1 }, 99)).toBe('too_small');
    expect(await start(wallet, 'NEVERMADE')).toMatchObject({ refusal: 'unknown' });
    const disabled = await newPromotion();
    await disablePromotion({ operator: 'boss@example.com', reason: 'over' }, disabled.id);
    expect(await start(wallet, disabled.code)).toMatchObject({ refusal: 'ended' });
  });

  test('a first-purchase code is refused after a purchase, and while another one is promised @attack', async () => {
    const wallet = await newWallet(['A']);
    const codes = [
      await newPromotion({ isFirstPurchase: true }),
      await newPromotion({ isFirstPurchase: true }),
    ];
    const started = await Promise.all(codes.map(({ code }) => start(wallet, code)));
    expect(started.map((outcome) => ('refusal' in outcome ? outcome.refusal : 'reserved')).sort()).toEqual([
      'not_first_purchase',
      'reserved',
    ]);
    const buyer = await newWallet(['A']);
    await buy(buyer, 'A', 5);
    expect(await start(buyer, codes[0]?.code ?? '')).toMatchObject({ refusal: 'not_first_purchase' });
  });
});

describe('a reserved bonus', () => {
  test('is honoured although the promotion was disabled and used up before the payment', async () => {
    const wallet = await newWallet(['A']);
    const promotion = await newPromotion({ maxRedemptions: 1 });
    const { sessionId } = await start(wallet, promotion.code);
    await disablePromotion({ operator: 'boss@example.com', reason: 'over' }, promotion.id);
    await bookWithBonus({ ...orderOf(wallet), sessionId });
    expect(await ownCredits(wallet, 'A')).toBe(1200);
  });

  test.each(['expired', 'failed'])(
    'is released by a payment that %s, and another buyer gets it @attack',
    async (status) => {
      const [one, two] = [await newWallet(['A']), await newWallet(['A'])];
      const { id, code } = await newPromotion({ maxRedemptions: 1 });
      const { sessionId } = await start(one, code);
      expect(await start(two, code)).toMatchObject({ refusal: 'exhausted' });
      await end(sessionId, status);
      expect(await counters(id)).toEqual({ redeemed: 0, given: 0 });
      await buyWithBonus(two, code);
      expect(await counters(id)).toEqual({ redeemed: 1, given: 200 });
    },
  );
});

describe('a refund of a purchase with a bonus', () => {
  test('takes back the bonus in proportion, rounded down, and a won dispute returns it', async () => {
    const wallet = await newWallet(['A']);
    const sessionId = await buyWithBonus(
      wallet,
      (await newPromotion({ credits: wholeCredits(100) })).code,
      300,
    );
    await takeBack(wallet, sessionId, { refunded: 100 });
    expect(await ownCredits(wallet, 'A')).toBe(400 - 100 - 33.333333);
    await takeBack(wallet, sessionId, { refunded: 100, disputed: 200 });
    expect(await ownCredits(wallet, 'A')).toBe(0);
    expect(await granted(wallet)).toBe(0);
    await takeBack(wallet, sessionId, { refunded: 100 });
    await takeBack(wallet, sessionId, { refunded: 0 });
    expect(await ownCredits(wallet, 'A')).toBe(400);
    expect(await granted(wallet)).toBe(100);
  });

  test('does not leave a bonus that was spent with the buyer: it is owed, and the next purchase repays it @attack', async () => {
    const wallet = await newWallet(['A']);
    const sessionId = await buyWithBonus(wallet, (await newPromotion()).code);
    await spend(wallet, 200);
    await takeBack(wallet, sessionId, { refunded: 1000 });
    expect(await ownCredits(wallet, 'A')).toBe(-200);
    expect(await hold(wallet, 'A', 1)).toMatchObject({ ok: false, refusal: 'insufficient_credits' });
    await buy(wallet, 'A', 500);
    expect(await ownCredits(wallet, 'A')).toBe(300);
    await spend(wallet, 300);
    expect(await ownCredits(wallet, 'A')).toBe(0);
  });

  test('reverses no commission on bought credits that another purchase paid for', async () => {
    const wallet = await newWallet(['A'], { rateBp: 10_000 });
    const refunded = await buyWithBonus(wallet, (await newPromotion()).code);
    await buy(wallet, 'A', 500);
    // 200 granted, then 500 bought credits, of which half is commission.
    for (const credits of [100, 250])
      await hold(wallet, 'A', credits).then(async (admission) => {
        if (admission.ok) await capture(admission.hold, chargeFor(exactly(credits), 10_000), receipt());
      });
    const earned = async () => {
      const { rows } = await pool().query<{ earned: bigint }>(
        `SELECT coalesce(sum(amount), 0)::bigint AS earned FROM ledger_entry
         WHERE user_id = $1 AND account = 'partner_earnings'`,
        [wallet.userId],
      );
      return Number(rows[0]?.earned) / 1e6;
    };
    expect(await earned()).toBe(250);
    await takeBack(wallet, refunded, { refunded: 1000 });
    expect(await ownCredits(wallet, 'A')).toBe(-200);
    expect(await earned()).toBe(250);
  });
});

describe('a gift link', () => {
  test('is redeemed by one of many users at once, and only once by that one @attack', async () => {
    const users = Array.from({ length: 8 }, () => newId('usr'));
    const { id, code } = await newGift();
    const outcomes = await Promise.all([...users, ...users].map((userId) => acceptGift(userId, code)));
    const winners = outcomes.filter((outcome) => 'gift' in outcome);
    expect(winners).toHaveLength(2);
    expect(await counters(id)).toEqual({ redeemed: 1, given: 500 });
    const { _sum: sum } = await prisma().wallet.aggregate({
      where: { userId: { in: users } },
      _sum: { money: true },
    });
    expect(sum.money).toBe(microcredits(500_000_000n));
  });

  test('of the same gift is refused to a user who already redeemed another', async () => {
    const userId = newId('usr');
    const { id, code } = await newGift();
    expect(await acceptGift(userId, code)).toMatchObject({ gift: { credits: 500_000_000n, appName: null } });
    expect(await acceptGift(userId, await addLink(id))).toEqual({ refusal: 'used' });
    expect(await acceptGift(userId, 'ABCD-EFGH-JKMN-PQRS')).toEqual({ refusal: 'unknown' });
  });

  test('for an app goes to the pocket of that app', async () => {
    const wallet = await newWallet(['A']);
    const { code } = await newGift({ partnerId: wallet.apps.A?.id });
    // As people type it.
    await acceptGift(wallet.userId, ` ${code.toLowerCase().replace(/.{4}/g, '$& - ')}`);
    expect(await ownCredits(wallet, 'A')).toBe(500);
    expect(await granted(wallet)).toBe(500);
  });
});
