import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { request } from 'undici';
import { listenOnLoopback, readBody } from '@/sandbox/loopback-server';
import { startSandboxPayments } from '@/sandbox/payments/server';
import type { Tally } from './tally';

/**
 * The processor runs outside both servers. Its events reach them twice, late, in any order; events of a
 * payment possibly never, since a sweep finds those. It repeats a refund until it is received.
 */

export const PROCESSOR_KEY = 'sk_test_simulation';
export const PROCESSOR_WEBHOOK_SECRET = 'whsec_simulation';
const LONGEST_DELAY_MS = 1_500;
const REPEAT_AFTER_MS = 300;
const MAX_ATTEMPTS = 100;

export type Payments = { url: string; finish: () => Promise<void>; close: () => Promise<void> };

export async function startPayments(
  random: () => number,
  tally: Tally,
  addresses: () => string[],
): Promise<Payments> {
  const underway = new Set<Promise<void>>();
  const relay = await listenOnLoopback(async (incoming, response) => {
    const body = await readBody(incoming);
    const signature = String(incoming.headers['stripe-signature']);
    const mayBeLost = String(JSON.parse(body).type).startsWith('checkout.');
    for (const delayMs of planDelivery(random, tally, mayBeLost)) {
      const plan = {
        addresses: addresses(),
        body,
        signature,
        delayMs,
        attempts: mayBeLost ? 1 : MAX_ATTEMPTS,
      };
      const first = Math.floor(random() * plan.addresses.length);
      const delivery = deliver(plan, first).finally(() => underway.delete(delivery));
      underway.add(delivery);
    }
    response.writeHead(200).end();
  });
  const processor = await startSandboxPayments({
    secretKey: PROCESSOR_KEY,
    webhookUrl: relay.url,
    webhookSecret: PROCESSOR_WEBHOOK_SECRET,
    store: { load: async () => [], save: async () => {}, clear: async () => {} },
  });
  return {
    url: processor.url,
    finish: async () => void (await Promise.all(underway)),
    close: async () => void (await Promise.all([processor.close(), relay.close()])),
  };
}

/** When each copy of an event is delivered; empty for an event that is lost. */
function planDelivery(random: () => number, tally: Tally, mayBeLost: boolean): number[] {
  const chance = random();
  const later = () => Math.floor(random() * LONGEST_DELAY_MS);
  if (mayBeLost && chance < 0.1) {
    tally.fault('payment event lost');
    return [];
  }
  if (chance < 0.4) {
    tally.fault('payment event duplicated');
    return [0, 0, later()];
  }
  if (chance < 0.7) {
    tally.fault('payment event delayed, reordered');
    return [later()];
  }
  return [0];
}

type Delivery = { addresses: string[]; body: string; signature: string; delayMs: number; attempts: number };

/** Either server will do: the next attempt goes to the other one. */
async function deliver(
  { addresses, body, signature, delayMs, attempts }: Delivery,
  first: number,
): Promise<void> {
  await pause(delayMs);
  for (let n = 0; n < attempts; n++) {
    const target = addresses[(first + n) % addresses.length] ?? '';
    if (await isReceived(target, body, signature)) return;
    await pause(REPEAT_AFTER_MS);
  }
}

/** Without `fetch`, whose body never ends if its deadline passes as a compressed response begins. */
async function isReceived(target: string, body: string, signature: string): Promise<boolean> {
  try {
    const response = await request(`${target}/api/stripe`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      signal: AbortSignal.timeout(5_000),
    });
    await response.body.dump();
    return response.statusCode < 300;
  } catch {
    return false;
  }
}

/** The processor as its own support staff sees it: for refunds. */
export function openProcessor(payments: Payments | undefined): Stripe {
  const { hostname, port } = new URL(payments?.url ?? '');
  return new Stripe(PROCESSOR_KEY, { host: hostname, port, protocol: 'http', telemetry: false });
}

/** Lets the bank open, move and decide disputes. */
export function controlProcessor(payments: Payments | undefined): (command: object) => Promise<void> {
  return async (command) => {
    const response = await fetch(`${payments?.url}/__sandbox/control`, {
      method: 'POST',
      body: JSON.stringify(command),
    });
    if (!response.ok) throw new Error(`The processor refused: ${await response.text()}`);
  };
}
