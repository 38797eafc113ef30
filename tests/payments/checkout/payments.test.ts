import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DAY_MS, MINUTE_MS, now, SECOND_MS, setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { checkLedger, readSpendable } from '@/server/ledger';
import { disablePartner, enablePartner } from '@/server/partners/partner';
import { fulfil } from '@/server/payments/checkout/fulfil';
import { stripeProcessor } from '@/server/payments/checkout/stripe/processor';
import { isDue, sweepPayments } from '@/server/payments/checkout/sweep';
import { revokeUserKey } from '@/server/people/keys/revoke';
import { newDatabase } from '../../harness';
import { sandboxStripe } from '../../harness/sandbox-stripe';
import { until } from '../../harness/until';
import {
  CheckoutWindow,
  newUserKey,
  payByCard,
  readEvents,
  SECRET_KEY,
  send,
  setWebhooks,
  startCheckout,
  WEBHOOK_SECRET,
} from './checkout-world';

await newDatabase();
const world = await startCheckout();
const stripe = sandboxStripe(world.sandboxUrl, SECRET_KEY);

let buyerCount = 0;
async function openForBuyer(changes: Record<string, unknown> = {}): Promise<CheckoutWindow> {
  const window = await CheckoutWindow.open(world, changes);
  await window.signIn(`buyer-${++buyerCount}@example.com`);
  return window;
}

/** Counts the records of a payment in every place where it must be written only once. */
async function readTraces(sessionId: string) {
  const events = await readEvents(world.app, 'credits.added');
  const booked = await prisma().ledgerTransaction.findMany({
    where: { kind: 'purchase', causeId: sessionId },
  });
  return {
    purchases: await prisma().purchase.count({ where: { sessionId } }),
    bookings: booked.length,
    events: events.filter(({ data }) => data.transaction_id === booked[0]?.id).length,
  };
}
const NOTHING = { purchases: 0, bookings: 0, events: 0 };
const ONCE = { purchases: 1, bookings: 1, events: 1 };

const status = async (id: string) =>
  (await prisma().checkoutSession.findUniqueOrThrow({ where: { id } })).status;

const signatureOf = (payload: string, timestamp: number, secret = WEBHOOK_SECRET) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });

async function sendEvent(type: string, sessionId: string, secret = WEBHOOK_SECRET) {
  const payload = JSON.stringify({
    id: 'evt_test',
    object: 'event',
    type,
    data: { object: { client_reference_id: sessionId } },
  });
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
  return send(`${world.url}/api/stripe`, 'POST', { 'stripe-signature': signature }, JSON.parse(payload));
}

beforeEach(() => setWebhooks(world, 'on'));
afterEach(() => setClock());

describe('starting a payment', () => {
  test('requires a signed-in user', async () => {
    const window = await CheckoutWindow.open(world);
    expect((await window.post('/payments', { amount: 10 })).status).toBe(401);
  });

  test('returns the framed form for a framed window, with our origin as its parent', async () => {
    const window = await openForBuyer();
    const { body } = await window.post('/payments', {
      amount: 25,
      currency: 'usd',
      checkout_mode: 'embedded',
    });
    expect(body).toMatchObject({
      amount: 25,
      currency: 'usd',
      credits: 2500,
      checkout_url: null,
      payment: { kind: 'sandbox' },
    });
    const { payment, session_id } = body as unknown as { payment: { embed_url: string }; session_id: string };
    expect(payment.embed_url).toContain(`${world.sandboxUrl}/embed/cs_test_`);
    expect(new URL(payment.embed_url).searchParams.get('parent_origin')).toBe(world.url);

    const row = await prisma().checkoutSession.findUniqueOrThrow({ where: { id: session_id } });
    const session = await stripe.checkout.sessions.retrieve(row.processorSessionId ?? '');
    expect(session).toMatchObject({
      mode: 'payment',
      ui_mode: 'embedded_page',
      redirect_on_completion: 'never',
      origin_context: 'web',
      automatic_tax: { enabled: false },
      consent_collection: null,
      invoice_creation: null,
      client_reference_id: session_id,
      metadata: { checkout_session: session_id },
      amount_total: 2500,
      currency: 'usd',
    });
    expect(session.expires_at - session.created).toBeGreaterThanOrEqual(30 * 60);
    expect(JSON.stringify(session)).not.toMatch(/buyer-|usr_|a-17/);
  });

  test('lets a first-party window redirect to a bank and return to our page', async () => {
    const window = await openForBuyer({ display: 'popup' });
    const { session_id } = await window.startPayment();
    const row = await prisma().checkoutSession.findUniqueOrThrow({ where: { id: session_id } });
    const session = await stripe.checkout.sessions.retrieve(row.processorSessionId ?? '');
    expect(session).toMatchObject({
      redirect_on_completion: 'if_required',
      return_url: `${world.url}/checkout/return?session_id=${session_id}`,
    });
  });

  test.each(['new_tab', 'manual'])(
    'returns the processor’s hosted page in mode %s',
    async (checkout_mode) => {
      const window = await openForBuyer();
      const { body } = await window.post('/payments', { amount: 10, currency: 'usd', checkout_mode });
      expect(body).toMatchObject({
        checkout_url: expect.stringContaining(`${world.sandboxUrl}/pay/`),
        payment: { kind: 'hosted' },
      });
    },
  );

  test('refuses an invalid amount, names the parameter and does not call the processor', async () => {
    const window = await openForBuyer();
    const createSession = vi.spyOn(stripeProcessor, 'createSession');
    for (const amount of [0, -5, 4.99, 500.01, 1e9, '25', Number.NaN, 10.005, null, undefined]) {
      const refused = await window.post('/payments', { amount });
      expect(refused.status, String(amount)).toBe(400);
      expect(refused.body).toMatchObject({ error: { type: 'invalid_request', param: 'amount' } });
    }
    expect(createSession).not.toHaveBeenCalled();
    createSession.mockRestore();
  });

  test('closes the form of the first payment in the window', async () => {
    const window = await openForBuyer();
    const first = await window.startPayment({ amount: 10 });
    const second = await window.startPayment({ amount: 20 });
    expect(await payByCard(first.payment.embed_url)).toMatchObject({ status: 'expired' });
    expect(await payByCard(second.payment.embed_url)).toMatchObject({ status: 'complete' });
    expect((await window.get(`/payments/${first.session_id}`)).body).toMatchObject({ status: 'expired' });
    expect((await window.get(`/payments/${second.session_id}`)).body).toMatchObject({
      status: 'completed',
      credits_added: 2000,
    });
  });

  test('refuses payments for a disabled app', async () => {
    const window = await openForBuyer();
    await disablePartner(world.app.id);
    const refused = await window.post('/payments', { amount: 10 });
    await enablePartner(world.app.id);
    expect(refused.body).toMatchObject({ error: { type: 'partner_disabled' } });
  });
});

describe('a payment is credited once', () => {
  test('by the webhook alone', async () => {
    const window = await openForBuyer();
    const { session_id, payment } = await window.startPayment();
    expect(await payByCard(payment.embed_url)).toMatchObject({ status: 'complete' });
    await expect.poll(() => status(session_id)).toBe('completed');
    expect(await readTraces(session_id)).toEqual(ONCE);
    expect((await window.get()).body).toMatchObject({ balance: 1000, money: 1000, status: 'ok' });
  });

  test('by the poll alone, and the event contains only what the app may know', async () => {
    await setWebhooks(world, 'hold');
    const window = await openForBuyer();
    const { session_id, payment } = await window.startPayment();
    expect((await window.get(`/payments/${session_id}`)).body).toEqual({
      session_id,
      status: 'open',
      credits_added: 0,
      balance: 0,
      can_spend: false,
      limited_by: null,
    });
    await payByCard(payment.embed_url);
    const done = {
      session_id,
      status: 'completed',
      credits_added: 1000,
      balance: 1000,
      can_spend: true,
      limited_by: null,
      receipt_id: expect.stringMatching(/^txn_/),
    };
    expect((await window.get(`/payments/${session_id}`)).body).toEqual(done);
    expect((await window.get(`/payments/${session_id}`)).body).toEqual(done);
    expect(await readTraces(session_id)).toEqual(ONCE);
    const event = (await readEvents(world.app, 'credits.added')).at(-1);
    expect(event?.data).toEqual({
      type: 'purchase',
      user_id: expect.stringMatching(/^au_/),
      metadata: { account: 'a-17' },
      balance: 1000,
      credits_added: 1000,
      transaction_id: expect.stringMatching(/^txn_/),
    });
  });

  test('by duplicate webhooks, polls and sweeps in parallel', async () => {
    await setWebhooks(world, 'hold');
    const window = await openForBuyer();
    const { session_id, payment } = await window.startPayment();
    await payByCard(payment.embed_url);
    await Promise.all([
      setWebhooks(world, 'twice'),
      ...Array.from({ length: 6 }, () => fulfil(session_id)),
      ...Array.from({ length: 3 }, () => window.get(`/payments/${session_id}`)),
      ...Array.from({ length: 3 }, () => sendEvent('checkout.session.completed', session_id)),
      sweepPayments(),
    ]);
    expect(await readTraces(session_id)).toEqual(ONCE);
    expect((await window.get()).body).toMatchObject({ balance: 1000 });
  });

  test('by a webhook that is delivered three times', async () => {
    const window = await openForBuyer();
    const { session_id, payment } = await window.startPayment();
    await payByCard(payment.embed_url);
    for (let time = 0; time < 3; time++) {
      expect((await sendEvent('checkout.session.completed', session_id)).status).toBe(200);
    }
    expect(await readTraces(session_id)).toEqual(ONCE);
  });

  test('by the sweep, when every webhook is lost and no client polls', async () => {
    await setWebhooks(world, 'hold');
    const window = await openForBuyer();
    const { session_id, payment } = await window.startPayment();
    await sweepPayments();
    await payByCard(payment.embed_url);
    await sweepPayments();
    expect(await status(session_id)).toBe('open');
    const later = now() + 31 * SECOND_MS;
    setClock(() => later);
    await sweepPayments();
    expect(await status(session_id)).toBe('completed');
    expect(await readTraces(session_id)).toEqual(ONCE);
  });

  test('by a bank that confirms later, in whatever order the events arrive', async () => {
    await setWebhooks(world, 'hold');
    const window = await openForBuyer();
    const { session_id, payment } = await window.startPayment();
    const iban = 'AT32 1904 3002 3547 3204';
    expect((await send(payment.embed_url, 'POST', {}, { iban, name: 'Ada' })).body).toMatchObject({
      status: 'complete',
    });
    expect((await window.get(`/payments/${session_id}`)).body).toMatchObject({ status: 'processing' });
    const control = (command: object) => send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, command);
    await control({ advance_seconds: 180 });
    await control({ reset_clock: true });
    // "Paid" arrives before "completed, unpaid".
    await control({ deliver: 'newest_first' });
    expect(await status(session_id)).toBe('completed');
    expect(await readTraces(session_id)).toEqual(ONCE);
  });

  test('for a user recognised by a key, even if that key is revoked before the payment', async () => {
    const { userKey, keyId, userId } = await newUserKey(world.app, 'key-buyer@example.com');
    const window = await CheckoutWindow.open(world);
    await window.post('/recognise', { user_key: userKey });
    const { session_id, payment } = await window.startPayment();
    await inTransaction((tx) => revokeUserKey(tx, { keyId, reason: 'user_revoked' }));
    await payByCard(payment.embed_url);
    expect((await window.get(`/payments/${session_id}`)).status).toBe(401);
    await until(
      () => readSpendable(userId, world.app.id),
      ({ balance }) => balance === 1_000_000_000n,
    );
  });

  test('in euros, at the rate of the day it started', async () => {
    const window = await openForBuyer({ currency: 'eur' });
    const { session_id, payment } = await window.startPayment({ amount: 19.99, currency: 'eur' });
    await payByCard(payment.embed_url);
    expect((await window.get(`/payments/${session_id}`)).body).toMatchObject({ credits_added: 2158 });
    const purchase = await prisma().purchase.findUniqueOrThrow({ where: { sessionId: session_id } });
    expect(purchase).toMatchObject({ currency: 'eur', amountMinor: 1999 });
    expect(purchase.rate.toString()).toBe('1.08');
  });
});

describe('nothing is credited', () => {
  test('for a declined card, and the form stays open for another', async () => {
    const window = await openForBuyer();
    const { session_id, payment } = await window.startPayment();
    expect(await payByCard(payment.embed_url, '4000 0000 0000 0002')).toMatchObject({ status: 'declined' });
    expect((await window.get(`/payments/${session_id}`)).body).toMatchObject({
      status: 'open',
      credits_added: 0,
    });
    expect(await readTraces(session_id)).toEqual(NOTHING);
    await payByCard(payment.embed_url);
    expect((await window.get(`/payments/${session_id}`)).body).toMatchObject({ status: 'completed' });
  });

  test('for an event that claims a payment that was not made', async () => {
    const window = await openForBuyer();
    const { session_id } = await window.startPayment();
    expect((await sendEvent('checkout.session.completed', session_id)).status).toBe(200);
    expect(await status(session_id)).toBe('open');
    expect(await readTraces(session_id)).toEqual(NOTHING);
  });

  test('for an event with a wrong or missing signature', async () => {
    await setWebhooks(world, 'hold');
    const window = await openForBuyer();
    const { session_id, payment } = await window.startPayment();
    await payByCard(payment.embed_url);
    expect((await sendEvent('checkout.session.completed', session_id, 'whsec_somebody_else')).status).toBe(
      400,
    );
    expect(
      (await send(`${world.url}/api/stripe`, 'POST', {}, { type: 'checkout.session.completed' })).status,
    ).toBe(400);
    expect(await status(session_id)).toBe('open');
    expect(await readTraces(session_id)).toEqual(NOTHING);
  });

  test.each<[string, (event: { payload: string; at: number }) => { body: string; signature: string }]>([
    [
      'signed with another secret',
      ({ payload, at }) => ({ body: payload, signature: signatureOf(payload, at, 'whsec_other') }),
    ],
    [
      'older than five minutes',
      ({ payload, at }) => ({ body: payload, signature: signatureOf(payload, at - 301) }),
    ],
    [
      'reformatted with the same content',
      ({ payload, at }) => ({
        body: JSON.stringify(JSON.parse(payload), null, 2),
        signature: signatureOf(payload, at),
      }),
    ],
    [
      'about a payment other than the signed one',
      ({ payload, at }) => ({ body: payload.replace('cks_', 'ckz_'), signature: signatureOf(payload, at) }),
    ],
    ['without a signature', ({ payload }) => ({ body: payload, signature: '' })],
    ['with an invalid signature', ({ payload, at }) => ({ body: payload, signature: `t=${at},v1=00` })],
  ])('for an event %s, which gets 400 before anything is read', async (_, forge) => {
    await setWebhooks(world, 'hold');
    const window = await openForBuyer();
    const { session_id, payment } = await window.startPayment();
    await payByCard(payment.embed_url);
    const payload = JSON.stringify({
      id: 'evt_forged',
      object: 'event',
      type: 'checkout.session.completed',
      data: { object: { client_reference_id: session_id } },
    });
    const { body, signature } = forge({ payload, at: Math.floor(Date.now() / 1000) });
    const read = vi.spyOn(stripeProcessor, 'readSession');
    const response = await fetch(`${world.url}/api/stripe`, {
      method: 'POST',
      body,
      headers: { 'stripe-signature': signature },
    });
    expect(response.status).toBe(400);
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
    expect(await status(session_id)).toBe('open');
    expect(await readTraces(session_id)).toEqual(NOTHING);
  });

  test('for events of other types or about unknown payments', async () => {
    expect((await sendEvent('customer.created', 'cks_unknown')).status).toBe(200);
    expect((await sendEvent('checkout.session.completed', 'cks_unknown')).status).toBe(200);
  });

  test.each([
    ['amount', { amountMinor: 50_000, credits: 50_000_000_000n }],
    ['currency', { currency: 'eur' }],
  ])('when the paid %s differs from the order', async (_, changed) => {
    const window = await openForBuyer();
    const { session_id, payment } = await window.startPayment();
    await prisma().checkoutSession.update({ where: { id: session_id }, data: changed });
    await payByCard(payment.embed_url);
    expect((await window.get(`/payments/${session_id}`)).body).toMatchObject({
      status: 'failed',
      failure: 'wrong_payment',
    });
    expect(await readTraces(session_id)).toEqual(NOTHING);
  });

  test('when the session expires', async () => {
    const window = await openForBuyer();
    const { session_id, payment } = await window.startPayment();
    const later = now() + 32 * MINUTE_MS;
    setClock(() => later);
    expect(await payByCard(payment.embed_url)).toMatchObject({ status: 'expired' });
    await expect.poll(() => status(session_id)).toBe('expired');
    expect((await window.get(`/payments/${session_id}`)).body).toMatchObject({
      status: 'expired',
      credits_added: 0,
    });
  });

  test('when the processor does not know the session, which then expires', async () => {
    const window = await openForBuyer();
    const { session_id } = await window.startPayment();
    await prisma().checkoutSession.update({ where: { id: session_id }, data: { processorSessionId: null } });
    expect((await fulfil(session_id))?.status).toBe('open');
    const later = now() + 32 * MINUTE_MS;
    setClock(() => later);
    await sweepPayments();
    expect(await status(session_id)).toBe('expired');
  });
});

test('a payment is not visible to other users', async () => {
  const mine = await openForBuyer();
  const theirs = await openForBuyer();
  const { session_id } = await mine.startPayment();
  const refused = await theirs.get(`/payments/${session_id}`);
  expect(refused.status).toBe(404);
  expect(refused.body).toMatchObject({ error: { type: 'not_found' } });
});

test('a payment is read again after 30 seconds, one minute, two, four…', () => {
  const reads = Array.from({ length: 600 }, (_, tick) => tick * 10 * SECOND_MS).filter((at) =>
    isDue(0, at - 10 * SECOND_MS, at),
  );
  expect(reads).toEqual([30, 60, 120, 240, 480, 960, 1920, 3840].map((seconds) => seconds * SECOND_MS));
});

describe('the euro rate', () => {
  const storeRate = (rate: string, ageMs: number) =>
    prisma().fxRate.create({
      data: { base: 'eur', quote: 'usd', rate, source: 'test', asOf: new Date(now() - ageMs) },
    });

  test('is the newest in the table, unless that is a week old', async () => {
    await storeRate('1.2', 8 * DAY_MS);
    const window = await openForBuyer({ currency: 'eur' });
    expect((await window.get()).body).toMatchObject({ rates: { usd: 1, eur: null } });
    const refused = await window.post('/payments', { amount: 10, currency: 'eur' });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      error: { param: 'currency', message: expect.stringContaining('out of date') },
    });
    await storeRate('1.1', 6 * DAY_MS);
    expect((await window.get()).body).toMatchObject({ rates: { eur: 1.1 } });
    expect((await window.post('/payments', { amount: 10, currency: 'eur' })).body).toMatchObject({
      credits: 1100,
    });
  });

  test('does not change for a payment that has started', async () => {
    await storeRate('1.1', 2 * DAY_MS);
    const window = await openForBuyer();
    const { session_id, payment } = await window.startPayment({ currency: 'eur' });
    await storeRate('2', DAY_MS);
    await payByCard(payment.embed_url);
    expect((await window.get(`/payments/${session_id}`)).body).toMatchObject({ credits_added: 1100 });
  });
});

test('the ledger has no differences after all of these payments', async () => {
  expect(await checkLedger()).toMatchObject({ differences: [] });
});

test('when the processor is unreachable, a payment keeps its state and a new one is refused', async () => {
  const window = await openForBuyer();
  const { session_id } = await window.startPayment();
  await world.stopProcessor();
  const [refused, kept] = await Promise.all([
    window.post('/payments', { amount: 10 }),
    window.get(`/payments/${session_id}`),
  ]);
  expect(refused.status).toBe(502);
  expect(refused.body).toMatchObject({
    error: { type: 'upstream_error', message: 'The payment could not be started. Please try again.' },
  });
  expect(kept.body).toMatchObject({ status: 'open' });
  expect((await sendEvent('checkout.session.completed', session_id)).status).toBe(500);
});
