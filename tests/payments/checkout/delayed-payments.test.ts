import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { newDatabase } from '../../harness';

/** Payments that a bank confirms later: the form is complete before the money arrives. */

await newDatabase();
const processor = await startProcessor();
Object.assign(process.env, {
  STRIPE_SECRET_KEY: 'sk_test_delayed',
  STRIPE_WEBHOOK_SECRET: 'whsec_delayed',
  STRIPE_API_BASE: processor.url,
});
const { fulfil } = await import('@/server/payments/checkout/fulfil');
const { createPartner } = await import('@/server/partners/partner');
const { newUserKey } = await import('./checkout-world');
const { id: partnerId, publishableKey } = await createPartner({ name: 'Notes', rateBp: 0, origins: [] });

/** Returns one session for every read, in the state that the test sets. */
async function startProcessor() {
  const script = { session: {} as object };
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(script.session));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => server.close());
  return { script, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function startPayment(id: string): Promise<void> {
  const { userId } = await newUserKey({ id: partnerId, publishableKey }, `${id}@example.com`);
  const expiresAt = new Date(Date.UTC(2100, 0));
  const order = { currency: 'eur', amountMinor: 1000, rate: '1', credits: 1_000_000_000n };
  await prisma().checkoutSession.create({
    data: { id, userId, partnerId, expiresAt, processorSessionId: `cs_${id}`, ...order },
  });
}

function scriptSession(id: string, payment_status: string, intent: object): void {
  processor.script.session = {
    id: `cs_${id}`,
    object: 'checkout.session',
    mode: 'payment',
    status: 'complete',
    payment_status,
    currency: 'eur',
    amount_total: 1000,
    client_reference_id: id,
    metadata: { checkout_session: id },
    payment_intent: { id: 'pi_1', object: 'payment_intent', last_payment_error: null, ...intent },
  };
}

test('a payment that the bank has not confirmed is processing, and is credited once confirmed', async () => {
  await startPayment('cks_agreed');
  scriptSession('cks_agreed', 'unpaid', { status: 'processing' });
  expect(await fulfil('cks_agreed')).toMatchObject({ status: 'processing' });
  expect(await fulfil('cks_agreed')).toMatchObject({ status: 'processing' });
  expect(await prisma().purchase.count()).toBe(0);
  scriptSession('cks_agreed', 'paid', { status: 'succeeded' });
  expect(await fulfil('cks_agreed')).toMatchObject({ status: 'completed' });
  expect(await prisma().purchase.count()).toBe(1);
});

test('a payment that the bank refuses fails permanently, with the reason', async () => {
  await startPayment('cks_refused');
  scriptSession('cks_refused', 'unpaid', { status: 'processing' });
  await fulfil('cks_refused');
  const last_payment_error = { code: 'card_declined', decline_code: 'insufficient_funds' };
  scriptSession('cks_refused', 'unpaid', { status: 'requires_payment_method', last_payment_error });
  expect(await fulfil('cks_refused')).toMatchObject({
    status: 'failed',
    failure: 'insufficient_funds',
  });
  scriptSession('cks_refused', 'paid', { status: 'succeeded' });
  expect(await fulfil('cks_refused')).toMatchObject({ status: 'failed' });
});

test('a session of another payment credits nothing', async () => {
  await startPayment('cks_mixed');
  scriptSession('cks_somebody_else', 'paid', { status: 'succeeded' });
  expect(await fulfil('cks_mixed')).toMatchObject({ status: 'failed' });
});

test('the decline of a stolen card does not reveal the reason', async () => {
  await startPayment('cks_stolen');
  scriptSession('cks_stolen', 'unpaid', {
    status: 'requires_payment_method',
    last_payment_error: { code: 'card_declined', decline_code: 'stolen_card' },
  });
  expect((await fulfil('cks_stolen'))?.failure).toBe('declined');
});
