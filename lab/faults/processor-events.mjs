// @ts-check
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { query } from '../bench/product-database.mjs';

/**
 * Payments whose events arrive twice, in the wrong order, at both instances at once, or not at all.
 *
 * @typedef {import('./world.mjs').World} World
 */

const PAYMENTS = 20;
/** Of these, every event is lost. The service asks the processor after 30 seconds. */
const LOST = 5;
const AMOUNT = 5;
const CREDITS = AMOUNT * 100 * 1e6;
const TIMES = 5;
const PATIENCE_MS = 90_000;
const POLL_MS = 250;
const CARD = { number: '4242424242424242', expiry: '12/40', cvc: '123', name: 'A Buyer' };

/** @param {World} world */
export async function muddleEvents(world) {
  const processor = await shareProcessor(world);
  await processor.control({ webhooks: 'drop' });
  const lost = await Promise.all(Array.from({ length: LOST }, (_, n) => pay(world, n)));
  await processor.control({ webhooks: 'hold' });
  const held = await Promise.all(Array.from({ length: PAYMENTS - LOST }, (_, n) => pay(world, LOST + n)));
  const events = (await processor.listEvents())
    .filter(({ delivery }) => delivery.state === 'pending')
    .map(({ event }) => event)
    .reverse();
  for (let n = 0; n < TIMES; n += 1)
    await Promise.all(events.flatMap((event) => [0, 1].map((to) => processor.send(event, to))));
  await processor.control({ webhooks: 'on' });
  const beganMs = performance.now();
  const database = { pid: 0, url: world.databaseUrl };
  const sessions = [...lost, ...held];
  const readPurchases = () =>
    query(
      database,
      'SELECT session_id, credits::float8 AS credits FROM purchase WHERE session_id = ANY($1)',
      [sessions],
    );
  while ((await readPurchases()).length < PAYMENTS && performance.now() - beganMs < PATIENCE_MS)
    await sleep(POLL_MS);
  const seconds = ((performance.now() - beganMs) / 1_000).toFixed(0);
  const [{ booked }] = await query(
    database,
    "SELECT count(*)::int AS booked FROM ledger_transaction WHERE kind = 'purchase' AND cause_id = ANY($1)",
    [sessions],
  );
  const purchases = await readPurchases();
  await world.restart(1);
  if (purchases.length !== PAYMENTS || booked !== PAYMENTS)
    throw new Error(`${PAYMENTS} payments became ${purchases.length} purchases and ${booked} bookings`);
  if (purchases.some(({ credits }) => credits !== CREDITS)) throw new Error('a purchase has other credits');
  return `${events.length} events sent ${TIMES} times to both instances, newest first: each of ${PAYMENTS} payments was booked once, also the ${LOST} whose events were lost, after ${seconds} s`;
}

/** Lets the second instance use the processor of the first one. @param {World} world */
async function shareProcessor(world) {
  const file = path.join(world.instance(0).env.DATA_DIR ?? '', 'sandbox-payments.json');
  const { secretKey, webhookSecret, port } = JSON.parse(readFileSync(file, 'utf8'));
  const origin = `http://127.0.0.1:${port}`;
  await world.restart(1, {
    STRIPE_API_BASE: origin,
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_PUBLISHABLE_KEY: 'pk_test_sandbox',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
  });
  return {
    control: (/** @type {object} */ command) => postJson(`${origin}/__sandbox/control`, command),
    /** @returns {Promise<{ event: object, delivery: { state: string } }[]>} */
    listEvents: async () => (await (await fetch(`${origin}/__sandbox/events`)).json()).events,
    send: async (/** @type {object} */ event, /** @type {number} */ to) => {
      const payload = JSON.stringify(event);
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
      const response = await fetch(`${world.instance(to).origin}/api/stripe`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'stripe-signature': signature },
        body: payload,
      });
      await response.arrayBuffer();
    },
  };
}

/** Buys at the first instance, and returns the id of the session. @param {World} world @param {number} n @returns {Promise<string>} */
async function pay(world, n) {
  const started = await postJson(
    `${world.instance(0).origin}/v1/credits/checkout`,
    { amount: AMOUNT },
    { authorization: `Bearer ${world.keys[n % world.keys.length]}` },
  );
  const paid = await postJson(started.checkout_url, CARD);
  if (paid.status !== 'complete') throw new Error(`a payment ended with ${JSON.stringify(paid)}`);
  return started.session_id;
}

/** @param {string} url @param {object} body @param {Record<string, string>} [headers] */
async function postJson(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
