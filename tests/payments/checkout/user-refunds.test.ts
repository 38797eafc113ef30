import type Stripe from 'stripe';
import { afterEach, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS, now, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { newId } from '@/server/base/ids';
import { checkLedger, readSpendable } from '@/server/ledger';
import { refundPurchase } from '@/server/payments/checkout/refund-purchase';
import { applyReversals } from '@/server/payments/checkout/reversals';
import {
  completeUserRefunds,
  findNextRefund,
  REFUNDS_PER_MONTH,
  refundByUser,
} from '@/server/payments/checkout/user-refunds';
import { newDatabase } from '../../harness';
import { bundleProgram, type Death, dieAt } from '../../harness/programs';
import { sandboxStripe } from '../../harness/sandbox-stripe';
import { readTopUp, turnOn } from '../top-up/users';
import { newUserKey, payByCard, SECRET_KEY, send, setWebhooks, startCheckout } from './checkout-world';

/** Refunds that users make themselves, against the sandbox processor. */

await newDatabase();
const world = await startCheckout();
const stripe = sandboxStripe(world.sandboxUrl, SECRET_KEY);
const program = bundleProgram('tests/payments/checkout/user-refund-process.ts');
const deliver = () => send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, { deliver: 'oldest_first' });

afterEach(async () => {
  setClock();
  Object.assign(settings(), { REFUND_DAYS: 14 });
  await deliver();
});

/** Buys credits for $10; events are held until the test delivers them. */
async function buy(of?: { userKey: string; userId: string }) {
  await setWebhooks(world, 'hold');
  const user = of ?? (await newUserKey(world.app, `${newId('usr').toLowerCase()}@example.com`));
  const order = { amount: 10, currency: 'usd' };
  const headers = { 'x-user-key': user.userKey };
  const { body } = await send(`${world.url}/v1/credits/checkout`, 'POST', headers, order);
  expect(await payByCard(String(body.checkout_url))).toMatchObject({ status: 'complete' });
  await deliver();
  const purchase = await prisma().purchase.findUniqueOrThrow({
    where: { sessionId: String(body.session_id) },
  });
  return { ...user, purchaseId: purchase.id, payment: purchase.processorPaymentId ?? '' };
}

type Bought = Awaited<ReturnType<typeof buy>>;

const refund = ({ userId, purchaseId }: Bought, refundId: string = newId('req')) =>
  refundByUser({ userId, purchaseId, refundId });
const creditsOf = async ({ userId }: Bought) =>
  Number((await readSpendable(userId, world.app.id)).balance) / 1e6;
const refundedOf = ({ purchaseId }: Bought) =>
  prisma().purchase.findUniqueOrThrow({ where: { id: purchaseId } });

async function refundsAtProcessor({ payment }: Bought): Promise<Stripe.Refund[]> {
  return (await stripe.refunds.list({ payment_intent: payment })).data;
}

test('unused credits go back to the card once, however often the refund is sent', async () => {
  const bought = await buy();
  expect(await findNextRefund(bought.userId)).toMatchObject({
    purchaseId: bought.purchaseId,
    refundMinor: 1_000,
    currency: 'usd',
    isLimited: false,
  });
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => refund(bought, 'the same')));
  for (const outcome of outcomes) expect(outcome).toEqual({ amountMinor: 1_000, outcome: 'refunded' });
  expect(await refund(bought, 'the same')).toEqual({ amountMinor: 1_000, outcome: 'refunded' });
  expect(await refundsAtProcessor(bought)).toMatchObject([{ amount: 1_000 }]);
  await deliver();
  expect(await creditsOf(bought)).toBe(0);
  expect(await refundedOf(bought)).toMatchObject({ refundedMinor: 1_000 });
  expect(await findNextRefund(bought.userId)).toBeNull();
  expect((await checkLedger()).differences).toEqual([]);
});

test('of many refunds at once with ids of their own, one moves money @attack', async () => {
  const bought = await buy();
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => refund(bought)));
  expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(1);
  expect(await refundsAtProcessor(bought)).toMatchObject([{ amount: 1_000 }]);
});

test('a refund turns auto top-up off, which would charge the card again for what is missing @attack', async () => {
  const bought = await buy();
  await turnOn(bought.userId);
  expect(await refund(bought)).toMatchObject({ outcome: 'refunded' });
  expect(await readTopUp(bought.userId)).toMatchObject({ state: 'off', offReason: 'reversed' });
});

test('another user’s purchase is not refunded @attack', async () => {
  const [bought, other] = [await buy(), await buy()];
  expect(await refund({ ...bought, userId: other.userId })).toBeNull();
  expect(await refundsAtProcessor(bought)).toEqual([]);
});

test('the refund is offered for REFUND_DAYS, and never if they are 0', async () => {
  const bought = await buy();
  const later = now() + 14 * DAY_MS + MINUTE_MS;
  setClock(() => later);
  expect(await findNextRefund(bought.userId)).toBeNull();
  expect(await refund(bought)).toBeNull();
  setClock();
  Object.assign(settings(), { REFUND_DAYS: 0 });
  expect(await findNextRefund(bought.userId)).toBeNull();
  expect(await refund(bought)).toBeNull();
});

test('after some refunds in a month, an operator decides', async () => {
  const first = await buy();
  const all = [first];
  for (let n = 0; n < REFUNDS_PER_MONTH; n++) all.push(await buy(first));
  for (const bought of all.slice(0, REFUNDS_PER_MONTH))
    expect(await refund(bought)).toMatchObject({ outcome: 'refunded' });
  const last = all.at(-1) ?? first;
  expect(await findNextRefund(first.userId)).toMatchObject({ isLimited: true });
  expect(await refund(last)).toBeNull();
  expect(await refundPurchase(last.purchaseId)).toMatchObject({ refundedMinor: 1_000 });
});

test('what the processor refuses returns to the user, less what it has refunded itself', async () => {
  const bought = await buy();
  await stripe.refunds.create({ payment_intent: bought.payment, amount: 400 });
  expect(await refund(bought)).toEqual({ amountMinor: 1_000, outcome: 'refused' });
  expect(await creditsOf(bought)).toBe(600);
  expect(await refundedOf(bought)).toMatchObject({ refundedMinor: 400 });
  expect((await checkLedger()).differences).toEqual([]);
  expect(await refund(bought)).toEqual({ amountMinor: 600, outcome: 'refunded' });
  expect(await creditsOf(bought)).toBe(0);
});

test('an event about something else, before the processor is asked, returns no credits @attack', async () => {
  const bought = await buy();
  await dieAt(
    { call: /^POST \/v1\/refunds/, when: 'before it arrives' },
    { program, argument: bought.userId, processorUrl: world.sandboxUrl },
  );
  expect(await creditsOf(bought)).toBe(0);
  await applyReversals(bought.payment, 'dispute');
  expect(await creditsOf(bought)).toBe(0);
  expect((await checkLedger()).differences).toEqual([]);
});

test('what the processor refuses returns even if the process dies before the credits do @attack', async () => {
  const bought = await buy();
  await stripe.refunds.create({ payment_intent: bought.payment, amount: 400 });
  await dieAt(
    { call: /^GET \/v1\//, when: 'before it arrives' },
    { program, argument: bought.userId, processorUrl: world.sandboxUrl },
  );
  expect(await creditsOf(bought)).toBe(0);
  const later = now() + 2 * MINUTE_MS;
  setClock(() => later);
  await Promise.all([completeUserRefunds(), completeUserRefunds()]);
  expect(await creditsOf(bought)).toBe(600);
  expect(await refundsAtProcessor(bought)).toMatchObject([{ amount: 400 }]);
  expect(await prisma().userRefund.findFirst({ where: { userId: bought.userId } })).toMatchObject({
    isRefused: true,
    settledAt: expect.any(Date),
  });
});

test('a refund is made once although an earlier one of the purchase fails at the bank in the meantime @attack', async () => {
  const bought = await buy();
  await refundPurchase(bought.purchaseId, 6);
  const [byOperator] = await refundsAtProcessor(bought);
  await dieAt(
    { call: /^POST \/v1\/refunds/, when: 'before it arrives' },
    { program, argument: bought.userId, processorUrl: world.sandboxUrl },
  );
  await send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, { fail_refund: byOperator?.id });
  const later = now() + 2 * MINUTE_MS;
  setClock(() => later);
  await completeUserRefunds();
  expect(await refundedOf(bought)).toMatchObject({ refundedMinor: 400 });
  expect(await creditsOf(bought)).toBe(600);
  const nextDays = later + 2 * DAY_MS;
  setClock(() => nextDays);
  await send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, { advance_seconds: 2 * 86_400 });
  await completeUserRefunds();
  const made = (await refundsAtProcessor(bought)).filter(({ status }) => status === 'succeeded');
  expect(made).toMatchObject([{ amount: 400 }]);
  expect((await checkLedger()).differences).toEqual([]);
  await send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, { reset_clock: true });
});

const REFUND = /^POST \/v1\/refunds/;
const DEATHS: Death[] = [
  { call: REFUND, when: 'before it arrives' },
  { call: REFUND, when: 'before the answer' },
];

test.each(DEATHS.flatMap((death) => [2 * MINUTE_MS, 2 * DAY_MS].map((ms) => ({ death, ms }))))(
  'a refund whose process died at the call to the processor is made once: $death.when, $ms ms later @attack',
  async ({ death, ms }) => {
    const bought = await buy();
    await dieAt(death, { program, argument: bought.userId, processorUrl: world.sandboxUrl });
    const later = now() + ms;
    setClock(() => later);
    await Promise.all([completeUserRefunds(), completeUserRefunds(), completeUserRefunds()]);
    expect(await refundsAtProcessor(bought)).toMatchObject([{ amount: 1_000 }]);
    expect(await prisma().userRefund.findFirst({ where: { userId: bought.userId } })).toMatchObject({
      isRefused: false,
      settledAt: expect.any(Date),
    });
    expect(await creditsOf(bought)).toBe(0);
    expect((await checkLedger()).differences).toEqual([]);
  },
  60_000,
);
