import { setTimeout as pause } from 'node:timers/promises';
import { listenOnLoopback, readBody } from '@/server/sandbox/loopback-server';
import { startSandboxPayments } from '@/server/sandbox/payments/server';
import type { Tally } from './tally';

/** The processor stands outside both servers; its events reach them twice, late, in any order or not at all. */

export const PROCESSOR_KEY = 'sk_test_simulation';
export const PROCESSOR_WEBHOOK_SECRET = 'whsec_simulation';
const LONGEST_DELAY_MS = 1_500;

export type Payments = { url: string; finish: () => Promise<void>; close: () => Promise<void> };

export async function startPayments(
  random: () => number,
  tally: Tally,
  addresses: () => string[],
): Promise<Payments> {
  const underway = new Set<Promise<void>>();
  const relay = await listenOnLoopback(async (request, response) => {
    const body = await readBody(request);
    const signature = String(request.headers['stripe-signature']);
    for (const delayMs of planDelivery(random, tally)) {
      const targets = addresses();
      const target = targets[Math.floor(random() * targets.length)] ?? '';
      const delivery = deliver(target, body, signature, delayMs).finally(() => underway.delete(delivery));
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

/** When each copy of an event is delivered; none for an event that is lost. */
function planDelivery(random: () => number, tally: Tally): number[] {
  const dice = random();
  const later = () => Math.floor(random() * LONGEST_DELAY_MS);
  if (dice < 0.1) {
    tally.fault('payment event lost');
    return [];
  }
  if (dice < 0.4) {
    tally.fault('payment event duplicated');
    return [0, 0, later()];
  }
  if (dice < 0.7) {
    tally.fault('payment event delayed, reordered');
    return [later()];
  }
  return [0];
}

async function deliver(target: string, body: string, signature: string, delayMs: number): Promise<void> {
  await pause(delayMs);
  await fetch(`${target}/api/stripe`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    signal: AbortSignal.timeout(5_000),
  })
    .then((response) => response.body?.cancel())
    .catch(() => {});
}
