import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LoopbackServer } from '@/sandbox/loopback-server';
import { type SandboxPaymentsOptions, startSandboxPayments } from '@/sandbox/payments/server';
import { sandboxStripe } from '../harness/sandbox-stripe';

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
  await sandbox.close();
  receiver.close();
});

async function start(): Promise<void> {
  sandbox = await startSandboxPayments(options);
  stripe = connect(SECRET_KEY);
}

const connect = (key: string) => sandboxStripe(sandbox.url, key);

const ITEM = {
  quantity: 1,
  price_data: { currency: 'usd', unit_amount: 1000, product_data: { name: '1,000 credits' } },
};
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
    [
      'a missing success_url',
      { ...hosted(), success_url: undefined },
      { code: 'parameter_missing', param: 'success_url' },
    ],
  ])('refuses %s', async (_, parameters, expected) => {
    const error = await refusal(stripe.checkout.sessions.create(parameters));
    expect(error).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError);
    expect(error).toMatchObject({ statusCode: 400, ...expected });
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

  test('a wrong key does not appear in the error', async () => {
    const denied = await refusal(connect('sk_test_other').checkout.sessions.create(hosted()));
    expect(denied.message).not.toContain('sk_test_other');
  });

  test('refuses to start with a key that is not a test key', async () => {
    await expect(startSandboxPayments({ ...options, secretKey: 'sk_live_1' })).rejects.toThrow('sk_test_');
  });
});

describe('paying', () => {
  test('submitting twice in parallel pays once', async () => {
    const session = await stripe.checkout.sessions.create(embedded());
    const results = await Promise.all([submit(session, CARD), submit(session, CARD), submit(session, CARD)]);
    expect(results.map((result) => result.status)).toEqual(['complete', 'complete', 'complete']);
    await receive('payment_intent.succeeded', 'checkout.session.completed');
    expect([...stored.keys()].filter((id) => id.startsWith('ch_'))).toHaveLength(1);
  });

  test('the page shows amount and product, escaped, and notifies only the given parent origin', async () => {
    const item = { ...ITEM, price_data: { ...ITEM.price_data, product_data: { name: '<b>Credits</b>' } } };
    const session = await stripe.checkout.sessions.create(embedded({ line_items: [item] }));
    const page = async (origin: string) =>
      (await fetch(`${sandbox.url}${pagePath(session)}?parent_origin=${encodeURIComponent(origin)}`)).text();
    const html = await page('https://pay.example');
    expect(html).toContain('Pay $10<');
    expect(html).toContain('&#60;b&#62;Credits');
    expect(html).not.toContain('<b>Credits');
    expect(html).toContain('data-parent="https://pay.example"');
    for (const bad of ['*', 'null', 'javascript:alert(1)', 'https://pay.example/path'])
      expect(await page(bad)).toContain('data-parent=""');
  });

  test('an unknown page is 404', async () => {
    expect((await fetch(`${sandbox.url}/pay/cs_test_no`)).status).toBe(404);
    const session = await stripe.checkout.sessions.create(embedded());
    expect((await fetch(`${sandbox.url}/pay/${session.id}`)).status).toBe(404);
    expect((await fetch(`${sandbox.url}/embed/${session.id}_secret_wrong`)).status).toBe(404);
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

test('no web page controls the sandbox @attack', async () => {
  const headers = { origin: 'https://evil.example' };
  const response = await fetch(`${sandbox.url}/__sandbox/control`, { method: 'POST', headers, body: '{}' });
  expect(response.status).toBe(403);
});
