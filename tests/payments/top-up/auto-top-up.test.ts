import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { DAY_MS, MINUTE_MS, now, setClock } from '@/server/base/clock';
import { chargeFor } from '@/server/base/credits';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { capture, checkLedger, readPockets } from '@/server/ledger';
import { allowPurchases, blockPurchases } from '@/server/payments/checkout/purchase-block';
import { refundPurchase } from '@/server/payments/checkout/refund-purchase';
import { removeSavedCard } from '@/server/payments/checkout/saved-cards';
import { stripeProcessor } from '@/server/payments/checkout/stripe/processor';
import { advanceTopUps, beginTopUps } from '@/server/payments/checkout/top-up/advance';
import { turnOffAutoTopUp } from '@/server/payments/checkout/top-up/auto-top-up';
import { findTopUpConfirmation, startTopUpConfirmation } from '@/server/payments/checkout/top-up/confirm';
import { finishAuthorization } from '@/server/payments/checkout/top-up/turn-on';
import { watchBalances } from '@/server/payments/checkout/top-up/watch-balances';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../../harness';
import { sandboxStripe } from '../../harness/sandbox-stripe';
import { until } from '../../harness/until';
import { receipt } from '../../ledger/receipt';
import { exactly, hold } from '../../ledger/wallets';
import { SECRET_KEY, send, startCheckout } from '../checkout/checkout-world';
import {
  ALWAYS_ASKS,
  answerBank,
  type Buyer,
  DECLINES_LATER,
  IS_DISPUTED,
  newBuyer,
  newTopUpBuyer,
  turnOn,
} from './buyer';
import { readTopUp } from './users';

/** Auto top-up, with the sandbox's processor and bank. */

process.env.LIMIT_RUNNING_PER_USER = '5000';
await newDatabase();
const world = await startCheckout();
const stripe = sandboxStripe(world.sandboxUrl, SECRET_KEY);

/** Later than every test before, so that none waits for the spacing of another. */
let clock = now();
beforeEach(() => setClock(() => clock));
afterEach(() => {
  clock += DAY_MS;
  setClock();
});

/** The months of a ceiling are those of the calendar, in UTC. */
function startOfNextMonth(): number {
  const date = new Date(clock);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** Spends credits of the app in one request. */
async function spend({ wallet }: Buyer, credits: number): Promise<void> {
  const admission = await hold(wallet, 'A', credits, credits);
  if (!admission.ok) throw new Error(admission.refusal);
  await capture(admission.hold, chargeFor(exactly(credits), 0), receipt());
}

/** What two instances do in a second. */
const passTwice = () => Promise.all([watchBalances(), watchBalances()]);

const paymentsOf = async ({ customer }: Buyer) =>
  (await stripe.paymentIntents.list({ limit: 100 })).data.filter((intent) => intent.customer === customer);
const paidOf = async (buyer: Buyer) =>
  (await paymentsOf(buyer)).filter(({ status }) => status === 'succeeded').length;
const moneyOf = async ({ userId }: Buyer) => Number((await readPockets(userId)).money) / 1e6;
const control = (command: object) => send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, command);

async function mailsTo({ email }: Buyer): Promise<{ subject: string; text: string }[]> {
  await Promise.all([sendMails('top_up'), sendMails('top_up')]);
  const response = await fetch(`${world.mailUrl}/mails?to=${encodeURIComponent(email)}`);
  return (await response.json()) as { subject: string; text: string }[];
}

describe('a settlement below the threshold', () => {
  test('is followed by one top-up, however many instances and settlements there are', async () => {
    const buyer = await newTopUpBuyer();
    const watching = [0, 1].map(async () => {
      for (let pass = 0; pass < 30; pass++) await watchBalances();
    });
    await Promise.all([...Array.from({ length: 200 }, () => spend(buyer, 4)), ...watching]);
    await passTwice();
    await passTwice();
    expect(await paidOf(buyer)).toBe(1);
    expect(await moneyOf(buyer)).toBe(1_000 - 800 + 1_000);
    const { pockets } = await readPockets(buyer.userId);
    expect(pockets.find(({ partnerId }) => partnerId === '')?.own).toBe(1_000_000_000n);
    expect(await readTopUp(buyer.userId)).toMatchObject({ state: 'on', sessionId: null, monthMinor: 1_000 });
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('is followed by the next top-up a minute later at the earliest, and none beyond the ceiling', async () => {
    clock = startOfNextMonth();
    const buyer = await newTopUpBuyer(undefined, { threshold: 100_000, ceilingMinor: 2_999 });
    expect(await paidOf(buyer), 'at once, as the balance is below already').toBe(1);
    clock += MINUTE_MS - 1;
    await spend(buyer, 1);
    await passTwice();
    expect(await paidOf(buyer)).toBe(1);
    clock += 1;
    await beginTopUps([buyer.userId]);
    expect(await paidOf(buyer)).toBe(2);
    clock += DAY_MS;
    await beginTopUps([buyer.userId]);
    expect(await paidOf(buyer)).toBe(2);
    clock = startOfNextMonth();
    await beginTopUps([buyer.userId]);
    expect(await paidOf(buyer)).toBe(3);
  });

  test('sends a receipt that says what it was', async () => {
    const buyer = await newTopUpBuyer();
    await spend(buyer, 600);
    await passTwice();
    await sendMails('receipt');
    const [mail] = await until(
      () => mailsTo(buyer),
      (mails) => mails.length > 0,
    );
    expect(mail?.subject).toBe('Your auto top-up: $10.00');
    expect(mail?.text).toContain('1,000 credits were added with your saved card');
    expect(mail?.text).toContain('Bought in: Auto top-up');
  });
});

describe('what the user agreed to', () => {
  test('is recorded as shown, with the session, and nothing can change it @attack', async () => {
    const buyer = await newTopUpBuyer();
    await turnOn(buyer, { amountMinor: 2_000 });
    const consents = await prisma().autoTopUpConsent.findMany({
      where: { userId: buyer.userId },
      orderBy: { amountMinor: 'asc' },
    });
    expect(consents).toMatchObject([
      { sessionId: 'ses_1', amountMinor: 1_000, cardId: buyer.cardId, threshold: 500_000_000n },
      { sessionId: 'ses_1', amountMinor: 2_000, ceilingMinor: 5_000 },
    ]);
    expect(consents[1]?.text).toContain(
      'charge $20.00 to my Visa •••• 4242 each time I have fewer than 500 credits',
    );
    for (const change of [
      'UPDATE auto_top_up_consent SET amount_minor = 1',
      'DELETE FROM auto_top_up_consent',
    ])
      await expect(pool().query(change)).rejects.toThrow('append-only');
  });

  test('is recorded once when it is turned on 12 times at once, with the terms in effect @attack', async () => {
    const buyer = await newBuyer();
    const amounts = Array.from({ length: 12 }, (_, n) => 1_000 + n);
    // All have read that it is off before the first one turns it on.
    const { authorizeCard } = stripeProcessor;
    let waiting = 0;
    let open = () => {};
    const allAuthorized = new Promise<void>((resolve) => {
      open = resolve;
    });
    const authorize = vi.spyOn(stripeProcessor, 'authorizeCard').mockImplementation(async (card) => {
      const authorization = await authorizeCard(card);
      if (++waiting === amounts.length) open();
      await allAuthorized;
      return authorization;
    });
    onTestFinished(() => authorize.mockRestore());
    const results = await Promise.all(amounts.map((amountMinor) => turnOn(buyer, { amountMinor })));
    expect(results.filter(({ kind }) => kind === 'on')).toHaveLength(1);
    const consents = await prisma().autoTopUpConsent.findMany({ where: { userId: buyer.userId } });
    const { consentId, amountMinor } = await readTopUp(buyer.userId);
    expect(consents).toMatchObject([{ id: consentId, amountMinor }]);
  });

  test('is a ceiling per currency and month: changing the currency and back forgets nothing @attack', async () => {
    const buyer = await newTopUpBuyer();
    await spend(buyer, 600);
    await passTwice();
    const month = async () => (await readTopUp(buyer.userId)).monthMinor;
    expect(await month()).toBe(1_000);
    expect(await turnOn(buyer, { currency: 'eur' })).toEqual({ kind: 'on' });
    expect(await month()).toBe(0);
    expect(await turnOn(buyer)).toEqual({ kind: 'on' });
    expect(await month()).toBe(1_000);
    clock += 31 * DAY_MS;
    setClock(() => clock);
    expect(await turnOn(buyer, { currency: 'eur' })).toEqual({ kind: 'on' });
    expect(await turnOn(buyer)).toEqual({ kind: 'on' });
    expect(await month(), 'a month later').toBe(0);
  });

  test('is not what the form showed: nothing is turned on @attack', async () => {
    const buyer = await newBuyer();
    const consent = 'I authorise svc to charge $1.00.';
    expect(await turnOn(buyer, { consent })).toMatchObject({ kind: 'refused', field: 'consent' });
    expect(await prisma().autoTopUpConsent.count({ where: { userId: buyer.userId } })).toBe(0);
  });

  test.each([
    ['threshold', { threshold: 0 }],
    ['threshold', { threshold: 1.5 }],
    ['amount', { amountMinor: 499 }],
    ['amount', { amountMinor: 50_001, ceilingMinor: 60_000 }],
    ['amount', { amountMinor: Number.NaN }],
    ['ceiling', { ceilingMinor: 999 }],
    ['card', { cardId: 'pm_of_another_user' }],
  ])('has a wrong %s: nothing is turned on @attack', async (field, changes) => {
    const buyer = await newBuyer();
    expect(await turnOn(buyer, changes)).toMatchObject({ kind: 'refused', field });
    expect(await prisma().autoTopUp.count({ where: { userId: buyer.userId } })).toBe(0);
  });

  test('is in force only once the bank allows charges without the buyer @attack', async () => {
    const buyer = await newBuyer({ number: ALWAYS_ASKS, credits: 10 });
    const result = await turnOn(buyer, {}, ALWAYS_ASKS);
    if (result.kind !== 'needs_action') throw new Error(result.kind);
    await beginTopUps([buyer.userId]);
    expect(await finishAuthorization(await readTopUp(buyer.userId))).toMatchObject({ state: 'authorizing' });
    expect(await paymentsOf(buyer)).toEqual([]);
    await answerBank(result.url, 'complete');
    await Promise.all([0, 1].map(async () => finishAuthorization(await readTopUp(buyer.userId))));
    expect((await readTopUp(buyer.userId)).state).not.toBe('authorizing');
    expect(await paymentsOf(buyer)).toHaveLength(1);
  });

  test('is void if the bank refuses @attack', async () => {
    const buyer = await newBuyer({ number: ALWAYS_ASKS });
    const result = await turnOn(buyer, {}, ALWAYS_ASKS);
    if (result.kind !== 'needs_action') throw new Error(result.kind);
    await answerBank(result.url, 'fail');
    expect(await finishAuthorization(await readTopUp(buyer.userId))).toMatchObject({
      state: 'off',
      offReason: 'not_allowed',
    });
  });
});

describe('a decline', () => {
  test('turns it off, says so by mail once, and the card is not charged again', async () => {
    const buyer = await newTopUpBuyer(DECLINES_LATER);
    await spend(buyer, 600);
    await passTwice();
    expect(await readTopUp(buyer.userId)).toMatchObject({
      state: 'off',
      offReason: 'declined',
      sessionId: null,
      monthMinor: 0,
    });
    const mails = await mailsTo(buyer);
    expect(mails.map(({ subject }) => subject)).toEqual([
      'Auto top-up is off: your bank declined the payment',
    ]);
    expect(mails[0]?.text).toContain('/account/payment#auto-top-up');
    clock += DAY_MS;
    await beginTopUps(null);
    expect(await paymentsOf(buyer)).toHaveLength(1);
    expect(await mailsTo(buyer)).toHaveLength(1);
    expect(await moneyOf(buyer)).toBe(400);
  });

  test('because the card was removed turns it off, also before it would be charged', async () => {
    const [charged, removed] = [await newTopUpBuyer(), await newTopUpBuyer()];
    // Elsewhere, and in the account.
    const elsewhere = { processorCustomerId: charged.customer, cardId: charged.cardId };
    expect(await stripeProcessor.removeCard(elsewhere)).toBe('removed');
    expect(await removeSavedCard(removed.userId, removed.cardId)).toBe(true);
    for (const buyer of [charged, removed]) await spend(buyer, 600);
    await passTwice();
    for (const buyer of [charged, removed]) {
      expect(await readTopUp(buyer.userId)).toMatchObject({ state: 'off', offReason: 'unknown_card' });
      expect((await mailsTo(buyer)).map(({ subject }) => subject)).toEqual([
        'Auto top-up is off: the card was removed',
      ]);
    }
  });
});

describe('a bank that wants the buyer', () => {
  async function waitForBuyer(): Promise<{ buyer: Buyer; id: string }> {
    const buyer = await newTopUpBuyer(ALWAYS_ASKS);
    await finishAuthorization(await readTopUp(buyer.userId));
    await spend(buyer, 600);
    await passTwice();
    const topUp = await readTopUp(buyer.userId);
    expect(topUp).toMatchObject({ state: 'needs_confirmation', monthMinor: 1_000 });
    return { buyer, id: topUp.sessionId ?? '' };
  }

  test('is asked through a mail and our page; after a failure at the bank and a success, it stays on', async () => {
    const { buyer, id } = await waitForBuyer();
    const [mail] = await mailsTo(buyer);
    expect(mail?.subject).toBe('Confirm your top-up of $10.00');
    expect(mail?.text).toContain(`${world.url}/account/payment/confirm/${id}`);

    await answerBank(await startTopUpConfirmation(buyer.userId, id), 'fail');
    expect(await findTopUpConfirmation(buyer.userId, id)).toMatchObject({ state: 'waiting' });
    await answerBank(await startTopUpConfirmation(buyer.userId, id), 'complete');
    expect(await findTopUpConfirmation(buyer.userId, id)).toMatchObject({ state: 'paid' });
    expect(await startTopUpConfirmation(buyer.userId, id)).toBeNull();
    await passTwice();

    expect(await readTopUp(buyer.userId)).toMatchObject({ state: 'on', sessionId: null, monthMinor: 1_000 });
    expect(await moneyOf(buyer)).toBe(1_400);
    expect(await paidOf(buyer)).toBe(1);
  });

  test('and a buyer who does not come: after 24 hours the payment is cancelled and it is off', async () => {
    const { buyer, id } = await waitForBuyer();
    await mailsTo(buyer);
    clock += DAY_MS - MINUTE_MS;
    await passTwice();
    expect(await readTopUp(buyer.userId)).toMatchObject({ state: 'needs_confirmation' });
    clock += MINUTE_MS;
    await passTwice();
    expect(await readTopUp(buyer.userId)).toMatchObject({
      state: 'off',
      offReason: 'not_confirmed',
      sessionId: null,
      monthMinor: 0,
    });
    expect((await paymentsOf(buyer)).map(({ status }) => status)).toEqual(['canceled']);
    expect(await findTopUpConfirmation(buyer.userId, id)).toMatchObject({ state: 'ended' });
    expect(await startTopUpConfirmation(buyer.userId, id)).toBeNull();
    expect((await mailsTo(buyer)).map(({ subject }) => subject)).toContain(
      'Auto top-up is off: the payment was not confirmed',
    );
  });

  test('and a buyer who turns it off: the payment is cancelled, without a mail', async () => {
    const { buyer } = await waitForBuyer();
    await turnOffAutoTopUp(buyer.userId);
    await passTwice();
    expect(await readTopUp(buyer.userId)).toMatchObject({ state: 'off', offReason: 'user', sessionId: null });
    expect((await paymentsOf(buyer)).map(({ status }) => status)).toEqual(['canceled']);
    expect(await mailsTo(buyer)).toEqual([]);
  });

  test('shows the confirmation to its buyer only @attack', async () => {
    const { id } = await waitForBuyer();
    const other = await newBuyer();
    expect(await findTopUpConfirmation(other.userId, id)).toBeNull();
    expect(await startTopUpConfirmation(other.userId, id)).toBeNull();
  });
});

describe('money that is returned', () => {
  test('by a refund of an auto top-up turns it off; of another purchase it does not', async () => {
    const buyer = await newTopUpBuyer();
    await spend(buyer, 600);
    await passTwice();
    const purchase = await prisma().purchase.findFirstOrThrow({
      where: { userId: buyer.userId, partnerId: '' },
    });
    await refundPurchase(purchase.id, 4);
    await expectReversed(buyer);
    await turnOn(buyer);
    await refundPurchase(purchase.id, 6);
    await expectReversed(buyer);
  });

  test('by a dispute of an auto top-up turns it off', async () => {
    const buyer = await newTopUpBuyer(IS_DISPUTED);
    await spend(buyer, 600);
    await passTwice();
    await until(
      () => readTopUp(buyer.userId),
      ({ state }) => state === 'off',
    );
    await expectReversed(buyer);
  });

  async function expectReversed({ userId }: Buyer) {
    expect(await readTopUp(userId)).toMatchObject({ state: 'off', offReason: 'reversed' });
  }
});

test('while the processor cannot be reached, it stays on, and the card is charged once afterwards', async () => {
  const buyer = await newTopUpBuyer();
  await control({ fail_next: { status: 500, times: 100, path: 'payment_intents' } });
  await spend(buyer, 600);
  await passTwice();
  expect(await readTopUp(buyer.userId)).toMatchObject({ state: 'on', sessionId: expect.any(String) });
  await control({ fail_next: { status: 500, times: 1, path: 'nothing' } });
  clock += 2 * MINUTE_MS;
  await Promise.all([advanceTopUps(), advanceTopUps()]);
  expect(await readTopUp(buyer.userId)).toMatchObject({ state: 'on', sessionId: null });
  expect(await paidOf(buyer)).toBe(1);
  expect(await moneyOf(buyer)).toBe(1_400);
});

test('it is suspended while an operator blocks the purchases @attack', async () => {
  const buyer = await newTopUpBuyer();
  const { userId } = buyer;
  await inTransaction((tx) => blockPurchases(tx, [userId]));
  await spend(buyer, 600);
  await passTwice();
  expect(await paymentsOf(buyer)).toEqual([]);
  expect(await readTopUp(userId)).toMatchObject({ state: 'on', sessionId: null });
  await inTransaction((tx) => allowPurchases(tx, userId));
  await spend(buyer, 1);
  await passTwice();
  await passTwice();
  expect(await paidOf(buyer)).toBe(1);
});

test('it is off with the account', async () => {
  const { deleteAccount } = await import('@/server/people/delete-account');
  const buyer = await newTopUpBuyer();
  await spend(buyer, 600);
  await deleteAccount(buyer.userId);
  await beginTopUps(null);
  expect(await paymentsOf(buyer)).toEqual([]);
});
