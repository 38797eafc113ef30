import type Stripe from 'stripe';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { DAY_MS, MINUTE_MS, now, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { ApiError } from '@/server/base/errors';
import { checkLedger, readSpendable } from '@/server/ledger';
import { listPaymentsNeedingAttention } from '@/server/payments/checkout/alerts';
import { findCustomer } from '@/server/payments/checkout/customers';
import { fulfil } from '@/server/payments/checkout/fulfil';
import { startOwnPayment } from '@/server/payments/checkout/own-payments';
import { type CardPaymentRequest, payWithSavedCard } from '@/server/payments/checkout/pay-with-card';
import { reconcilePayments } from '@/server/payments/checkout/reconcile';
import { refundPurchase } from '@/server/payments/checkout/refund-purchase';
import { readReturnedPayment } from '@/server/payments/checkout/returned-payment';
import { startCardSetup } from '@/server/payments/checkout/saved-cards';
import { stripe as connected } from '@/server/payments/checkout/stripe/client';
import { stripeProcessor } from '@/server/payments/checkout/stripe/processor';
import { sweepPayments } from '@/server/payments/checkout/sweep';
import { startTopUpConfirmation } from '@/server/payments/checkout/top-up/confirm';
import { turnOnAutoTopUp } from '@/server/payments/checkout/top-up/turn-on';
import { creditPayment } from '@/server/payments/checkout/uncredited-payments';
import { requestInvoice } from '@/server/payments/invoices/issue';
import { newDatabase } from '../../harness';
import { sandboxStripe } from '../../harness/sandbox-stripe';
import { until } from '../../harness/until';
import { present } from '../../people/account/person';
import { TERMS } from '../top-up/users';
import { CheckoutWindow, SECRET_KEY, send, setWebhooks, startCheckout } from './checkout-world';

/** Payments with a saved card, without a form. */

await newDatabase();
const world = await startCheckout();
const stripe = sandboxStripe(world.sandboxUrl, SECRET_KEY);
const processor = stripeProcessor;

const ALWAYS_ASKS = '4000 0027 6000 3184';
const ASKS_UNTIL_SET_UP = '4000 0025 0000 3155';
const DECLINES_LATER = '4000 0000 0000 0341';
const RETURN_URL = 'https://svc.example/back';

afterEach(async () => {
  setClock();
  vi.restoreAllMocks();
  await send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, { reset_clock: true });
  await setWebhooks(world, 'on');
});

let buyers = 0;
/** A user who has saved a card on the processor's page. */
async function newBuyer(number = '4242 4242 4242 4242') {
  const window = await CheckoutWindow.open(world, { display: 'popup' });
  const email = `saved-${++buyers}@example.com`;
  await window.signIn(email);
  await window.startPayment();
  const { id: userId } = await prisma().user.findFirstOrThrow({ where: { email } });
  const processorCustomerId = (await findCustomer(userId)) ?? '';
  const cardId = await addCard(processorCustomerId, number);
  return { email, userId, processorCustomerId, cardId };
}

async function addCard(
  processorCustomerId: string,
  number: string,
  key = `setup_${number}`,
): Promise<string> {
  const setup = await processor.createCardSetup({
    processorCustomerId,
    successUrl: RETURN_URL,
    cancelUrl: RETURN_URL,
    language: 'en',
    setupKey: `${key}_${processorCustomerId}`,
  });
  if (setup === 'unknown_customer') throw new Error('the customer is known');
  const form = { number, expiry: '12/40', cvc: '123', name: 'Ada Lovelace' };
  const { body } = await send(setup.url, 'POST', {}, form);
  if ((body as { status?: string }).status === 'challenge')
    await send(setup.url, 'POST', {}, { challenge: 'complete' });
  const done = await processor.readCardSetup(setup.setupId);
  expect(done).toMatchObject({ processorCustomerId, state: 'done', cardId: expect.any(String) });
  return done?.cardId ?? '';
}

let sweptAfterMs = DAY_MS;
/** Each time twice as late as the last, because the sweep reads a payment only as often. */
async function sweepLater(): Promise<void> {
  sweptAfterMs *= 2;
  const later = now() + sweptAfterMs;
  setClock(() => later);
  await sweepPayments();
}

let purchases = 0;
const orderOf = (
  { userId, cardId }: { userId: string; cardId: string },
  changes: Partial<CardPaymentRequest> = {},
): CardPaymentRequest => ({
  userId,
  cardId,
  partnerId: world.app.id,
  idempotencyKey: `purchase-${++purchases}`,
  amount: 10,
  currency: 'usd',
  language: 'en',
  method: 'saved_card',
  buyer: { kind: 'present', returnUrl: RETURN_URL },
  ...changes,
});

async function answerBank(url: string | null, answer: 'complete' | 'fail'): Promise<URL> {
  const response = await fetch(url ?? '', {
    method: 'POST',
    body: new URLSearchParams({ answer }),
    redirect: 'manual',
  });
  expect(response.status).toBe(303);
  return new URL(response.headers.get('location') ?? '');
}

const traces = async (sessionId: string) => ({
  purchases: await prisma().purchase.count({ where: { sessionId } }),
  bookings: await prisma().ledgerTransaction.count({ where: { kind: 'purchase', causeId: sessionId } }),
});
const ONCE = { purchases: 1, bookings: 1 };
const NOTHING = { purchases: 0, bookings: 0 };
const intentsOf = async (customer: string) =>
  (await stripe.paymentIntents.list({ limit: 100 })).data.filter((intent) => intent.customer === customer);
const balanceOf = async (userId: string) => Number((await readSpendable(userId, world.app.id)).balance) / 1e6;
async function callsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const calls: string[] = [];
  const note = ({ method, path }: Stripe.RequestEvent) => void calls.push(`${method} ${path}`);
  connected().on('request', note);
  try {
    await work();
  } finally {
    connected().off('request', note);
  }
  return calls;
}
const rowOf = (id: string) => prisma().checkoutSession.findUniqueOrThrow({ where: { id } });

describe('a saved card', () => {
  test('is listed with brand, last four and expiry, and removed by its own customer only @attack', async () => {
    const { processorCustomerId, cardId } = await newBuyer();
    const other = await newBuyer();
    expect(await processor.listCards(processorCustomerId)).toEqual([
      { id: cardId, brand: 'visa', last4: '4242', expiryMonth: 12, expiryYear: 2040 },
    ]);
    const stolen = { processorCustomerId: other.processorCustomerId, cardId };
    expect(await processor.removeCard(stolen)).toBe('unknown_card');
    expect(await processor.removeCard({ processorCustomerId, cardId })).toBe('removed');
    expect(await processor.removeCard({ processorCustomerId, cardId })).toBe('unknown_card');
    expect(await processor.listCards(processorCustomerId)).toEqual([]);
    expect(await processor.listCards('cus_unknown')).toEqual([]);
  });

  test('of another user is never charged, nor given to the processor to pay with @attack', async () => {
    const { cardId } = await newBuyer();
    const thief = await newBuyer();
    const order = orderOf({ ...thief, cardId });
    const calls = await callsDuring(async () => {
      expect((await payWithSavedCard(order)).charge.kind).toBe('unknown_card');
    });
    expect(calls).toEqual([`GET /v1/customers/${thief.processorCustomerId}/payment_methods/${cardId}`]);
    const { payment, charge } = await payWithSavedCard(order);
    expect(charge).toEqual({ kind: 'unknown_card' });
    expect(payment).toMatchObject({ status: 'failed', failure: 'unknown_card' });
    expect(await traces(payment.id)).toEqual(NOTHING);
  });

  test('with an id that is no id is unknown, and the processor is not called @attack', async () => {
    const buyer = await newBuyer();
    const { processorCustomerId, cardId } = buyer;
    const odd = ['', '.', '..', 'pm_x/..', `../${cardId}`, `${cardId}?a=b`, '%2e%2e', 'a\0b', `${cardId}\n`];
    const calls = await callsDuring(async () => {
      for (const given of odd) {
        expect(await processor.removeCard({ processorCustomerId, cardId: given })).toBe('unknown_card');
        const { charge } = await payWithSavedCard(orderOf({ ...buyer, cardId: given }));
        expect(charge).toEqual({ kind: 'unknown_card' });
      }
    });
    expect(calls).toEqual([]);
    expect(await processor.listCards(processorCustomerId)).toMatchObject([{ id: cardId }]);
  });

  test('disappears with its customer, and deleting the customer again does nothing', async () => {
    const buyer = await newBuyer();
    await processor.deleteCustomer(buyer.processorCustomerId);
    await processor.deleteCustomer(buyer.processorCustomerId);
    expect(await processor.listCards(buyer.processorCustomerId)).toEqual([]);
    expect((await payWithSavedCard(orderOf(buyer))).charge).toEqual({ kind: 'unknown_card' });
  });

  test('is prepared for an absent buyer, after the bank asked if it wants to', async () => {
    const plain = await newBuyer();
    const ask = (card: { processorCustomerId: string; cardId: string }, key: string) =>
      processor.authorizeCard({ ...card, returnUrl: RETURN_URL, key });
    expect(await ask(plain, 'plain')).toEqual({ kind: 'ready' });
    expect(await ask({ ...plain, cardId: 'pm_unknown' }, 'unknown')).toEqual({ kind: 'unknown_card' });

    const asked = await newBuyer(ALWAYS_ASKS);
    const first = await ask(asked, 'first');
    if (first.kind !== 'needs_action') throw new Error(first.kind);
    expect(await processor.readAuthorization(first.authorizationId)).toMatchObject({
      state: 'needs_action',
      cardId: asked.cardId,
    });
    await answerBank(first.url, 'fail');
    expect(await processor.readAuthorization(first.authorizationId)).toMatchObject({ state: 'declined' });
    const second = await ask(asked, 'second');
    if (second.kind !== 'needs_action') throw new Error(second.kind);
    await answerBank(second.url, 'complete');
    expect(await processor.readAuthorization(second.authorizationId)).toMatchObject({
      state: 'ready',
      processorCustomerId: asked.processorCustomerId,
    });
  });
});

test('a user begins at most 20 payments, cards and automatic payments a minute @attack', async () => {
  const { userId, ...buyer } = await newBuyer();
  const begin = [
    () => startOwnPayment(present(userId), { amount: 10, currency: 'usd' }),
    (n: number) =>
      payWithSavedCard({ ...orderOf({ userId, ...buyer }), idempotencyKey: `limited ${n}`, amount: 0 }),
    (n: number) => startCardSetup(userId, { returnUrl: RETURN_URL, buttonId: `limited ${n}` }),
    () => turnOnAutoTopUp({ userId, sessionId: 'ses_1' }, { ...TERMS, cardId: buyer.cardId, consent: '' }),
  ];
  const errors: unknown[] = [];
  for (let n = 0; n < 40; n++) await begin[n % 4]?.(n).catch((error) => errors.push(error));
  const limited = errors.filter((error) => error instanceof ApiError && error.code === 'rate_limited');
  // One was begun to save the card.
  expect(limited).toHaveLength(40 - 19);
  expect(limited[0]).toMatchObject({ retryAfterSeconds: expect.any(Number) });
});

test('the page after a payment, which needs no sign-in, reads it from the processor 20 times a minute @attack', async () => {
  const { userId } = await newBuyer();
  const { id } = await prisma().checkoutSession.findFirstOrThrow({ where: { userId } });
  const read = vi.spyOn(processor, 'readSession');
  for (let n = 0; n < 30; n++) expect(await readReturnedPayment(id)).toMatchObject({ status: 'open' });
  expect(read).toHaveBeenCalledTimes(20);
});

describe('a present buyer', () => {
  test('pays once with one key, however often it is repeated @attack', async () => {
    const buyer = await newBuyer();
    const order = orderOf(buyer);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => payWithSavedCard(order)));
    const [first] = outcomes;
    const id = first?.payment.id ?? '';
    expect(new Set(outcomes.map(({ payment }) => payment.id)).size).toBe(1);
    expect((await payWithSavedCard(order)).charge).toMatchObject({ kind: 'paid' });
    expect(await rowOf(id)).toMatchObject({ status: 'completed', method: 'saved_card' });
    expect(await intentsOf(buyer.processorCustomerId)).toMatchObject([{ status: 'succeeded', amount: 1000 }]);
    expect(await traces(id)).toEqual(ONCE);
    expect(await balanceOf(buyer.userId)).toBe(1000);
  });

  test('with the same key as another user pays for their own @attack', async () => {
    const [one, other] = [await newBuyer(), await newBuyer()];
    const idempotencyKey = 'shared';
    const first = await payWithSavedCard(orderOf(one, { idempotencyKey }));
    const second = await payWithSavedCard(orderOf(other, { idempotencyKey }));
    expect(first.payment.id).not.toBe(second.payment.id);
    expect(second.payment).toMatchObject({ userId: other.userId, status: 'completed' });
  });

  test('gets the reason of a decline, and the payment can no longer be made', async () => {
    const buyer = await newBuyer(DECLINES_LATER);
    const { payment, charge } = await payWithSavedCard(orderOf(buyer));
    expect(charge).toMatchObject({ kind: 'declined', failure: 'declined', paymentId: expect.any(String) });
    expect(payment).toMatchObject({ status: 'failed', failure: 'declined' });
    expect(await intentsOf(buyer.processorCustomerId)).toMatchObject([{ status: 'canceled' }]);
    expect(await traces(payment.id)).toEqual(NOTHING);
  });

  test('confirms on the page of the bank and returns with the session', async () => {
    const buyer = await newBuyer(ALWAYS_ASKS);
    const { payment, charge } = await payWithSavedCard(orderOf(buyer));
    if (charge.kind !== 'needs_action') throw new Error(charge.kind);
    expect(payment.status).toBe('open');
    const back = await answerBank(charge.url, 'complete');
    expect(`${back.origin}${back.pathname}`).toBe(RETURN_URL);
    expect(back.searchParams.get('session_id')).toBe(payment.id);
    expect(await fulfil(payment.id)).toMatchObject({ status: 'completed' });
    expect(await traces(payment.id)).toEqual(ONCE);
  });

  test('who fails at the bank is not charged, and the payment ends', async () => {
    const buyer = await newBuyer(ALWAYS_ASKS);
    const { payment, charge } = await payWithSavedCard(orderOf(buyer));
    if (charge.kind !== 'needs_action') throw new Error(charge.kind);
    await answerBank(charge.url, 'fail');
    expect(await fulfil(payment.id)).toMatchObject({ status: 'failed', failure: 'not_confirmed' });
    expect(await intentsOf(buyer.processorCustomerId)).toMatchObject([{ status: 'canceled' }]);
  });

  test('who leaves the page of the bank is not charged once the payment has expired @attack', async () => {
    const buyer = await newBuyer(ALWAYS_ASKS);
    const { payment, charge } = await payWithSavedCard(orderOf(buyer));
    if (charge.kind !== 'needs_action') throw new Error(charge.kind);
    await sweepLater();
    expect(await rowOf(payment.id)).toMatchObject({ status: 'expired' });
    expect((await fetch(charge.url ?? '', { method: 'POST', body: 'answer=complete' })).status).toBe(404);
    expect(await intentsOf(buyer.processorCustomerId)).toMatchObject([{ status: 'canceled' }]);
  });
});

describe('an absent buyer', () => {
  const absent = { method: 'auto_top_up', buyer: { kind: 'absent' } } as const;

  test('pays with a card that the bank has agreed to charge', async () => {
    const buyer = await newBuyer(ASKS_UNTIL_SET_UP);
    const { payment } = await payWithSavedCard(orderOf(buyer, absent));
    expect(payment).toMatchObject({ status: 'completed', method: 'auto_top_up' });
  });

  test('is asked to confirm for a day, may fail, tries again and pays once', async () => {
    const buyer = await newBuyer(ALWAYS_ASKS);
    const order = orderOf(buyer, absent);
    const { payment, charge } = await payWithSavedCard(order);
    expect(charge).toMatchObject({ kind: 'needs_action', url: null });
    expect(payment).toMatchObject({ status: 'open', failure: 'not_confirmed' });
    expect(payment.expiresAt.getTime() - payment.createdAt.getTime()).toBe(DAY_MS);
    if (charge.kind !== 'needs_action') throw new Error(charge.kind);
    const present = { kind: 'present', returnUrl: RETURN_URL } as const;
    for (const answer of ['fail', 'complete'] as const) {
      const confirmed = await processor.confirmCardPayment({ paymentId: charge.paymentId, buyer: present });
      if (confirmed.kind !== 'needs_action') throw new Error(confirmed.kind);
      await answerBank(confirmed.url, answer);
      await fulfil(payment.id);
    }
    expect(await rowOf(payment.id)).toMatchObject({ status: 'completed' });
    expect(await traces(payment.id)).toEqual(ONCE);
    expect((await payWithSavedCard(order)).charge).toMatchObject({ kind: 'paid' });
  });

  test('who does not confirm within a day is not charged any more', async () => {
    const buyer = await newBuyer(ALWAYS_ASKS);
    const { payment } = await payWithSavedCard(orderOf(buyer, absent));
    await sweepLater();
    expect(await rowOf(payment.id)).toMatchObject({ status: 'expired', failure: 'not_confirmed' });
    expect(await intentsOf(buyer.processorCustomerId)).toMatchObject([{ status: 'canceled' }]);
  });
});

describe('a process that dies', () => {
  test('before the payment was created: nothing was charged, and the row ends', async () => {
    const buyer = await newBuyer();
    vi.spyOn(processor, 'chargeCard').mockRejectedValueOnce(new Error('killed'));
    const order = orderOf(buyer);
    await expect(payWithSavedCard(order)).rejects.toThrow('could not be started');
    const { id } = await prisma().checkoutSession.findFirstOrThrow({
      where: { userId: buyer.userId, method: 'saved_card' },
    });
    await fulfil(id);
    expect(await rowOf(id)).toMatchObject({ status: 'open' });
    await sweepLater();
    expect(await rowOf(id)).toMatchObject({ status: 'failed', failure: 'not_started' });
    expect((await payWithSavedCard(order)).charge).toMatchObject({ kind: 'declined' });
    expect(await intentsOf(buyer.processorCustomerId)).toEqual([]);
  });

  test('between creating the payment and charging the card: a repetition charges it once @attack', async () => {
    const buyer = await newBuyer();
    const order = orderOf(buyer);
    await fail({ status: 500, times: 30, path: '/confirm' });
    const { payment, charge } = await payWithSavedCard(order);
    expect(charge.kind).toBe('processing');
    expect(payment).toMatchObject({ status: 'open', processorPaymentId: expect.any(String) });
    await fail({ status: 500, times: 1, path: '/none' });
    expect((await payWithSavedCard(order)).payment).toMatchObject({ status: 'completed' });
    expect(await intentsOf(buyer.processorCustomerId)).toMatchObject([{ status: 'succeeded' }]);
    expect(await traces(payment.id)).toEqual(ONCE);
  });

  test('after charging the card: the sweep credits it, without any event', async () => {
    await setWebhooks(world, 'hold');
    const buyer = await newBuyer();
    const charge = processor.chargeCard.bind(processor);
    vi.spyOn(processor, 'chargeCard').mockImplementationOnce(async (...given) => {
      await charge(...given);
      throw new Error('killed');
    });
    vi.spyOn(processor, 'readCardPayment').mockRejectedValueOnce(new Error('killed'));
    const { payment } = await payWithSavedCard(orderOf(buyer));
    expect(payment.status).toBe('open');
    await sweepLater();
    expect(await rowOf(payment.id)).toMatchObject({ status: 'completed' });
    expect(await traces(payment.id)).toEqual(ONCE);
  });

  test('after charging the card: the event credits it', async () => {
    const buyer = await newBuyer();
    vi.spyOn(processor, 'readCardPayment').mockRejectedValueOnce(new Error('killed'));
    const { payment } = await payWithSavedCard(orderOf(buyer));
    await until(
      () => rowOf(payment.id),
      ({ status }) => status === 'completed',
    );
    expect(await traces(payment.id)).toEqual(ONCE);
  });
});

const control = (command: object) => send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, command);
const fail = (fail_next: object) => control({ fail_next });

test('a charge that differs from its order credits nothing and opens an alert', async () => {
  const buyer = await newBuyer(ALWAYS_ASKS);
  const { payment, charge } = await payWithSavedCard(orderOf(buyer));
  if (charge.kind !== 'needs_action') throw new Error(charge.kind);
  await prisma().checkoutSession.update({
    where: { id: payment.id },
    data: { amountMinor: 50_000, credits: 50_000_000_000n },
  });
  await answerBank(charge.url, 'complete');
  expect(await fulfil(payment.id)).toMatchObject({ status: 'failed', failure: 'wrong_payment' });
  expect(await traces(payment.id)).toEqual(NOTHING);
  expect(await listPaymentsNeedingAttention()).toContainEqual(
    expect.objectContaining({ kind: 'wrong_payment', checkoutSessionId: payment.id }),
  );
});

test('a refund takes the credits of a saved card back as of any other payment', async () => {
  const buyer = await newBuyer();
  const { payment } = await payWithSavedCard(orderOf(buyer));
  const { id } = await prisma().purchase.findUniqueOrThrow({ where: { sessionId: payment.id } });
  await refundPurchase(id, 4);
  expect(await balanceOf(buyer.userId)).toBe(600);
});

test('a dispute of a saved card’s payment takes its credits, and winning it restores them', async () => {
  const buyer = await newBuyer();
  const { payment } = await payWithSavedCard(orderOf(buyer));
  const [intent] = await intentsOf(buyer.processorCustomerId);
  const settlesAt = (credits: number) =>
    until(
      () => balanceOf(buyer.userId),
      (balance) => balance === credits,
    );
  await control({ open_dispute: { charge: intent?.latest_charge, status: 'needs_response' } });
  await settlesAt(0);
  const alerts = await listPaymentsNeedingAttention();
  expect(alerts.find(({ checkoutSessionId }) => checkoutSessionId === payment.id)).toMatchObject({
    kind: 'dispute',
    takesMoney: true,
  });
  const [dispute] = (await stripe.disputes.list({ payment_intent: intent?.id ?? '' })).data;
  await control({ move_dispute: { id: dispute?.id, status: 'won' } });
  await settlesAt(1000);
  expect(await traces(payment.id)).toEqual(ONCE);
});

test('a charge that our database lost is found by reconciling, and credited', async () => {
  const buyer = await newBuyer(ALWAYS_ASKS);
  const { payment, charge } = await payWithSavedCard(orderOf(buyer));
  if (charge.kind !== 'needs_action') throw new Error(charge.kind);
  await prisma().checkoutSession.delete({ where: { id: payment.id } });
  await answerBank(charge.url, 'complete');
  const period = { from: new Date(now() - MINUTE_MS), to: new Date(now() + MINUTE_MS) };
  const { differences } = await reconcilePayments(period);
  const lost = differences.find(({ checkoutSessionId }) => checkoutSessionId === payment.id);
  expect(lost).toMatchObject({
    reference: { processorSessionId: null, processorPaymentId: charge.paymentId },
    what: 'paid, but the checkout session is unknown',
    isUncredited: true,
  });
  await until(
    () => listPaymentsNeedingAttention(),
    (alerts) => alerts.some(({ checkoutSessionId }) => checkoutSessionId === payment.id),
  );
  if (lost) await creditPayment(lost.reference, async () => {});
  expect(await rowOf(payment.id)).toMatchObject({ status: 'completed', method: 'saved_card' });
  expect(await traces(payment.id)).toEqual(ONCE);
});

test('the ledger has no differences after all of these payments', async () => {
  expect(await checkLedger()).toMatchObject({ differences: [] });
});

test('ids that cannot be ids name no payment, purchase or top-up @attack', async () => {
  for (const odd of ['', '\0', 'txn_a\0b', '..', 'cks_\ud800']) {
    expect(await readReturnedPayment(odd)).toBeNull();
    expect(await requestInvoice('usr_1', odd)).toEqual({ ok: false, reason: 'no_such_purchase' });
    expect(await startTopUpConfirmation('usr_1', odd)).toBeNull();
  }
});
