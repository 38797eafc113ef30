import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startSandboxPayments } from '@/sandbox/payments/server';

/** The official SDK's own calls against the sandbox, beyond checkout sessions. */

const SECRET_KEY = 'sk_test_sdk';
const heard: Stripe.Event[] = [];
const receiver = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  const signature = request.headers['stripe-signature'] ?? '';
  heard.push(Stripe.webhooks.constructEvent(Buffer.concat(parts), signature, 'whsec_sdk'));
  response.end();
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const sandbox = await startSandboxPayments({
  secretKey: SECRET_KEY,
  webhookSecret: 'whsec_sdk',
  webhookUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
  store: { load: async () => [], save: async () => {}, clear: async () => {} },
});
afterAll(async () => {
  await sandbox.close();
  receiver.closeAllConnections();
  receiver.close();
});

const connect = (key = SECRET_KEY, changes: Stripe.StripeConfig = {}) =>
  new Stripe(key, {
    host: '127.0.0.1',
    port: new URL(sandbox.url).port,
    protocol: 'http',
    telemetry: false,
    ...changes,
  });
const stripe = connect();
const control = async (command: object) => {
  const response = await fetch(`${sandbox.url}/__sandbox/control`, {
    method: 'POST',
    body: JSON.stringify(command),
  });
  expect(response.status).toBe(200);
};
const types = () => heard.map(({ type }) => type);

beforeEach(async () => {
  await control({ reset: true });
  heard.length = 0;
});

const order: Stripe.Checkout.SessionCreateParams = {
  mode: 'payment',
  success_url: 'https://shop.example/done',
  line_items: [
    { quantity: 1, price_data: { currency: 'eur', unit_amount: 1000, product_data: { name: 'Credits' } } },
  ],
};

async function pay(session: Stripe.Checkout.Session, form: object): Promise<{ status: string }> {
  const response = await fetch(`${sandbox.url}/pay/${session.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(form),
  });
  return (await response.json()) as { status: string };
}
const byCard = (number: string) => ({ number, expiry: '12/40', cvc: '123', name: 'Ann Example' });
const byBank = (iban: string) => ({ iban, name: 'Ann Example' });

test('customers are created and named on a session', async () => {
  const { id } = await stripe.customers.create({ email: 'ann@example.com', metadata: { user: '1' } });
  expect(await stripe.checkout.sessions.create({ ...order, customer: id })).toMatchObject({ customer: id });
  await expect(stripe.checkout.sessions.create({ ...order, customer: 'cus_none' })).rejects.toMatchObject({
    code: 'resource_missing',
    param: 'customer',
  });
});

describe('a session that requests tax and consent', () => {
  const taxed: Stripe.Checkout.SessionCreateParams = {
    ...order,
    line_items: (order.line_items ?? []).map(({ price_data: price, ...item }) => ({
      ...item,
      price_data: { ...(price ?? { currency: 'eur' }), tax_behavior: 'inclusive' },
    })),
    automatic_tax: { enabled: true },
    tax_id_collection: { enabled: true },
    consent_collection: { terms_of_service: 'required' },
    invoice_creation: { enabled: true },
    origin_context: 'mobile_app',
  };

  test('is paid with a country and consent, and returns tax, consent and invoice', async () => {
    const session = await stripe.checkout.sessions.create(taxed);
    expect(session).toMatchObject({
      automatic_tax: { enabled: true, status: 'requires_location_inputs' },
      consent_collection: { terms_of_service: 'required' },
      invoice_creation: { enabled: true },
      invoice: null,
    });
    expect(await pay(session, byCard('4242424242424242'))).toEqual({
      status: 'invalid',
      errors: { country: expect.any(String), terms: expect.any(String) },
    });
    const fields = { country: 'AT', terms: 'accepted' };
    expect(await pay(session, { ...byCard('4000000000000002'), ...fields })).toMatchObject({
      status: 'declined',
    });
    expect(await pay(session, { ...byCard('4242424242424242'), ...fields })).toMatchObject({
      status: 'complete',
    });
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
      amount_total: 1000,
      total_details: { amount_tax: 167 },
      automatic_tax: { status: 'complete' },
      consent: { terms_of_service: 'accepted' },
      invoice: expect.stringMatching(/^in_/),
    });
  });

  test('requires the same for bank debits and for cards with 3-D Secure', async () => {
    const fields = { country: 'DE', terms: 'accepted' };
    const debited = await stripe.checkout.sessions.create(taxed);
    expect(await pay(debited, byBank('AT611904300234573201'))).toMatchObject({ status: 'invalid' });
    await pay(debited, { ...byBank('AT611904300234573201'), ...fields });
    const challenged = await stripe.checkout.sessions.create(taxed);
    await pay(challenged, { ...byCard('4000002760003184'), ...fields });
    await pay(challenged, { challenge: 'complete' });
    for (const { id } of [debited, challenged]) {
      expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({
        payment_status: 'paid',
        total_details: { amount_tax: 160 },
        invoice: expect.stringMatching(/^in_/),
      });
    }
  });
});

describe('a bank debit', () => {
  test('completes the session unpaid until the bank confirms', async () => {
    const session = await stripe.checkout.sessions.create(order);
    expect(await pay(session, byBank('AT32 1904 3002 3547 3204'))).toMatchObject({ status: 'complete' });
    expect(await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] })).toMatchObject(
      {
        status: 'complete',
        payment_status: 'unpaid',
        payment_intent: { status: 'processing' },
      },
    );
    await control({ advance_seconds: 180 });
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: 'paid' });
    await expect.poll(types).toContain('checkout.session.async_payment_succeeded');
  });

  test('that the bank refuses can no longer be paid', async () => {
    const session = await stripe.checkout.sessions.create(order);
    await pay(session, byBank('AT861904300235473202'));
    expect(await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] })).toMatchObject(
      {
        payment_status: 'unpaid',
        payment_intent: { status: 'requires_payment_method', last_payment_error: expect.any(Object) },
      },
    );
    await expect.poll(types).toContain('checkout.session.async_payment_failed');
  });

  test('accepts only the test accounts', async () => {
    const session = await stripe.checkout.sessions.create(order);
    expect(await pay(session, byBank('DE89370400440532013000'))).toMatchObject({
      status: 'invalid',
      errors: { iban: expect.any(String) },
    });
  });
});

/** A customer with a card, added on a page for setting up cards. */
async function addCard(number: string): Promise<{ customer: string; payment_method: string }> {
  const { id: customer } = await stripe.customers.create({});
  const setup = await stripe.checkout.sessions.create({
    mode: 'setup',
    ui_mode: 'hosted_page',
    customer,
    allowed_payment_method_types: ['card'],
    payment_method_data: { allow_redisplay: 'always' },
    success_url: 'https://shop.example/done',
  });
  expect(await pay(setup, byCard(number))).toMatchObject({ status: 'complete' });
  const [card] = (await stripe.customers.listPaymentMethods(customer, { type: 'card' })).data;
  return { customer, payment_method: card?.id ?? '' };
}

describe('payments with a saved card', () => {
  const wish = {
    amount: 2000,
    currency: 'usd',
    allowed_payment_method_types: ['card'],
  } satisfies Stripe.PaymentIntentCreateParams;

  test('move no money until they are confirmed', async () => {
    const { id, status } = await stripe.paymentIntents.create({
      ...wish,
      ...(await addCard('4242424242424242')),
    });
    expect(status).toBe('requires_confirmation');
    await stripe.paymentIntents.confirm(id, { off_session: true });
    expect((await stripe.paymentIntents.retrieve(id)).amount_received).toBe(2000);
    await expect(stripe.paymentIntents.cancel(id)).rejects.toMatchObject({
      code: 'payment_intent_unexpected_state',
    });
  });

  test('that the bank declines are card errors, replayed for the same key, and can be cancelled', async () => {
    const { id } = await stripe.paymentIntents.create({ ...wish, ...(await addCard('4000000000000341')) });
    const attempt = () =>
      stripe.paymentIntents
        .confirm(id, { off_session: true }, { idempotencyKey: 'declined' })
        .catch((error: Stripe.errors.StripeCardError) => error);
    const [first, second] = [await attempt(), await attempt()];
    expect(first).toBeInstanceOf(Stripe.errors.StripeCardError);
    expect(first).toMatchObject({
      statusCode: 402,
      code: 'card_declined',
      payment_intent: { id, status: 'requires_payment_method', payment_method: null },
    });
    expect(second).toMatchObject({ payment_intent: { id } });
    expect(await stripe.paymentIntents.cancel(id)).toMatchObject({ status: 'canceled' });
    await expect(stripe.paymentIntents.confirm(id)).rejects.toMatchObject({
      code: 'payment_intent_unexpected_state',
    });
  });

  test('need the card of their own customer', async () => {
    const [one, other] = [await addCard('4242424242424242'), await addCard('4242424242424242')];
    await expect(
      stripe.paymentIntents.create({ ...wish, ...one, customer: other.customer }),
    ).rejects.toMatchObject({ code: 'resource_missing', param: 'payment_method' });
  });
});

describe('connected accounts', () => {
  const recipient: Stripe.AccountCreateParams = {
    controller: {
      fees: { payer: 'application' },
      losses: { payments: 'application' },
      requirement_collection: 'stripe',
      stripe_dashboard: { type: 'express' },
    },
    capabilities: { transfers: { requested: true } },
    country: 'AT',
    email: 'partner@example.com',
  };
  const newAccount = async () => {
    const { id } = await stripe.accounts.create(recipient);
    await control({ connect_account: { id, state: 'active' } });
    return id;
  };

  test('transfers are created once per key, listed, and reversed in parts up to their amount', async () => {
    const destination = await newAccount();
    const params = { amount: 5000, currency: 'usd', destination, metadata: { month: '11' } };
    const key = { idempotencyKey: 'payout_2026-11_prt_1' };
    const transfer = await stripe.transfers.create(params, key);
    const replayed = await stripe.transfers.create(params, key);
    expect(replayed.id).toBe(transfer.id);
    expect(replayed.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect((await stripe.transfers.list({ destination })).data).toHaveLength(1);
    expect((await stripe.transfers.list({ transfer_group: 'another' })).data).toHaveLength(0);
    await stripe.transfers.createReversal(transfer.id, { amount: 2000 });
    await expect(stripe.transfers.createReversal(transfer.id, { amount: 3001 })).rejects.toMatchObject({
      param: 'amount',
    });
    await stripe.transfers.createReversal(transfer.id);
    expect(await stripe.transfers.retrieve(transfer.id)).toMatchObject({
      reversed: true,
      amount_reversed: 5000,
    });
    await expect(stripe.transfers.create({ ...params, destination: 'partner' })).rejects.toMatchObject({
      param: 'destination',
    });
  });

  test('money moves between the balances of the platform, the account and its bank', async () => {
    const destination = await newAccount();
    await control({ balance: 7000 });
    const available = async () => (await stripe.balance.retrieve()).available[0]?.amount;
    const params = { amount: 5000, currency: 'usd', destination };
    const transfer = await stripe.transfers.create(params);
    expect(await available()).toBe(2000);
    const again = stripe.transfers.create(params, { idempotencyKey: 'again' });
    await expect(again).rejects.toMatchObject({ code: 'balance_insufficient' });
    // Also once there is enough: Stripe repeats its answer to a key.
    await control({ balance: 7000 });
    const repeated = stripe.transfers.create(params, { idempotencyKey: 'again' });
    await expect(repeated).rejects.toMatchObject({ code: 'balance_insufficient' });
    await control({ bank_payout: { account: destination, outcome: 'paid' } });
    const { data } = await stripe.payouts.list({}, { stripeAccount: destination });
    expect(data).toMatchObject([{ amount: 5000, status: 'paid' }]);
    await expect(stripe.transfers.createReversal(transfer.id)).rejects.toMatchObject({
      code: 'balance_insufficient',
    });
    expect(types()).toEqual([
      ...['capability.updated', 'account.updated', 'transfer.created', 'payout.paid'],
    ]);
    expect(heard.map(({ account }) => account ?? null)).toEqual([
      destination,
      destination,
      null,
      destination,
    ]);
  });

  test('only an account that is active receives transfers, and one that was disconnected is unknown', async () => {
    const { id: destination } = await stripe.accounts.create(recipient);
    const params = { amount: 5000, currency: 'usd', destination };
    await expect(stripe.transfers.create(params)).rejects.toMatchObject({
      code: 'insufficient_capabilities_for_transfer',
    });
    await expect(stripe.accounts.createLoginLink(destination)).rejects.toThrow(
      'has not completed onboarding',
    );
    await control({ connect_account: { id: destination, state: 'restricted', due: ['external_account'] } });
    expect(await stripe.accounts.retrieve(destination)).toMatchObject({
      capabilities: { transfers: 'inactive' },
      requirements: { currently_due: ['external_account'] },
    });
    await control({ connect_account: { id: destination, state: 'deauthorized' } });
    await expect(stripe.accounts.retrieve(destination)).rejects.toMatchObject({ code: 'account_invalid' });
    await expect(stripe.transfers.create(params)).rejects.toMatchObject({ code: 'resource_missing' });
  });

  test('the onboarding and the account are pages in both languages', async () => {
    const { id: account } = await stripe.accounts.create(recipient);
    const pages = { return_url: 'https://svc.example/back', refresh_url: 'https://svc.example/again' };
    const { url } = await stripe.accountLinks.create({ account, type: 'account_onboarding', ...pages });
    const read = async (page: string, language: string) =>
      (await fetch(page, { headers: { 'accept-language': language } })).text();
    expect(await read(url, 'en')).toContain('Leave an identity document due');
    expect(await read(url, 'de')).toContain('Ein Ausweisdokument schuldig bleiben');
    await fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ answer: 'finish' }) });
    const login = await stripe.accounts.createLoginLink(account);
    expect(await read(login.url, 'en')).toContain('You can receive payouts.');
  });
});

describe('disputes and warnings', () => {
  const bought = async (number: string) => {
    const session = await stripe.checkout.sessions.create(order);
    await pay(session, byCard(number));
    return String((await stripe.checkout.sessions.retrieve(session.id)).payment_intent);
  };

  test('a dispute is listed and decided', async () => {
    const payment_intent = await bought('4000000000000259');
    const list = async () => (await stripe.disputes.list({ payment_intent })).data;
    const [dispute] = await list();
    expect(dispute).toMatchObject({ status: 'needs_response' });
    await control({ move_dispute: { id: dispute?.id, status: 'won' } });
    expect(await list()).toMatchObject([{ status: 'won' }]);
  });

  test('an inquiry does not dispute the charge', async () => {
    const payment_intent = await bought('4000000000001976');
    const [inquiry] = (await stripe.disputes.list({ payment_intent })).data;
    expect(inquiry?.status).toBe('warning_needs_response');
    const intent = await stripe.paymentIntents.retrieve(payment_intent, { expand: ['latest_charge'] });
    expect((intent.latest_charge as Stripe.Charge).disputed).toBe(false);
  });

  test('a fraud warning is actionable until the payment is refunded', async () => {
    const payment_intent = await bought('4000000000005423');
    const list = async () => (await stripe.radar.earlyFraudWarnings.list({ payment_intent })).data;
    expect(await list()).toMatchObject([{ actionable: true }]);
    await stripe.refunds.create({ payment_intent });
    expect(await list()).toMatchObject([{ actionable: false }]);
  });
});

test('payment method domains are created and validated', async () => {
  const { id } = await stripe.paymentMethodDomains.create({ domain_name: 'app.example.com' });
  expect(await stripe.paymentMethodDomains.validate(id)).toMatchObject({ apple_pay: { status: 'active' } });
});

describe('every failure raises its error class in the SDK', () => {
  const once = connect(SECRET_KEY, { maxNetworkRetries: 0 });
  test.each<[string, object, abstract new (...given: never[]) => Error]>([
    ['429', { status: 429 }, Stripe.errors.StripeRateLimitError],
    ['500', { status: 500 }, Stripe.errors.StripeAPIError],
    ['503', { status: 503 }, Stripe.errors.StripeAPIError],
  ])('%s', async (_, fail_next, kind) => {
    await control({ fail_next });
    await expect(once.customers.create({})).rejects.toBeInstanceOf(kind);
    expect(await once.customers.create({})).toMatchObject({ object: 'customer' });
  });

  test('the SDK retries a temporary failure, and the call takes effect once', async () => {
    await control({ fail_next: { status: 500, times: 2, path: 'customers' } });
    expect(await stripe.customers.create({})).toMatchObject({ object: 'customer' });
  });

  test('a wrong key, a wrong parameter, a reused idempotency key, no server', async () => {
    await expect(connect('sk_test_wrong').customers.create({})).rejects.toBeInstanceOf(
      Stripe.errors.StripeAuthenticationError,
    );
    await expect(stripe.customers.create({ email: 'no' })).rejects.toBeInstanceOf(
      Stripe.errors.StripeInvalidRequestError,
    );
    const key = { idempotencyKey: 'same' };
    await stripe.customers.create({ email: 'ann@example.com' }, key);
    await expect(stripe.customers.create({ email: 'bob@example.com' }, key)).rejects.toBeInstanceOf(
      Stripe.errors.StripeIdempotencyError,
    );
    const unreachable = connect(SECRET_KEY, { port: 9, maxNetworkRetries: 0 });
    await expect(unreachable.customers.create({})).rejects.toBeInstanceOf(
      Stripe.errors.StripeConnectionError,
    );
  });
});

test('webhooks can be held and delivered newest first', async () => {
  await control({ webhooks: 'hold' });
  await pay(await stripe.checkout.sessions.create(order), byCard('4242424242424242'));
  expect(types()).toEqual([]);
  await control({ deliver: 'newest_first' });
  expect(types()).toEqual(['checkout.session.completed', 'payment_intent.succeeded']);
});

test('a reset deletes everything', async () => {
  const { id } = await stripe.checkout.sessions.create(order);
  await control({ reset: true });
  await expect(stripe.checkout.sessions.retrieve(id)).rejects.toMatchObject({ code: 'resource_missing' });
});
