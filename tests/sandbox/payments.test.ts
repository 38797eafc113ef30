import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LoopbackServer } from '@/sandbox/loopback-server';
import { type SandboxPaymentsOptions, startSandboxPayments } from '@/sandbox/payments/server';
import { MINUTE_MS, now, setClock } from '@/server/base/clock';

const SECRET_KEY = 'sk_test_sandbox';
const WEBHOOK_SECRET = 'whsec_sandbox';
const CARD = { number: '4242 4242 4242 4242', expiry: '12 / 40', cvc: '123', name: 'Ann Example' };

/** A receiver that verifies each webhook as the product does. */
class Receiver {
  events: Stripe.Event[] = [];
  chooseStatus: (count: number) => number = () => 200;
  private calls = 0;
  private readonly server: Server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const event = Stripe.webhooks.constructEvent(
      Buffer.concat(parts),
      request.headers['stripe-signature'] ?? '',
      WEBHOOK_SECRET,
    );
    const status = this.chooseStatus(this.calls++);
    if (status < 300) this.events.push(event);
    response.writeHead(status).end();
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/webhooks`;
  }

  get types(): string[] {
    return this.events.map((event) => event.type);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

let receiver: Receiver;
let sandbox: LoopbackServer;
let stripe: Stripe;
let stored: Map<string, string>;
let options: SandboxPaymentsOptions;

beforeEach(async () => {
  receiver = new Receiver();
  stored = new Map();
  options = {
    secretKey: SECRET_KEY,
    webhookSecret: WEBHOOK_SECRET,
    webhookUrl: await receiver.start(),
    webhookRetryDelaysMs: [10, 10, 10],
    store: {
      load: async () => [...stored].map(([id, body]) => ({ id, body: JSON.parse(body) as unknown })),
      save: async (id, body) => void stored.set(id, JSON.stringify(body)),
      clear: async () => stored.clear(),
    },
  };
  await start();
});

afterEach(async () => {
  setClock();
  await sandbox.close();
  receiver.close();
});

async function start(): Promise<void> {
  sandbox = await startSandboxPayments(options);
  stripe = connect(SECRET_KEY);
}

const connect = (key: string) => {
  const { hostname, port } = new URL(sandbox.url);
  return new Stripe(key, { host: hostname, port, protocol: 'http', telemetry: false });
};

const ITEM = {
  quantity: 1,
  price_data: { currency: 'usd', unit_amount: 1000, product_data: { name: '1,000 credits' } },
};
const TAXED = { ...ITEM, price_data: { ...ITEM.price_data, tax_behavior: 'inclusive' } };
const hosted = (extra: Stripe.Checkout.SessionCreateParams = {}): Stripe.Checkout.SessionCreateParams => ({
  mode: 'payment',
  line_items: [ITEM],
  success_url: 'https://shop.example/done?session={CHECKOUT_SESSION_ID}',
  cancel_url: 'https://shop.example/cancel',
  ...extra,
});
const embedded = (extra: Stripe.Checkout.SessionCreateParams = {}): Stripe.Checkout.SessionCreateParams => ({
  mode: 'payment',
  ui_mode: 'embedded_page',
  redirect_on_completion: 'never',
  line_items: [ITEM],
  ...extra,
});

const pagePath = (session: Stripe.Checkout.Session) =>
  session.client_secret === null ? `/pay/${session.id}` : `/embed/${session.client_secret}`;

async function submit(session: Stripe.Checkout.Session, body: object) {
  const response = await fetch(sandbox.url + pagePath(session), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { status: string; [name: string]: unknown };
}

const control = (command: object) =>
  fetch(`${sandbox.url}/__sandbox/control`, { method: 'POST', body: JSON.stringify(command) });
const receive = (...types: string[]) =>
  expect.poll(() => [...receiver.types].sort()).toEqual([...types].sort());
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('was not refused'),
    (error: Stripe.errors.StripeError) => error,
  );

describe('checkout sessions', () => {
  test('a hosted session has a URL, an embedded one a client secret', async () => {
    const page = await stripe.checkout.sessions.create(
      hosted({ client_reference_id: 'cks_1', metadata: { payment: 'cks_1' } }),
    );
    expect(page).toMatchObject({
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      ui_mode: 'hosted_page',
      amount_total: 1000,
      currency: 'usd',
      client_secret: null,
      client_reference_id: 'cks_1',
      metadata: { payment: 'cks_1' },
      payment_intent: null,
    });
    expect(page.id).toMatch(/^cs_test_/);
    expect(page.url).toContain(`${sandbox.url}/pay/${page.id}#`);
    expect(page.lastResponse.requestId).toMatch(/^req_/);

    const frame = await stripe.checkout.sessions.create(embedded());
    expect(frame).toMatchObject({
      url: null,
      redirect_on_completion: 'never',
      client_secret: expect.stringContaining(`${frame.id}_secret_`),
    });
    expect(await stripe.checkout.sessions.retrieve(frame.id)).toMatchObject({ id: frame.id, status: 'open' });
  });

  test.each<[string, object, object]>([
    [
      'an unknown parameter',
      hosted({ colour: 'red' } as never),
      { code: 'parameter_unknown', param: 'colour' },
    ],
    [
      'an unknown nested parameter',
      hosted({ line_items: [{ ...ITEM, price_data: { ...ITEM.price_data, vat: 1 } as never }] }),
      { code: 'parameter_unknown', param: 'line_items[0][price_data][vat]' },
    ],
    ['the old ui_mode', hosted({ ui_mode: 'embedded' }), { param: 'ui_mode' }],
    [
      'success_url with embedded_page',
      embedded({ success_url: 'https://shop.example' }),
      { param: 'success_url' },
    ],
    [
      'return_url with redirect never',
      embedded({ return_url: 'https://shop.example' }),
      { param: 'return_url' },
    ],
    [
      'embedded_page without return_url',
      embedded({ redirect_on_completion: 'if_required' }),
      { code: 'parameter_missing', param: 'return_url' },
    ],
    ['a missing mode', { ...hosted(), mode: undefined }, { code: 'parameter_missing', param: 'mode' }],
    [
      'a missing success_url',
      { ...hosted(), success_url: undefined },
      { code: 'parameter_missing', param: 'success_url' },
    ],
    [
      'an amount under the minimum',
      hosted({ line_items: [{ ...ITEM, price_data: { ...ITEM.price_data, unit_amount: 49 } }] }),
      { code: 'amount_too_small' },
    ],
    [
      'a fractional amount',
      hosted({ line_items: [{ ...ITEM, price_data: { ...ITEM.price_data, unit_amount: 10.5 } }] }),
      { code: 'parameter_invalid_integer' },
    ],
    [
      'a lifetime that is too short',
      hosted({ expires_at: Math.floor(now() / 1000) + 60 }),
      { param: 'expires_at' },
    ],
    [
      'a flag that is neither true nor false',
      hosted({ invoice_creation: { enabled: 'yes' as never } }),
      { param: 'invoice_creation[enabled]' },
    ],
    [
      'an update without a customer',
      hosted({ customer_update: { name: 'auto' } }),
      { param: 'customer_update' },
    ],
    [
      'a tax id for a customer whose name is not updated',
      hosted({ customer: 'cus_1', tax_id_collection: { enabled: true } }),
      { param: 'tax_id_collection' },
    ],
    [
      'tax for a customer whose address is not updated',
      hosted({ customer: 'cus_1', automatic_tax: { enabled: true }, line_items: [TAXED] }),
      { code: 'customer_tax_location_invalid', param: 'automatic_tax' },
    ],
    [
      'tax on a price that does not say it includes tax',
      hosted({ automatic_tax: { enabled: true } }),
      { param: 'line_items[0][price_data][tax_behavior]' },
    ],
  ])('refuses %s', async (_, parameters, expected) => {
    const error = await refusal(stripe.checkout.sessions.create(parameters));
    expect(error).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError);
    expect(error).toMatchObject({ statusCode: 400, ...expected });
  });

  test('an open session can be expired once, which sends an event', async () => {
    const session = await stripe.checkout.sessions.create(hosted());
    expect(await stripe.checkout.sessions.expire(session.id)).toMatchObject({ status: 'expired', url: null });
    expect(await refusal(stripe.checkout.sessions.expire(session.id))).toMatchObject({ statusCode: 400 });
    await receive('checkout.session.expired');
  });

  test('a session expires by the clock and then takes no payment', async () => {
    const session = await stripe.checkout.sessions.create(
      hosted({ expires_at: Math.floor(now() / 1000) + 31 * 60 }),
    );
    const later = now() + 32 * MINUTE_MS;
    setClock(() => later);
    expect(await submit(session, CARD)).toMatchObject({ status: 'expired' });
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: 'expired' });
  });
});

describe('every call', () => {
  test('the same idempotency key replays the stored response', async () => {
    const first = await stripe.checkout.sessions.create(hosted(), { idempotencyKey: 'ps_1' });
    const second = await stripe.checkout.sessions.create(hosted(), { idempotencyKey: 'ps_1' });
    expect(second.id).toBe(first.id);
    expect(second.lastResponse.headers['idempotent-replayed']).toBe('true');
    const error = await refusal(
      stripe.checkout.sessions.create(hosted({ locale: 'de' }), { idempotencyKey: 'ps_1' }),
    );
    expect(error).toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
  });

  test('a refused request does not use up its key', async () => {
    await refusal(stripe.checkout.sessions.create(hosted({ ui_mode: 'custom' }), { idempotencyKey: 'ps_2' }));
    expect(await stripe.checkout.sessions.create(hosted(), { idempotencyKey: 'ps_2' })).toMatchObject({
      status: 'open',
    });
  });

  test('a wrong key does not appear in the error', async () => {
    const denied = await refusal(connect('sk_test_other').checkout.sessions.create(hosted()));
    expect(denied.message).not.toContain('sk_test_other');
  });

  test('refuses to start with a key that is not a test key', async () => {
    await expect(startSandboxPayments({ ...options, secretKey: 'sk_live_1' })).rejects.toThrow('sk_test_');
  });
});

describe('paying', () => {
  test('the test card pays and sends signed events', async () => {
    const session = await stripe.checkout.sessions.create(
      hosted({ payment_intent_data: { description: '1,000 credits', metadata: { payment: 'cks_1' } } }),
    );
    expect(await submit(session, CARD)).toEqual({
      status: 'complete',
      redirect_to: `https://shop.example/done?session=${session.id}`,
    });
    const paid = await stripe.checkout.sessions.retrieve(session.id, {
      expand: ['payment_intent.latest_charge'],
    });
    expect(paid).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      url: null,
      payment_intent: {
        status: 'succeeded',
        amount: 1000,
        amount_received: 1000,
        description: '1,000 credits',
        metadata: { payment: 'cks_1' },
        latest_charge: { object: 'charge', paid: true, payment_method_details: { card: { last4: '4242' } } },
      },
    });
    await receive('payment_intent.succeeded', 'checkout.session.completed');
    const completed = receiver.events.find((event) => event.type === 'checkout.session.completed');
    expect(completed).toMatchObject({
      api_version: Stripe.API_VERSION,
      data: { object: { id: session.id, payment_status: 'paid' } },
    });
  });

  test('submitting twice in parallel pays once', async () => {
    const session = await stripe.checkout.sessions.create(embedded());
    const results = await Promise.all([submit(session, CARD), submit(session, CARD), submit(session, CARD)]);
    expect(results.map((result) => result.status)).toEqual(['complete', 'complete', 'complete']);
    await receive('payment_intent.succeeded', 'checkout.session.completed');
    expect([...stored.keys()].filter((id) => id.startsWith('ch_'))).toHaveLength(1);
  });

  test.each([
    ['4000000000000002', 'generic_decline', 'Your card was declined.'],
    ['4000000000009995', 'insufficient_funds', 'insufficient funds'],
    ['4000000000000069', 'expired_card', 'expired'],
    ['4000000000000127', 'incorrect_cvc', 'security code is incorrect'],
  ])('card %s is declined with %s and the session stays open', async (number, declineCode, message) => {
    const session = await stripe.checkout.sessions.create(embedded());
    expect(await submit(session, { ...CARD, number })).toMatchObject({
      status: 'declined',
      message: expect.stringContaining(message),
    });
    await receive('payment_intent.payment_failed');
    const open = await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] });
    expect(open).toMatchObject({
      status: 'open',
      payment_intent: {
        status: 'requires_payment_method',
        last_payment_error: { decline_code: declineCode },
      },
    });
    expect(await submit(session, CARD)).toMatchObject({ status: 'complete' });
  });

  test('3-D Secure pays when completed and declines when failed', async () => {
    const session = await stripe.checkout.sessions.create(embedded());
    const card = { ...CARD, number: '4000002760003184' };
    expect(await submit(session, card)).toMatchObject({ status: 'challenge', last4: '3184' });
    expect(await submit(session, { challenge: 'fail' })).toMatchObject({ status: 'declined' });
    expect(await submit(session, { challenge: 'complete' })).toMatchObject({ status: 'declined' });
    await submit(session, card);
    expect(await submit(session, { challenge: 'complete' })).toMatchObject({
      status: 'complete',
      redirect_to: null,
    });
  });

  test('invalid fields are named and no payment is attempted', async () => {
    const session = await stripe.checkout.sessions.create(embedded());
    const wrong = await submit(session, {
      number: '4242424242424241',
      expiry: '13 / 40',
      cvc: '1',
      name: ' ',
    });
    expect(wrong).toMatchObject({
      status: 'invalid',
      errors: {
        number: 'Your card number is invalid.',
        expiry: expect.any(String),
        cvc: expect.any(String),
        name: expect.any(String),
      },
    });
    expect(await submit(session, { ...CARD, expiry: '01/2020' })).toMatchObject({
      errors: { expiry: 'The expiry date is in the past.' },
    });
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_intent: null });
  });

  test('the page shows amount and product, escaped, and notifies only the given parent origin', async () => {
    const item = { ...ITEM, price_data: { ...ITEM.price_data, product_data: { name: '<b>Credits</b>' } } };
    const session = await stripe.checkout.sessions.create(embedded({ line_items: [item] }));
    const page = async (origin: string) =>
      (await fetch(`${sandbox.url}${pagePath(session)}?parent_origin=${encodeURIComponent(origin)}`)).text();
    const html = await page('https://pay.example');
    expect(html).toContain('Pay $10.00');
    expect(html).toContain('&lt;b&gt;Credits');
    expect(html).not.toContain('<b>Credits');
    expect(html).toContain('"parentOrigin":"https://pay.example"');
    for (const bad of ['*', 'null', 'javascript:alert(1)', 'https://pay.example/path'])
      expect(await page(bad)).toContain('"parentOrigin":null');
  });

  test('an unknown page is 404', async () => {
    expect((await fetch(`${sandbox.url}/pay/cs_test_no`)).status).toBe(404);
    const session = await stripe.checkout.sessions.create(embedded());
    expect((await fetch(`${sandbox.url}/pay/${session.id}`)).status).toBe(404);
    expect((await fetch(`${sandbox.url}/embed/${session.id}_secret_wrong`)).status).toBe(404);
  });
});

describe('refunds', () => {
  async function pay(): Promise<string> {
    const session = await stripe.checkout.sessions.create(embedded());
    await submit(session, CARD);
    return String((await stripe.checkout.sessions.retrieve(session.id)).payment_intent);
  }

  test('a payment can be refunded in parts, never more than was paid', async () => {
    const payment_intent = await pay();
    const part = await stripe.refunds.create({ payment_intent, amount: 400 });
    expect(part).toMatchObject({ object: 'refund', amount: 400, status: 'succeeded', payment_intent });
    expect(await refusal(stripe.refunds.create({ payment_intent, amount: 601 }))).toMatchObject({
      statusCode: 400,
      param: 'amount',
    });
    expect(await stripe.refunds.create({ payment_intent })).toMatchObject({ amount: 600 });
    expect(await refusal(stripe.refunds.create({ payment_intent }))).toMatchObject({
      code: 'charge_already_refunded',
    });
    expect((await stripe.refunds.list({ payment_intent })).data.map(({ amount }) => amount)).toEqual([
      600, 400,
    ]);
    await expect.poll(() => receiver.types.filter((type) => type === 'refund.created')).toHaveLength(2);
    const refunded = () =>
      receiver.events.flatMap((event) =>
        event.type === 'charge.refunded' ? [event.data.object.amount_refunded] : [],
      );
    await expect.poll(() => refunded().sort()).toEqual([1000, 400]);
  });
});

describe('webhooks', () => {
  const expireOne = async () =>
    stripe.checkout.sessions.expire((await stripe.checkout.sessions.create(hosted())).id);

  test('are retried until they are accepted', async () => {
    receiver.chooseStatus = (count) => (count < 2 ? 500 : 200);
    await expireOne();
    await receive('checkout.session.expired');
  });

  test('fail after the last retry and can be redelivered on demand', async () => {
    receiver.chooseStatus = (count) => (count < 4 ? 500 : 200);
    await expireOne();
    const events = async () =>
      (
        (await (await fetch(`${sandbox.url}/__sandbox/events`)).json()) as {
          events: { event: Stripe.Event; delivery: object }[];
        }
      ).events;
    await expect
      .poll(async () => (await events())[0]?.delivery)
      .toMatchObject({ state: 'failed', attempts: 4, lastError: 'status 500' });
    await control({ redeliver: (await events())[0]?.event.id });
    await receive('checkout.session.expired');
  });

  test('can be held and sent twice', async () => {
    await control({ webhooks: 'hold' });
    await expireOne();
    expect(receiver.types).toEqual([]);
    await control({ webhooks: 'twice' });
    await receive('checkout.session.expired', 'checkout.session.expired');
    expect(new Set(receiver.events.map((event) => event.id)).size).toBe(1);
    expect((await control({ webhooks: 'sometimes' })).status).toBe(400);
  });

  test('survive a restart, like all other state', async () => {
    await control({ webhooks: 'hold' });
    const session = await stripe.checkout.sessions.create(embedded(), { idempotencyKey: 'ps_9' });
    await submit(session, CARD);
    await sandbox.close();
    await start();
    await receive('payment_intent.succeeded', 'checkout.session.completed');
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: 'paid' });
    expect((await stripe.checkout.sessions.create(embedded(), { idempotencyKey: 'ps_9' })).id).toBe(
      session.id,
    );
  });
});
