import { createHmac } from 'node:crypto';
import type Stripe from 'stripe';
import { afterEach, describe, expect, test } from 'vitest';
import { DAY_MS, now, SECOND_MS, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { checkLedger, readSpendable } from '@/server/ledger';
import { runCommand } from '@/server/operator/cli/run';
import { creditAlert, refundByOperator } from '@/server/operator/handle-payments';
import { closePaymentAlert, listPaymentsNeedingAttention } from '@/server/payments/checkout/alerts';
import { fulfil } from '@/server/payments/checkout/fulfil';
import { reconcilePayments } from '@/server/payments/checkout/reconcile';
import { refundPurchase } from '@/server/payments/checkout/refund-purchase';
import { applyReversals } from '@/server/payments/checkout/reversals';
import { stripe as connected } from '@/server/payments/checkout/stripe/client';
import { sweepReversals } from '@/server/payments/checkout/sweep-reversals';
import { newDatabase } from '../../harness';
import { sandboxStripe } from '../../harness/sandbox-stripe';
import { until } from '../../harness/until';
import { forge } from '../../ledger/forged-rows';
import {
  newUserKey,
  payByCard,
  SECRET_KEY,
  send,
  setWebhooks,
  startCheckout,
  WEBHOOK_SECRET,
} from './checkout-world';

/** Refunds, disputes and late payments in any order, against the sandbox processor. */

await newDatabase();
const world = await startCheckout();
const stripe = sandboxStripe(world.sandboxUrl, SECRET_KEY);
const DISPUTED = '4000 0000 0000 0259';
const INQUIRY = '4000 0000 0000 1976';

const control = async (command: object) => {
  const { status, body } = await send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, command);
  expect(status, JSON.stringify(body)).toBe(200);
};
/** Delivers every event that is pending. */
const deliver = () => control({ deliver: 'oldest_first' });

const deliveriesOf = async () => {
  const { body } = await send(`${world.sandboxUrl}/__sandbox/events`, 'GET', {});
  const events = body.events as unknown as { delivery: { state: string; attempts: number } }[];
  return events.map(({ delivery }) => delivery);
};
const untilDelivered = () => until(deliveriesOf, (all) => all.every(({ state }) => state !== 'pending'));

afterEach(async () => {
  setClock();
  await control({ rate_limit: null });
  await setWebhooks(world, 'on');
  // So that the next test counts its own calls only.
  await untilDelivered();
});

type Bought = { userId: string; session: string; processorSession: string; payment: string; charge: string };

/** Pays while events are held; `book` adds the credits. */
async function pay(card?: string): Promise<Bought> {
  await setWebhooks(world, 'hold');
  const { userKey, userId } = await newUserKey(world.app, `${newId('usr').toLowerCase()}@example.com`);
  const order = { amount: 10, currency: 'usd' };
  const { body } = await send(`${world.url}/v1/credits/checkout`, 'POST', { 'x-user-key': userKey }, order);
  expect(await payByCard(String(body.checkout_url), card)).toMatchObject({ status: 'complete' });
  const session = String(body.session_id);
  const row = await prisma().checkoutSession.findUniqueOrThrow({ where: { id: session } });
  const processorSession = row.processorSessionId ?? '';
  const { payment_intent } = await stripe.checkout.sessions.retrieve(processorSession, {
    expand: ['payment_intent'],
  });
  const intent = payment_intent as Stripe.PaymentIntent;
  return { userId, session, processorSession, payment: intent.id, charge: String(intent.latest_charge) };
}

async function buy(card?: string): Promise<Bought & { purchaseId: string }> {
  const bought = await pay(card);
  await deliver();
  const { id } = await prisma().purchase.findUniqueOrThrow({ where: { sessionId: bought.session } });
  return { ...bought, purchaseId: id };
}

const creditsOf = async ({ userId }: Bought) =>
  Number((await readSpendable(userId, world.app.id)).balance) / 1e6;
const alertsOf = async ({ session }: Bought) =>
  (await listPaymentsNeedingAttention()).filter(({ checkoutSessionId }) => checkoutSessionId === session);
const disputeOf = async ({ payment }: Bought) =>
  (await stripe.disputes.list({ payment_intent: payment })).data[0]?.id ?? '';
const dismissAll = async (bought: Bought) => {
  for (const { id } of await alertsOf(bought)) expect(await closePaymentAlert(id)).toBe(true);
  expect(await alertsOf(bought)).toEqual([]);
};

/** The calls that the service makes to the processor during `work`. */
async function callsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const calls: string[] = [];
  const note = ({ method, path }: Stripe.RequestEvent) =>
    void calls.push(`${method} ${path.replace(/\?.*/, '').replace(/\/(pi|cs_test)_\w+/, '/:id')}`);
  connected().on('request', note);
  try {
    await work();
  } finally {
    connected().off('request', note);
  }
  return calls;
}

async function sendEvent(type: string, object: object): Promise<number> {
  const event = { id: newId('evt'), object: 'event', type, data: { object } };
  const body = JSON.stringify(event);
  const time = Math.floor(now() / SECOND_MS);
  const signature = createHmac('sha256', WEBHOOK_SECRET).update(`${time}.${body}`).digest('hex');
  const headers = { 'stripe-signature': `t=${time},v1=${signature}` };
  return (await fetch(`${world.url}/api/stripe`, { method: 'POST', body, headers })).status;
}

describe('refunds and disputes are booked from the final state', () => {
  test('when a dispute was won and the payment refunded before one event arrives', async () => {
    const bought = await buy(DISPUTED);
    expect(await creditsOf(bought)).toBe(0);
    await control({ move_dispute: { id: await disputeOf(bought), status: 'won' } });
    await stripe.refunds.create({ payment_intent: bought.payment });
    await applyReversals(bought.payment, 'refund');
    expect(await creditsOf(bought)).toBe(0);
    expect(await prisma().purchase.findUnique({ where: { sessionId: bought.session } })).toMatchObject({
      refundedMinor: 1000,
      disputedMinor: 0,
    });
    const rows = await prisma().ledgerTransaction.findMany({
      where: { relatedId: bought.session, kind: 'refund' },
      orderBy: { createdAt: 'asc' },
    });
    expect(rows.map(({ note, credits }) => [note, Number(credits) / 1e6])).toEqual([
      ['chargeback', -1000],
      ['chargeback', 1000],
      ['refund', -1000],
    ]);
  });

  test('with more refunds than fit on one page', async () => {
    const bought = await buy();
    for (let refunds = 0; refunds < 120; refunds++)
      await stripe.refunds.create({ payment_intent: bought.payment, amount: 5 });
    await applyReversals(bought.payment, 'refund');
    expect(await creditsOf(bought)).toBe(400);
  });

  test('once a day even if the events were lost', async () => {
    const bought = await buy();
    await sweepReversals();
    await control({ webhooks: 'drop' });
    await stripe.refunds.create({ payment_intent: bought.payment, amount: 400 });
    await sweepReversals();
    expect(await creditsOf(bought)).toBe(1000);
    const start = now();
    setClock(() => start + DAY_MS);
    expect(await sweepReversals()).toMatchObject({ failed: 0 });
    expect(await creditsOf(bought)).toBe(600);
    expect(await sweepReversals()).toEqual({ read: 0, failed: 0 });
    await forge([`UPDATE watermark SET up_to = clock_timestamp() WHERE name = 'reversals'`]);
  });

  test('and an event about a payment that our key cannot see is ignored', async () => {
    expect(await sendEvent('charge.refunded', { object: 'charge', payment_intent: 'pi_of_another' })).toBe(
      200,
    );
  });
});

describe('a refund by the operator', () => {
  test('costs at most five calls, its events included', async () => {
    const { purchaseId } = await buy();
    await setWebhooks(world, 'on');
    const calls = await callsDuring(async () => {
      await refundPurchase(purchaseId, 4);
      await untilDelivered();
    });
    expect(calls.length, calls.join('\n')).toBeLessThanOrEqual(5);
  });

  test('costs one call, and its events share their reading', async () => {
    const { purchaseId, ...bought } = await buy();
    const calls = await callsDuring(() => refundPurchase(purchaseId, 4));
    expect(calls).toEqual(['POST /v1/refunds']);
    expect(await creditsOf(bought)).toBe(600);

    await setWebhooks(world, 'twice');
    const later = await callsDuring(async () => {
      const events = ['refund.created', 'charge.refunded', 'refund.updated', 'charge.refund.updated'];
      const refund = { object: 'refund', payment_intent: bought.payment };
      await Promise.all(events.map((type) => sendEvent(type, refund)));
    });
    // Those that arrive together share a reading; none that arrives later is left out.
    expect(later.length).toBeLessThanOrEqual(2 * 2 + 2);
    expect(new Set(later)).toEqual(new Set(['GET /v1/payment_intents/:id', 'GET /v1/refunds']));
  });

  test('is made and reported while the processor limits the rate of calls', async () => {
    const bought = [await buy(), await buy(), await buy(), await buy()];
    await setWebhooks(world, 'on');
    await control({ rate_limit: 10 });
    const reported = await Promise.all(
      bought.map(({ purchaseId }) =>
        refundByOperator({ operator: 'op@example.com', purchaseId, reason: 'asked', refundId: newId('req') }),
      ),
    );
    expect(reported).toEqual(bought.map(() => ({ refundedMinor: 1000, leftMinor: 0, isPending: false })));
    for (const one of bought) expect(await creditsOf(one)).toBe(0);
    const deliveries = await untilDelivered();
    expect(deliveries.filter(({ state, attempts }) => state === 'failed' && attempts > 0)).toEqual([]);
  });

  test('is refused with the reason of the processor when the bank has taken the money', async () => {
    const { purchaseId } = await buy(DISPUTED);
    await expect(refundPurchase(purchaseId)).rejects.toThrow(/has been charged back/);
  });

  test('settles an inquiry, and its alert closes', async () => {
    const { purchaseId, ...bought } = await buy(INQUIRY);
    expect(await alertsOf(bought)).toMatchObject([{ kind: 'dispute', takesMoney: false }]);
    expect(await creditsOf(bought)).toBe(1000);
    await refundPurchase(purchaseId);
    await deliver();
    expect(await alertsOf(bought)).toEqual([]);
  });
});

describe('a dismissed alert opens again', () => {
  const move = async (bought: Bought, status: string, days?: number) => {
    const id = await disputeOf(bought);
    await control({ move_dispute: { id, status, ...(days && { due_in_days: days }) } });
    await deliver();
  };

  test('when an inquiry becomes a dispute', async () => {
    const bought = await buy(INQUIRY);
    await dismissAll(bought);
    await move(bought, 'needs_response', 9);
    expect(await alertsOf(bought)).toMatchObject([
      { detail: 'fraudulent, needs_response', takesMoney: true, dueAt: expect.any(Date) },
    ]);
    expect(await creditsOf(bought)).toBe(0);
  });

  test('when a closed inquiry becomes a dispute', async () => {
    const bought = await buy(INQUIRY);
    await move(bought, 'warning_closed');
    expect(await alertsOf(bought)).toEqual([]);
    await move(bought, 'needs_response');
    expect(await alertsOf(bought)).toHaveLength(1);
  });

  test('when a lost dispute can be appealed', async () => {
    const bought = await buy(DISPUTED);
    await move(bought, 'lost');
    expect(await alertsOf(bought)).toEqual([]);
    await move(bought, 'appeal_needs_response', 9);
    expect(await alertsOf(bought)).toMatchObject([{ detail: 'fraudulent, appeal_needs_response' }]);
    expect(await creditsOf(bought)).toBe(0);
  });

  test('when a won dispute is lost after all', async () => {
    const bought = await buy(DISPUTED);
    await move(bought, 'won');
    expect([await alertsOf(bought), await creditsOf(bought)]).toEqual([[], 1000]);
    await move(bought, 'lost');
    expect([await alertsOf(bought), await creditsOf(bought)]).toMatchObject([
      [{ detail: 'fraudulent, lost' }],
      0,
    ]);
    await dismissAll(bought);
    await deliver();
    expect(await alertsOf(bought)).toEqual([]);
  });

  test('when its due date changes, but not when the bank reviews the response', async () => {
    const bought = await buy(DISPUTED);
    await dismissAll(bought);
    await move(bought, 'under_review');
    expect(await alertsOf(bought)).toEqual([]);
    await move(bought, 'needs_response', 3);
    expect(await alertsOf(bought)).toHaveLength(1);
  });
});

test('a dispute that is lost from the start is shown until it is dismissed', async () => {
  const bought = await buy();
  await control({ open_dispute: { charge: bought.charge, status: 'lost' } });
  await deliver();
  expect([await alertsOf(bought), await creditsOf(bought)]).toMatchObject([
    [{ detail: 'fraudulent, lost' }],
    0,
  ]);
  await applyReversals(bought.payment, 'dispute');
  expect(await alertsOf(bought)).toHaveLength(1);
  await dismissAll(bought);
  await applyReversals(bought.payment, 'dispute');
  expect(await alertsOf(bought)).toEqual([]);
});

describe('a payment that arrives', () => {
  const operator = { operator: 'op@example.com', reason: 'paid' };
  const period = () => ({ from: new Date(now() - DAY_MS), to: new Date(now() + DAY_MS) });
  const differencesOf = async ({ session }: { session: string }) =>
    (await reconcilePayments(period())).differences.filter((one) => one.checkoutSessionId === session);

  test('for a checkout session that a restore lost can be credited once', async () => {
    const bought = await pay();
    await prisma().checkoutSession.delete({ where: { id: bought.session } });
    expect(await differencesOf(bought)).toMatchObject([
      { what: 'paid, but the checkout session is unknown' },
    ]);
    await deliver();
    const [alert] = await alertsOf(bought);
    expect(alert).toMatchObject({ kind: 'uncredited_payment', amountMinor: 1000, currency: 'usd' });

    const credit = () => creditAlert({ ...operator, alertId: alert?.id ?? '' });
    const outcomes = await Promise.allSettled([credit(), credit()]);
    expect(outcomes.map(({ status }) => status)).toContain('fulfilled');
    expect(await creditsOf(bought)).toBe(1000);
    expect([await alertsOf(bought), await differencesOf(bought)]).toEqual([[], []]);
    await expect(credit()).rejects.toMatchObject({ code: 'not_found' });
    expect(
      await prisma().auditEntry.count({ where: { teamId: null, what: 'payment.credit' } }),
    ).toBeGreaterThan(0);
  });

  test.each(['expired', 'failed'])('for a checkout session that is %s can be credited', async (status) => {
    const bought = await pay();
    await prisma().checkoutSession.update({ where: { id: bought.session }, data: { status } });
    await deliver();
    const [alert] = await alertsOf(bought);
    expect(alert).toMatchObject({ kind: 'uncredited_payment' });
    expect(await creditsOf(bought)).toBe(0);
    await creditAlert({ ...operator, alertId: alert?.id ?? '' });
    expect(await creditsOf(bought)).toBe(1000);
  });

  test('for a buyer who does not exist here is shown, but not credited', async () => {
    const bought = await pay();
    await prisma().checkoutSession.delete({ where: { id: bought.session } });
    await prisma().userApp.updateMany({ where: { userId: bought.userId }, data: { appUserId: null } });
    await deliver();
    const [alert] = await alertsOf(bought);
    await expect(creditAlert({ ...operator, alertId: alert?.id ?? '' })).rejects.toThrow(/Refund it/);
    expect(await alertsOf(bought)).toHaveLength(1);
  });

  test('carries what it needs to be credited, in ids that mean nothing elsewhere', async () => {
    const bought = await pay();
    expect((await stripe.checkout.sessions.retrieve(bought.processorSession)).metadata).toEqual({
      checkout_session: bought.session,
      partner: world.app.id,
      app_user: expect.stringMatching(/^au_/),
      rate: '1',
      microcredits: '1000000000',
    });
    await deliver();
  });

  test('is listed by the command, which exits with 1 until it is credited', async () => {
    const bought = await pay();
    await prisma().checkoutSession.update({ where: { id: bought.session }, data: { status: 'expired' } });
    const reconcile = async (...options: string[]) => {
      const printed: string[] = [];
      const terminal = {
        out: (text: string) => void printed.push(text),
        err: (text: string) => void printed.push(text),
      };
      const code = await runCommand(['payments', 'reconcile', ...options, '--json'], terminal);
      const { differences } = JSON.parse(printed.join('')) as { differences: Record<string, unknown>[] };
      return { code, found: differences.filter(({ session_id }) => session_id === bought.session) };
    };
    expect(await reconcile()).toMatchObject({
      code: 1,
      found: [{ difference: 'paid, but the checkout session is expired', amount: 10, outcome: null }],
    });
    expect((await reconcile('--credit')).found).toMatchObject([{ outcome: 'credited' }]);
    expect((await reconcile()).found).toEqual([]);
    expect(await creditsOf(bought)).toBe(1000);
    await deliver();
    expect([await creditsOf(bought), await alertsOf(bought)]).toEqual([1000, []]);
  });

  test('is compared by the reconciliation, with what is refunded of it', async () => {
    const bought = await buy();
    expect(await differencesOf(bought)).toEqual([]);
    await stripe.refunds.create({ payment_intent: bought.payment, amount: 300 });
    expect(await differencesOf(bought)).toMatchObject([{ what: '300 are refunded, 0 here' }]);
    await deliver();
    expect(await differencesOf(bought)).toEqual([]);
    await forge([`UPDATE purchase SET amount_minor = 2000 WHERE session_id = '${bought.session}'`]);
    expect(await differencesOf(bought)).toMatchObject([{ what: 'paid, but the purchase is 2000 usd' }]);
    await forge([`UPDATE purchase SET amount_minor = 1000 WHERE session_id = '${bought.session}'`]);
  });

  test('nowhere is a purchase that the reconciliation reports', async () => {
    const { session } = await buy();
    const credited = await prisma().checkoutSession.findUniqueOrThrow({ where: { id: session } });
    const invented = newId('cks');
    await prisma().checkoutSession.create({ data: { ...credited, id: invented, processorSessionId: null } });
    const differences = await differencesOf({ session: invented });
    expect(differences).toMatchObject([
      { checkoutSessionId: invented, what: 'credited, but not paid at the payment processor' },
    ]);
    await prisma().checkoutSession.delete({ where: { id: invented } });
  });
});

test('the ledger has no differences after all of these payments', async () => {
  expect(await fulfil('cks_unknown')).toBeNull();
  expect((await checkLedger()).differences).toEqual([]);
});
