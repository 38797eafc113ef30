import { afterEach, describe, expect, test, vi } from 'vitest';
import { prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { checkLedger, readSpendable } from '@/server/ledger';
import { applyReversals } from '@/server/payments/checkout/reversals';
import { stripeProcessor } from '@/server/payments/checkout/stripe/processor';
import { newDatabase } from '../../harness';
import { sandboxStripe } from '../../harness/sandbox-stripe';
import { until } from '../../harness/until';
import {
  newUserKey,
  payByCard,
  SECRET_KEY,
  send,
  setWebhooks,
  startCheckout,
  type World,
} from '../../payments/checkout/checkout-world';

/** Refunds and disputes, through real events from the processor. */

await newDatabase();
const world = await startCheckout();
const stripe = sandboxStripe(world.sandboxUrl, SECRET_KEY);
const DISPUTED_CARD = '4000 0000 0000 0259';

type Bought = { userId: string; payment: string; session: string; url: string };

async function start(amount = 10): Promise<Bought> {
  const { userKey, userId } = await newUserKey(world.app, `${newId('usr').toLowerCase()}@example.com`);
  const { body } = await send(
    `${world.url}/v1/credits/checkout`,
    'POST',
    { 'x-user-key': userKey },
    { amount, currency: 'usd' },
  );
  return { userId, payment: '', session: String(body.session_id), url: String(body.checkout_url) };
}

async function pay(bought: Bought, card?: string): Promise<Bought> {
  expect(await payByCard(bought.url, card)).toMatchObject({ status: 'complete' });
  const row = await prisma().checkoutSession.findUniqueOrThrow({ where: { id: bought.session } });
  const session = await stripe.checkout.sessions.retrieve(row.processorSessionId ?? '');
  return { ...bought, payment: String(session.payment_intent) };
}

const buy = async (amount?: number, card?: string) => pay(await start(amount), card);
const refund = (bought: Bought, amount?: number) =>
  stripe.refunds.create({ payment_intent: bought.payment, ...(amount && { amount }) });
const control = (command: object) => send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, command);

/** Waits for the balance, in credits. */
const waitForBalance = ({ userId }: Bought, credits: number) =>
  until(
    async () => Number((await readSpendable(userId, world.app.id)).balance) / 1e6,
    (seen) => seen === credits,
  );

async function readRefunds({ userId }: Bought): Promise<number[]> {
  const rows = await prisma().ledgerTransaction.findMany({
    where: { userId, kind: 'refund' },
    orderBy: { createdAt: 'asc' },
  });
  return rows.map(({ credits }) => Number(credits) / 1e6);
}

type SentEvent = {
  event: { id: string; type: string; data: { object: { payment_intent: string; id: string } } };
  delivery: { state: string };
};

async function eventsOf(world: World, bought: Bought): Promise<SentEvent[]> {
  const { body } = await send(`${world.sandboxUrl}/__sandbox/events`, 'GET', {});
  return (body.events as unknown as SentEvent[]).filter(
    ({ event }) => event.data.object.payment_intent === bought.payment,
  );
}

const delivered = (bought: Bought) =>
  until(
    () => eventsOf(world, bought),
    (events) => events.every(({ delivery }) => delivery.state === 'delivered'),
  );

// A failed test must not leave webhooks held for the next one.
afterEach(() => setWebhooks(world, 'on'));

describe('a refund', () => {
  test('of 40% and then of the rest takes exactly what was bought', async () => {
    const bought = await buy();
    await waitForBalance(bought, 1000);
    await refund(bought, 400);
    await waitForBalance(bought, 600);
    await refund(bought, 600);
    await waitForBalance(bought, 0);
    await delivered(bought);
    expect(await readRefunds(bought)).toEqual([-400, -600]);
  });

  test('in uneven parts rounds the sum, not the parts', async () => {
    const bought = await buy(9.99);
    for (const [amount, left] of [
      [333, 666],
      [333, 333],
      [333, 0],
    ] as const) {
      await refund(bought, amount);
      await waitForBalance(bought, left);
    }
  });

  test('is applied once when its events arrive twice, late or out of order', async () => {
    const bought = await buy();
    await waitForBalance(bought, 1000);
    await setWebhooks(world, 'twice');
    await Promise.all([refund(bought, 100), refund(bought, 200), refund(bought, 300)]);
    await waitForBalance(bought, 400);
    await setWebhooks(world, 'on');
    for (const { event } of (await delivered(bought)).reverse()) await control({ redeliver: event.id });
    await delivered(bought);
    await waitForBalance(bought, 400);
    expect((await readRefunds(bought)).reduce((sum, credits) => sum + credits, 0)).toBe(-600);
  });

  test('that arrives before the purchase is applied with the purchase', async () => {
    await setWebhooks(world, 'hold');
    const bought = await buy();
    await refund(bought, 400);
    expect(await prisma().purchase.count({ where: { sessionId: bought.session } })).toBe(0);
    await setWebhooks(world, 'on');
    await waitForBalance(bought, 600);
    await delivered(bought);
    expect(await readRefunds(bought)).toEqual([-400]);
  });

  test('whose event is lost is applied when the purchase is fulfilled', async () => {
    await setWebhooks(world, 'hold');
    const bought = await buy();
    await refund(bought);
    const { fulfil } = await import('@/server/payments/checkout/fulfil');
    expect(await fulfil(bought.session)).toMatchObject({ status: 'completed' });
    expect(await readRefunds(bought)).toEqual([-1000]);
    await setWebhooks(world, 'on');
    await delivered(bought);
  });

  test('is read again when another reading was booked meanwhile', async () => {
    const bought = await buy();
    await waitForBalance(bought, 1000);
    await refund(bought, 700);
    await waitForBalance(bought, 300);
    await delivered(bought);
    const outdated = {
      checkoutSessionId: bought.session,
      refundedMinor: 400,
      disputedMinor: 0,
      concerns: [],
    };
    // Another instance books a newer reading while this one is under way.
    const read = vi.spyOn(stripeProcessor, 'readReversals').mockImplementationOnce(async () => {
      await prisma().purchase.update({
        where: { sessionId: bought.session },
        data: { reversalsRead: { increment: 1 } },
      });
      return outdated;
    });
    await applyReversals(bought.payment, 'refund');
    read.mockRestore();
    await waitForBalance(bought, 300);
  });

  test('that fails restores the credits', async () => {
    const bought = await buy();
    await waitForBalance(bought, 1000);
    const { id } = await refund(bought, 400);
    await waitForBalance(bought, 600);
    await control({ fail_refund: id });
    await waitForBalance(bought, 1000);
    await delivered(bought);
    expect(await readRefunds(bought)).toEqual([-400, 400]);
  });
});

describe('a dispute', () => {
  const open = async () => {
    const bought = await buy(10, DISPUTED_CARD);
    await until(
      () => readRefunds(bought),
      (taken) => taken.length > 0,
    );
    await waitForBalance(bought, 0);
    const [dispute] = (await stripe.disputes.list({ payment_intent: bought.payment })).data;
    return { bought, id: dispute?.id };
  };

  test('takes the credits when opened, and keeps them when lost', async () => {
    const { bought, id } = await open();
    await control({ move_dispute: { id, status: 'lost' } });
    await until(
      () => eventsOf(world, bought),
      (events) => events.some(({ event }) => event.type === 'charge.dispute.closed'),
    );
    await delivered(bought);
    expect(await readRefunds(bought)).toEqual([-1000]);
  });

  test('restores the credits when won', async () => {
    const { bought, id } = await open();
    await control({ move_dispute: { id, status: 'won' } });
    await waitForBalance(bought, 1000);
    expect(await readRefunds(bought)).toEqual([-1000, 1000]);
  });
});

test('an event about an unrelated payment changes nothing', async () => {
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    success_url: 'https://shop.example/',
    line_items: [
      { quantity: 1, price_data: { currency: 'usd', unit_amount: 500, product_data: { name: 'A cap' } } },
    ],
  });
  await payByCard(session.url ?? '');
  const { payment_intent } = await stripe.checkout.sessions.retrieve(session.id);
  await stripe.refunds.create({ payment_intent: String(payment_intent) });
  await delivered({ userId: '', session: '', url: '', payment: String(payment_intent) });
});

test('the ledger has no differences after all of these payments', async () => {
  expect((await checkLedger()).differences).toEqual([]);
});
