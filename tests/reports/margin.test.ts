import { beforeAll, describe, expect, test } from 'vitest';
import { nowDate } from '@/server/base/clock';
import { chargeFor, wholeCredits as credits } from '@/server/base/credits';
import { pool, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { newId } from '@/server/base/ids';
import { capture, checkLedger } from '@/server/ledger';
import { recordLoss } from '@/server/ledger/losses';
import { PERIODS, readPeriod, readPreviousPeriod } from '@/server/reports/activity/periods';
import { rollUpActivity } from '@/server/reports/activity/roll-up';
import { type Margin, readMargin } from '@/server/reports/margin/result';
import { newDatabase } from '../harness/database';
import { correct } from '../ledger/correct';
import { forge, RECOUNT_SPENT } from '../ledger/forged-rows';
import { receipt } from '../ledger/receipt';
import { buy, exactly, grant, hold, newWallet, takeBack, type Wallet } from '../ledger/wallets';

/** Books in which every kind of gain and loss occurs once, each with an amount of its own. */

await newDatabase();

async function newBuyer(bought: number) {
  const wallet = await newWallet(['A'], { rateBp: 2500 });
  const session = newId('cks');
  if (bought > 0) await buy(wallet, 'A', bought, session);
  return { wallet, session };
}

/** With 25% commission. The provider bills `billed`, whatever was held for `cost`. */
async function spend(wallet: Wallet, cost: number, billed = cost): Promise<string> {
  const admission = await hold(wallet, 'A', cost, cost);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  await capture(admission.hold, chargeFor(exactly(billed), 2500), receipt());
  return admission.hold.requestId;
}

const lose = ({ userId, apps }: Wallet, cost: number, isEstimated: boolean) =>
  recordLoss(
    { userId, requestId: newId('req'), partnerId: apps.A?.id ?? '' },
    { call: 1, model: 'm', provider: 'p', reason: 'failed_response', cost: credits(cost), isEstimated },
  );

const raiseDispute = (sessionId: string) =>
  prisma().paymentAlert.create({
    data: {
      id: newId('evt'),
      kind: 'dispute',
      sessionId,
      detail: 'fraudulent',
      takesMoney: true,
      createdAt: nowDate(),
    },
  });

/** A purchase of 200 credits for 1.60 EUR, which includes tax. */
async function buyTaxed(): Promise<void> {
  const { session } = await newBuyer(200);
  const inEuros = "currency = 'eur', amount_minor = 160, rate = 1.25";
  await forge([
    `UPDATE checkout_session SET ${inEuros} WHERE id = '${session}'`,
    `UPDATE purchase SET ${inEuros}, tax_minor = 31 WHERE session_id = '${session}'`,
  ]);
}

/** Older than commission can be reversed. */
const age = ({ userId }: Wallet) =>
  forge([
    `UPDATE ledger_transaction SET created_at = created_at - interval '200 days' WHERE user_id = '${userId}'`,
    RECOUNT_SPENT,
  ]);

async function readRolledUp(): Promise<Margin> {
  await rollUpActivity('0 seconds');
  return readMargin(readPeriod('7d'));
}

describe('of books in which every kind of loss occurs once', () => {
  let margin: Margin;
  let disputed: Awaited<ReturnType<typeof newBuyer>>;

  beforeAll(async () => {
    await spend((await newBuyer(1000)).wallet, 400);

    const granted = await newBuyer(0);
    await grant(granted.wallet, 'A', 80);
    await spend(granted.wallet, 64);

    const overrun = await newBuyer(20);
    await spend(overrun.wallet, 16, 27);
    await lose(overrun.wallet, 3, false);
    await lose(overrun.wallet, 2, true);

    disputed = await newBuyer(100);
    await spend(disputed.wallet, 72);
    await takeBack(disputed.wallet, disputed.session, { disputed: 100 });
    await raiseDispute(disputed.session);

    const refunded = await newBuyer(50);
    await forge([`UPDATE purchase SET tax_minor = 8 WHERE session_id = '${refunded.session}'`]);
    await takeBack(refunded.wallet, refunded.session, { refunded: 50 });

    const corrected = await newBuyer(300);
    const request = await spend(corrected.wallet, 120);
    await age(corrected.wallet);
    await correct({ requestId: request, credits: credits(50) });

    await buyTaxed();
    margin = await readRolledUp();
  });

  test('each line of the result is the sum by hand, and so is the bottom line', () => {
    // The request that was corrected is older than the period.
    const charged = 500n + 80n + 20n + 90n;
    expect(margin).toEqual({
      charged: credits(charged),
      providerCost: -credits(400 + 64 + 20 + 72),
      overruns: -credits(7),
      losses: -credits(3 + 2),
      estimatedLosses: -credits(2),
      // None on granted credits, none of the overrun, and that of the disputed credits is reversed.
      commission: -credits(100 + 18 - 18),
      grantedSpent: -credits(80),
      // Of 100 credits, 90 were spent.
      reversals: -credits(90),
      // 50 go back; the provider costs 40 less, and the commission of 10 is final.
      corrections: -credits(10),
      // 0.31 EUR at 1.25 USD; the tax on what was refunded is not owed.
      tax: -38_750_000n,
      // 2.9% of 1370 credits, and 0.30 USD for each of five payments; 15 USD for a dispute.
      processing: -(39_730_000n + 150_000_000n + 1_500_000_000n),
      result: credits(charged - 556n - 7n - 5n - 100n - 80n - 90n - 10n) - 38_750_000n - 1_689_730_000n,
    });
  });

  test('the bottom line without fees and tax is the change of what the operator has and owes', async () => {
    const { rows } = await pool().query<{ equity: bigint }>(
      `SELECT ((SELECT sum(credits) FROM ledger_transaction WHERE kind IN ('purchase', 'refund'))
         - (SELECT sum(greatest(0, own - own_granted)) FROM user_app)
         - (SELECT sum(e.amount) FROM ledger_entry e WHERE e.account IN ('provider_cost', 'partner_earnings'))
         - (SELECT sum(cost) FROM provider_loss))::bigint AS equity`,
    );
    const ever = await readMargin({ from: '2000-01-01', to: '2100-01-01' });
    expect(ever.result - ever.processing - ever.tax).toBe(rows[0]?.equity);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('what a user pays back later is no longer lost', async () => {
    await buy(disputed.wallet, 'A', 60);
    expect((await readRolledUp()).reversals).toBe(-credits(30));
    await takeBack(disputed.wallet, disputed.session, { disputed: 0 });
    expect((await readRolledUp()).reversals).toBe(0n);
  });
});

test('credits given as if they were bought cost when they are given', async () => {
  const before = await readRolledUp();
  const { wallet } = await newBuyer(0);
  settings().GRANTS_EARN_COMMISSION = true;
  await grant(wallet, 'A', 40);
  settings().GRANTS_EARN_COMMISSION = false;
  expect((await readRolledUp()).grantedSpent - before.grantedSpent).toBe(-credits(40));
});

test('sums beyond the exact numbers of a float keep each microcredit', async () => {
  const before = await readRolledUp();
  const huge = 9_007_199_254_740_993n;
  await pool().query(
    `INSERT INTO activity_partner_day SELECT partner_id, day, model, 'huge', 1, 0, 0, 0, 0, $1, 1, 1 FROM activity_partner_day
     WHERE day = (clock_timestamp() AT TIME ZONE 'UTC')::date LIMIT 1`,
    [huge],
  );
  const after = await readMargin(readPeriod('7d'));
  expect([after.charged - before.charged, after.result - before.result]).toEqual([huge, huge - 2n]);
});

test('the previous period ends where the period begins, and is as long', () => {
  for (const period of PERIODS) {
    const [range, previous] = [readPeriod(period), readPreviousPeriod(period)];
    if (period === '12m') expect(previous.from.slice(5)).toBe(range.from.slice(5));
    else expect(previous.to).toBe(range.from);
    const days = ({ from, to }: typeof range) => (Date.parse(to) - Date.parse(from)) / 86_400_000;
    expect(Math.abs(days(range) - days(previous))).toBeLessThanOrEqual(period === '12m' ? 1 : 0);
  }
});
