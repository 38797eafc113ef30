import { expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { addOrigin } from '@/server/partners/partner';
import { findCustomer } from '@/server/payments/checkout/customers';
import { payWithSavedCard } from '@/server/payments/checkout/pay-with-card';
import { stripeProcessor } from '@/server/payments/checkout/stripe/processor';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../../harness';
import { sandboxStripe } from '../../harness/sandbox-stripe';
import { until } from '../../harness/until';
import { CheckoutWindow, SECRET_KEY, send, startCheckout } from './checkout-world';

/** The optional Stripe features of an operator: tax, consent to terms, invoices. */

await newDatabase();
Object.assign(process.env, {
  STRIPE_AUTOMATIC_TAX: 'true',
  STRIPE_TERMS_OF_SERVICE: 'true',
  STRIPE_INVOICES: 'true',
});
const world = await startCheckout();
const stripe = sandboxStripe(world.sandboxUrl, SECRET_KEY);
await addOrigin(world.app.id, 'myapp://*');

let buyerCount = 0;
async function buy(changes: Record<string, unknown> = {}, options: Record<string, unknown> = {}) {
  const window = await CheckoutWindow.open(world, changes);
  const email = `taxed-${++buyerCount}@example.com`;
  await window.signIn(email);
  const started = await window.startPayment(options);
  const row = await prisma().checkoutSession.findUniqueOrThrow({ where: { id: started.session_id } });
  return { window, email, ...started, processorSessionId: row.processorSessionId ?? '' };
}

const CARD = { number: '4242 4242 4242 4242', expiry: '12/40', cvc: '123', name: 'Ada Lovelace' };

// The sandbox refuses automatic tax on a price that does not include it.
test('a signed-in user’s session requests tax, consent and an invoice, and its price includes tax', async () => {
  const { processorSessionId, window } = await buy();
  expect((await window.get()).body).toMatchObject({ includes_tax: true });
  const session = await stripe.checkout.sessions.retrieve(processorSessionId, { expand: ['customer'] });
  expect(session).toMatchObject({
    customer: { object: 'customer' },
    automatic_tax: { enabled: true },
    tax_id_collection: { enabled: true },
    consent_collection: { terms_of_service: 'required' },
    invoice_creation: { enabled: true },
    origin_context: 'web',
  });
});

test('the full amount is credited, and the receipt shows the included tax', async () => {
  const { window, email, session_id, payment } = await buy({}, { amount: 12 });
  const pay = (fields: object) => send(payment.embed_url, 'POST', {}, { ...CARD, ...fields });
  expect((await pay({})).body).toMatchObject({ errors: { country: expect.any(String) } });
  expect((await pay({ country: 'AT', terms: 'accepted' })).body).toMatchObject({ status: 'complete' });
  expect((await window.get(`/payments/${session_id}`)).body).toMatchObject({
    status: 'completed',
    credits_added: 1200,
  });
  expect(await prisma().purchase.findUniqueOrThrow({ where: { sessionId: session_id } })).toMatchObject({
    amountMinor: 1200,
    taxMinor: 200,
  });
  await sendMails('receipt');
  const [receipt] = await until(
    async () =>
      (
        (await (await fetch(`${world.mailUrl}/mails?to=${encodeURIComponent(email)}`)).json()) as {
          subject: string;
          text: string;
        }[]
      ).filter(({ subject }) => subject.includes('receipt')),
    (mails) => mails.length > 0,
  );
  expect(receipt?.text).toContain('Paid: $12.00\nTax included: $2.00');
});

test('a session from a mobile app is marked as such', async () => {
  const { processorSessionId } = await buy({ origin: 'myapp://localhost' });
  expect(await stripe.checkout.sessions.retrieve(processorSessionId)).toMatchObject({
    origin_context: 'mobile_app',
  });
});

test('a saved card pays with the tax of the address entered before, and not without one', async () => {
  const { email, payment } = await buy({ display: 'popup' });
  const { id: userId } = await prisma().user.findFirstOrThrow({ where: { email } });
  const customer = (await findCustomer(userId)) ?? '';
  const form = { ...CARD, country: 'AT', terms: 'accepted', save: 'accepted' };
  expect((await send(payment.embed_url, 'POST', {}, form)).body).toMatchObject({ status: 'complete' });
  const [card] = await stripeProcessor.listCards(customer);
  const order = {
    userId,
    partnerId: world.app.id,
    amount: 12,
    currency: 'usd',
    cardId: card?.id ?? '',
    language: 'en',
    method: 'saved_card',
    buyer: { kind: 'absent' },
  } as const;
  const { payment: paid } = await payWithSavedCard({ ...order, idempotencyKey: 'taxed' });
  expect(paid.status).toBe('completed');
  expect(await prisma().purchase.findUniqueOrThrow({ where: { sessionId: paid.id } })).toMatchObject({
    amountMinor: 1200,
    taxMinor: 200,
  });

  const { id: withoutAddress } = await stripe.customers.create({});
  await prisma().paymentCustomer.update({
    where: { userId },
    data: { processorCustomerId: withoutAddress },
  });
  const setup = await stripeProcessor.createCardSetup({
    processorCustomerId: withoutAddress,
    successUrl: 'https://example.com/added',
    cancelUrl: 'https://example.com/cancelled',
    language: 'en',
    setupKey: 'untaxed',
  });
  if (setup === 'unknown_customer') throw new Error('the customer is known');
  await send(setup.url, 'POST', {}, CARD);
  const [plain] = await stripeProcessor.listCards(withoutAddress);
  const refused = await payWithSavedCard({ ...order, cardId: plain?.id ?? '', idempotencyKey: 'untaxed' });
  expect(refused.charge).toMatchObject({ kind: 'declined', failure: 'no_tax_address' });
  expect(refused.payment).toMatchObject({ status: 'failed', failure: 'no_tax_address' });
});

test('a saved card is offered in the next form of our own windows, and pays or is removed there', async () => {
  const { window, email, payment } = await buy({ display: 'popup' });
  const framed = await CheckoutWindow.open(world);
  await framed.signIn(email);
  const consent = { country: 'AT', terms: 'accepted' };
  await send(payment.embed_url, 'POST', {}, { ...CARD, ...consent, save: 'accepted' });
  const { id: userId } = await prisma().user.findFirstOrThrow({ where: { email } });
  const listed = async () => stripeProcessor.listCards((await findCustomer(userId)) ?? '');
  const [card] = await listed();
  const formIn = async (opened: CheckoutWindow) => {
    const url = (await opened.startPayment()).payment.embed_url;
    return { url, html: await (await fetch(url)).text() };
  };
  expect((await formIn(framed)).html).not.toContain('Visa');
  const { url, html } = await formIn(window);
  expect(html).toContain('Pay with Visa •••• 4242');
  expect((await send(url, 'POST', {}, { saved: card?.id, ...consent })).body).toMatchObject({
    status: 'complete',
  });
  const other = await formIn(window);
  expect((await send(other.url, 'POST', {}, { remove: card?.id })).body).toEqual({ status: 'removed' });
  expect(await listed()).toEqual([]);
});

test('a frame neither saves a card nor offers a saved one @attack', async () => {
  const { email, processorSessionId, payment } = await buy({ display: 'embedded' });
  const session = await stripe.checkout.sessions.retrieve(processorSessionId);
  expect(session.saved_payment_method_options).toEqual({ allow_redisplay_filters: ['unspecified'] });
  const form = { ...CARD, country: 'AT', terms: 'accepted', save: 'accepted' };
  expect((await send(payment.embed_url, 'POST', {}, form)).body).toMatchObject({ status: 'complete' });
  const { id: userId } = await prisma().user.findFirstOrThrow({ where: { email } });
  expect(await stripeProcessor.listCards((await findCustomer(userId)) ?? '')).toEqual([]);
});
