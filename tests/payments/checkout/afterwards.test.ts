import type Stripe from 'stripe';
import { afterEach, describe, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS, now, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { checkLedger, readSpendable } from '@/server/ledger';
import { closePaymentAlert, listPaymentsNeedingAttention } from '@/server/payments/checkout/alerts';
import { fulfil } from '@/server/payments/checkout/fulfil';
import { listPurchases, readPurchaseReceipt } from '@/server/payments/checkout/purchases';
import { refundPurchase } from '@/server/payments/checkout/refund-purchase';
import { deleteAccount } from '@/server/people/delete-account';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../../harness';
import { sandboxStripe } from '../../harness/sandbox-stripe';
import { until } from '../../harness/until';
import {
  CheckoutWindow,
  newUserKey,
  payByCard,
  SECRET_KEY,
  send,
  setWebhooks,
  startCheckout,
} from './checkout-world';

/** What follows a payment: receipts, the list of purchases, refunds and alerts for the operator. */

await newDatabase();
const world = await startCheckout();
const stripe = sandboxStripe(world.sandboxUrl, SECRET_KEY);

let buyerCount = 0;
async function buy(options: Record<string, unknown> = {}, card?: string) {
  const email = `after-${++buyerCount}@example.com`;
  const window = await CheckoutWindow.open(world);
  await window.signIn(email);
  const { session_id, payment } = await window.startPayment(options);
  expect(await payByCard(payment.embed_url, card)).toMatchObject({ status: 'complete' });
  await fulfil(session_id);
  const purchase = await prisma().purchase.findUniqueOrThrow({ where: { sessionId: session_id } });
  return { email, window, ...purchase };
}

const mailsTo = async (email: string) =>
  (await (await fetch(`${world.mailUrl}/mails?to=${encodeURIComponent(email)}`)).json()) as {
    subject: string;
    text: string;
    html: string;
  }[];
const receiptsTo = async (email: string) =>
  (await mailsTo(email)).filter(({ subject }) => /receipt|Quittung/.test(subject));
const control = (command: object) => send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, command);
const alertsOf = async (sessionId: string) =>
  (await listPaymentsNeedingAttention()).filter(({ checkoutSessionId }) => checkoutSessionId === sessionId);
const balanceOf = async (userId: string) => Number((await readSpendable(userId, world.app.id)).balance) / 1e6;

afterEach(async () => {
  setClock();
  await setWebhooks(world, 'on');
});

describe('a receipt', () => {
  test('is not mailed after the account is deleted, because the address is erased', async () => {
    const { userId, email } = await buy();
    await deleteAccount(userId);
    await sendMails('receipt');
    expect(await receiptsTo(email)).toEqual([]);
    expect(await prisma().dueMail.count({ where: { kind: 'receipt' } })).toBe(0);
  });

  test('is mailed once, with the purchase, the app and a link to the account', async () => {
    const { id, email } = await buy({ amount: 25 });
    await Promise.all([sendMails('receipt'), sendMails('receipt')]);
    const [mail] = await receiptsTo(email);
    expect(mail?.subject).toBe('Your svc receipt: $25.00');
    expect(mail?.text).toContain('2,500 credits for Notes');
    expect(mail?.text).toContain(`${world.url}/account/receipts/${id}`);
    await sendMails('receipt');
    expect(await receiptsTo(email)).toHaveLength(1);
  });

  test('uses the language of the checkout and shows the locked exchange rate', async () => {
    await prisma().fxRate.create({
      data: { base: 'eur', quote: 'usd', rate: '1.0875', source: 'test', asOf: new Date() },
    });
    const { email } = await buy({ amount: 12.5, currency: 'eur', language: 'de' });
    await sendMails('receipt');
    const [mail] = await receiptsTo(email);
    expect(mail?.subject).toMatch(/^Ihre Quittung von svc: 12,50\s€$/);
    expect(mail?.text).toContain('1.359 Credits');
    expect(mail?.text).toMatch(/Wechselkurs: 1 EUR = 1,0875\s\$/);
  });

  test('that the mail server did not accept is sent later', async () => {
    const { userId, email } = await buy();
    await prisma().user.update({ where: { id: userId }, data: { email: 'no recipient' } });
    await sendMails('receipt');
    await prisma().user.update({ where: { id: userId }, data: { email } });
    await sendMails('receipt');
    expect(await receiptsTo(email)).toEqual([]);
    setClock(() => Date.now() + 2 * MINUTE_MS);
    await sendMails('receipt');
    expect(await receiptsTo(email)).toHaveLength(1);
  });
});

describe('the list of purchases', () => {
  test('is newest first, shows only the user’s purchases, and includes refunds', async () => {
    const first = await buy({ amount: 10 });
    await refundPurchase(first.id, 4);
    const { purchases, total } = await listPurchases(first.userId);
    expect(total).toBe(1);
    expect(purchases).toMatchObject([
      { id: first.id, appName: 'Notes', amountMinor: 1000, refundedMinor: 400, status: 'partly_refunded' },
    ]);
    const stranger = await buy();
    expect(await readPurchaseReceipt(stranger.userId, first.id)).toBeNull();
    expect(await readPurchaseReceipt(first.userId, first.id)).toMatchObject({
      email: first.email,
      rate: '1',
    });
  });
});

describe('a refund by the operator', () => {
  test('in parts takes the credits immediately, and never exceeds the payment', async () => {
    const { id, userId } = await buy({ amount: 10 });
    expect(await refundPurchase(id, 4)).toMatchObject({ refundedMinor: 400, leftMinor: 600 });
    expect(await balanceOf(userId)).toBe(600);
    await expect(refundPurchase(id, 6.01)).rejects.toMatchObject({ param: 'amount' });
    expect(await refundPurchase(id)).toMatchObject({ refundedMinor: 1000, leftMinor: 0 });
    expect(await balanceOf(userId)).toBe(0);
    await expect(refundPurchase(id)).rejects.toMatchObject({ param: 'amount' });
  });

  test('clicked twice is made once', async () => {
    const { id, processorPaymentId } = await buy({ amount: 10 });
    const clicked = now();
    setClock(() => clicked);
    await Promise.allSettled([refundPurchase(id, 4), refundPurchase(id, 4)]);
    // A second click after the first was booked.
    await refundPurchase(id, 4);
    setClock();
    const { data } = await stripe.refunds.list({ payment_intent: processorPaymentId ?? '' });
    expect(data).toHaveLength(1);
    expect(await refundPurchase(id, 4, 'another')).toMatchObject({ refundedMinor: 800 });
  });

  test.each(['pending', 'requires_action'] as const)(
    'that is %s takes the credits, says so, and returns them if it fails',
    async (next_refund) => {
      const { id, userId, sessionId, processorPaymentId } = await buy({ amount: 10 });
      const newest = async () =>
        (await stripe.refunds.list({ payment_intent: processorPaymentId ?? '' })).data[0];
      await control({ next_refund });
      expect(await refundPurchase(id, 4)).toMatchObject({ refundedMinor: 400, isPending: true });
      expect(await balanceOf(userId)).toBe(600);
      await control({ finish_refund: (await newest())?.id });
      expect(await newest()).toMatchObject({ status: 'succeeded' });
      expect(await refundPurchase(id, 1)).toMatchObject({ refundedMinor: 500, isPending: false });

      await control({ next_refund });
      expect(await refundPurchase(id)).toMatchObject({ leftMinor: 0, isPending: true });
      await control({ fail_refund: (await newest())?.id });
      await until(
        () => balanceOf(userId),
        (credits) => credits === 500,
      );
      expect(await alertsOf(sessionId)).toMatchObject([{ kind: 'refund_failed', amountMinor: 500 }]);
    },
  );

  test('that fails at the bank raises an alert, restores the credits and can be repeated', async () => {
    const { id, userId, sessionId, processorPaymentId } = await buy({ amount: 10 });
    await refundPurchase(id);
    const { data } = await stripe.refunds.list({ payment_intent: processorPaymentId ?? '' });
    await control({ fail_refund: data[0]?.id });
    await until(
      () => balanceOf(userId),
      (credits) => credits === 1000,
    );
    const [alert] = await alertsOf(sessionId);
    expect(alert).toMatchObject({ kind: 'refund_failed', amountMinor: 1000, purchaseId: id });
    expect(await closePaymentAlert(alert?.id ?? '')).toBe(true);
    expect(await alertsOf(sessionId)).toEqual([]);
    expect(await refundPurchase(id)).toMatchObject({ leftMinor: 0 });
    expect(await balanceOf(userId)).toBe(0);
  });
});

describe('an alert for the operator', () => {
  test('shows a dispute with its due date until the bank decides', async () => {
    const { sessionId, processorPaymentId } = await buy({}, '4000 0000 0000 0259');
    const [alert] = await until(
      () => alertsOf(sessionId),
      (alerts) => alerts.length > 0,
    );
    expect(alert).toMatchObject({ kind: 'dispute', appName: 'Notes', dueAt: expect.any(Date) });
    const [dispute] = (await stripe.disputes.list({ payment_intent: processorPaymentId ?? '' })).data;
    await control({ move_dispute: { id: dispute?.id, status: 'lost' } });
    await until(
      () => alertsOf(sessionId),
      (alerts) => alerts.length === 0,
    );
  });

  test('shows an inquiry by the bank, which takes no credits', async () => {
    const { sessionId, userId } = await buy({}, '4000 0000 0000 1976');
    const [alert] = await until(
      () => alertsOf(sessionId),
      (alerts) => alerts.length > 0,
    );
    expect(alert?.detail).toContain('warning_needs_response');
    expect(await balanceOf(userId)).toBe(1000);
  });

  test('shows an early fraud warning until the payment is refunded', async () => {
    const { id, sessionId, userId } = await buy({}, '4000 0000 0000 5423');
    const [alert] = await until(
      () => alertsOf(sessionId),
      (alerts) => alerts.length > 0,
    );
    expect(alert).toMatchObject({ kind: 'early_fraud_warning', purchaseId: id });
    expect(await balanceOf(userId)).toBe(1000);
    await refundPurchase(id);
    await until(
      () => alertsOf(sessionId),
      (alerts) => alerts.length === 0,
    );
  });

  test('shows a payment that does not match its order and one that never ends', async () => {
    const window = await CheckoutWindow.open(world);
    await window.signIn('mismatch@example.com');
    const { session_id, payment } = await window.startPayment();
    const dearer = { amountMinor: 5000, credits: 5_000_000_000n };
    await prisma().checkoutSession.update({ where: { id: session_id }, data: dearer });
    await payByCard(payment.embed_url);
    await fulfil(session_id);
    expect(await alertsOf(session_id)).toMatchObject([{ kind: 'wrong_payment', purchaseId: null }]);

    const { userId } = await newUserKey(world.app, 'stuck@example.com');
    const order = { currency: 'usd', amountMinor: 1000, rate: '1', credits: 1_000_000_000n };
    const createdAt = new Date(now() - 15 * DAY_MS);
    await prisma().checkoutSession.create({
      data: {
        id: 'cks_stuck',
        userId,
        partnerId: world.app.id,
        status: 'processing',
        createdAt,
        expiresAt: createdAt,
        ...order,
      },
    });
    expect(await alertsOf('cks_stuck')).toMatchObject([{ kind: 'stuck', amountMinor: 1000 }]);
  });
});

describe('the customer at the processor', () => {
  const sessionOf = async (id: string) => {
    const row = await prisma().checkoutSession.findUniqueOrThrow({ where: { id } });
    return stripe.checkout.sessions.retrieve(row.processorSessionId ?? '', { expand: ['customer'] });
  };

  test('is the same in every app, and exists only for users who signed in', async () => {
    const { window, email, sessionId } = await buy();
    const first = (await sessionOf(sessionId)).customer as Stripe.Customer;
    expect(first.email).toBe(email);
    const again = await window.startPayment();
    expect((await sessionOf(again.session_id)).customer).toMatchObject({ id: first.id });

    const { userKey } = await newUserKey(world.app, email);
    const keyWindow = await CheckoutWindow.open(world);
    await keyWindow.post('/recognise', { user_key: userKey });
    const byKey = await keyWindow.startPayment();
    expect((await sessionOf(byKey.session_id)).customer).toBeNull();
  });

  test('is one, however many first payments start at once', async () => {
    const email = 'several-windows@example.com';
    const windows: CheckoutWindow[] = [];
    for (let n = 0; n < 4; n++) {
      const window = await CheckoutWindow.open(world);
      await window.signIn(email);
      windows.push(window);
    }
    const started = await Promise.all(windows.map((window) => window.startPayment()));
    const sessions = await Promise.all(started.map(({ session_id }) => sessionOf(session_id)));
    const customers = sessions.map(({ customer }) => (customer as Stripe.Customer).id);
    expect(new Set(customers).size).toBe(1);
  });

  test('is created again when the processor has lost it, and the payment continues', async () => {
    const { window, userId } = await buy();
    await prisma().paymentCustomer.update({ where: { userId }, data: { processorCustomerId: 'cus_lost' } });
    const { session_id } = await window.startPayment();
    expect((await sessionOf(session_id)).customer).toBeNull();
    const next = await window.startPayment();
    expect((await sessionOf(next.session_id)).customer).toMatchObject({ object: 'customer' });
  });
});

test('the ledger has no differences after all of these payments', async () => {
  expect((await checkLedger()).differences).toEqual([]);
});
