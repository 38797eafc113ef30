import { afterEach, expect, test, vi } from 'vitest';
import { prisma } from '@/server/base/db';
import { log } from '@/server/base/log';
import { closePaymentAlert, listPaymentsNeedingAttention } from '@/server/payments/checkout/alerts';
import { startOwnPayment } from '@/server/payments/checkout/own-payments';
import { payWithSavedCard } from '@/server/payments/checkout/pay-with-card';
import { newDatabase } from '../../harness';
import { present } from '../../people/account/person';
import { addCard, control, newBuyer } from './cards-world';
import { CheckoutWindow, newUserKey, send, startCheckout } from './checkout-world';

/** Settings that the account at the processor is not set up for: no payment can begin. */

await newDatabase();
Object.assign(process.env, { STRIPE_AUTOMATIC_TAX: 'true', STRIPE_TERMS_OF_SERVICE: 'true' });
const world = await startCheckout();
const UNAVAILABLE = 'Payments are not available right now. The operator has been notified.';
const NO_TAX = { account: { tax_missing: ['head_office'] } };
const NO_TERMS = { account: { has_terms: false } };

afterEach(async () => {
  vi.restoreAllMocks();
  await control(world, { account: {} });
  for (const { id } of await listPaymentsNeedingAttention()) await closePaymentAlert(id);
});

const alerts = async () =>
  (await listPaymentsNeedingAttention()).map(({ kind, detail }) => `${kind} ${detail}`);
const TAX_ALERT =
  'account_not_ready STRIPE_AUTOMATIC_TAX: no payment can begin. Complete the settings (Stripe dashboard: Settings → Tax), or set STRIPE_AUTOMATIC_TAX=false.';
const TERMS_ALERT =
  'account_not_ready STRIPE_TERMS_OF_SERVICE: no payment can begin. Enter the URL of your terms (Stripe dashboard: Settings → Business → Public details), or set STRIPE_TERMS_OF_SERVICE=false.';

let buyers = 0;
async function payInCheckout() {
  const window = await CheckoutWindow.open(world);
  await window.signIn(`unready-${++buyers}@example.com`);
  return window.post('/payments', { amount: 10, currency: 'usd', checkout_mode: 'embedded' });
}

test.each([
  [NO_TAX, TAX_ALERT],
  [NO_TERMS, TERMS_ALERT],
])(
  'without %j a buyer learns that payments are unavailable, and an operator what to do',
  async (state, alert) => {
    await control(world, state);
    const logged = vi.spyOn(log(), 'error');
    const [first, second] = [await payInCheckout(), await payInCheckout()];
    for (const { status, body } of [first, second]) {
      expect(status).toBe(503);
      expect(body).toMatchObject({ error: { type: 'payments_unavailable', message: UNAVAILABLE } });
    }
    expect(await alerts()).toEqual([alert]);
    const lines = logged.mock.calls.filter(([, text]) => text === 'payments are not available');
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).toContain(alert.split(' ')[1]?.replace(':', ''));

    // Dismissed although nothing changed: the next buyer brings it back.
    for (const { id } of await listPaymentsNeedingAttention()) await closePaymentAlert(id);
    await payInCheckout();
    expect(await alerts()).toEqual([alert]);

    await control(world, { account: {} });
    expect((await payInCheckout()).status).toBe(200);
  },
);

test('the account and the API say the same', async () => {
  await control(world, NO_TERMS);
  const { userKey, userId } = await newUserKey(world.app, 'unready-owner@example.com');
  await expect(startOwnPayment(present(userId), { amount: 10, currency: 'usd' })).rejects.toThrow(
    UNAVAILABLE,
  );
  const order = { amount: 10, currency: 'usd' };
  const byApi = await send(`${world.url}/v1/credits/checkout`, 'POST', { 'x-user-key': userKey }, order);
  expect(byApi).toMatchObject({ status: 503, body: { error: { type: 'payments_unavailable' } } });
  expect(await alerts()).toEqual([TERMS_ALERT]);
});

test('a saved card is not charged without tax', async () => {
  const buyer = await newBuyer(world);
  const cardId = await addCard(buyer);
  await control(world, NO_TAX);
  const paid = payWithSavedCard({
    userId: buyer.userId,
    partnerId: world.app.id,
    idempotencyKey: 'unready',
    amount: 10,
    currency: 'usd',
    cardId,
    language: 'en',
    method: 'saved_card',
    buyer: { kind: 'absent' },
  });
  await expect(paid).rejects.toThrow(UNAVAILABLE);
  expect(await alerts()).toEqual([TAX_ALERT]);
  expect(await prisma().purchase.count({ where: { userId: buyer.userId } })).toBe(0);
});

test('another refusal of the processor is not the account’s', async () => {
  await control(world, { fail_next: { status: 500, times: 9, path: 'checkout/sessions' } });
  expect((await payInCheckout()).body).toMatchObject({ error: { type: 'upstream_error' } });
  await control(world, { fail_next: { status: 500, times: 1, path: 'none' } });
  expect(await alerts()).toEqual([]);
});
