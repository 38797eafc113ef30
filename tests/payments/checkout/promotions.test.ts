import { describe, expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { checkLedger } from '@/server/ledger';
import { readHistory } from '@/server/ledger/history';
import { runCommand } from '@/server/operator/cli/run';
import { startOwnPayment } from '@/server/payments/checkout/own-payments';
import { readPurchaseReceipt } from '@/server/payments/checkout/purchases';
import { writeReceipt } from '@/server/payments/checkout/receipt-text';
import { applyReversals } from '@/server/payments/checkout/reversals';
import { stripeProcessor } from '@/server/payments/checkout/stripe/processor';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../../harness';
import { newPromotion } from '../../harness/promotions';
import { until } from '../../harness/until';
import { present } from '../../people/account/person';
import { CheckoutWindow, newUserKey, payByCard, readEvents, startCheckout } from './checkout-world';

/** Promotion codes over real HTTP, paid at the sandbox payment processor. */

await newDatabase();
const world = await startCheckout();

let people = 0;
async function openWindow(): Promise<CheckoutWindow> {
  const window = await CheckoutWindow.open(world);
  await window.signIn(`promo-${++people}@example.com`);
  return window;
}

const counters = async (id: string) => {
  const { redeemed, given } = await prisma().promotion.findUniqueOrThrow({ where: { id } });
  return { redeemed, given: Number(given) / 1e6 };
};

async function buyWithCode(window: CheckoutWindow, code: string | null) {
  const started = await window.startPayment({ amount: 10, promotion_code: code });
  await payByCard(started.payment.embed_url);
  const { body } = await window.get(`/payments/${started.session_id}`);
  return { started, body, sessionId: started.session_id };
}

test('the checkout previews an offer without using it up, and books its bonus with the purchase', async () => {
  const { id, code } = await newPromotion({ percent: 20, maxRedemptions: 1 });
  const window = await openWindow();
  const { body: preview } = await window.post('/promotion', { code: ` ${code?.toLowerCase()}` });
  expect(preview).toEqual({
    offer: { code, percent: 20, credits: null, max_credits: null, min_purchase: 0 },
  });
  expect(await counters(id)).toEqual({ redeemed: 0, given: 0 });

  const { started, body, sessionId } = await buyWithCode(window, code);
  expect(started).toMatchObject({ credits: 1000, bonus_credits: 200 });
  expect(body).toMatchObject({ status: 'completed', credits_added: 1200, balance: 1200 });
  expect(await counters(id)).toEqual({ redeemed: 1, given: 200 });

  const purchase = await prisma().purchase.findUniqueOrThrow({ where: { sessionId } });
  expect(purchase).toMatchObject({ amountMinor: 1000, credits: 1_000_000_000n });
  const events = await readEvents(world.app, 'credits.added');
  expect(events.filter(({ data }) => data.transaction_id === purchase.id)).toMatchObject([
    { data: { type: 'purchase', balance: 1200, credits_added: 1200 } },
  ]);

  const receipt = await readPurchaseReceipt(purchase.userId, purchase.id);
  const rows = receipt && writeReceipt(receipt).rows;
  expect(rows).toContainEqual({ label: `Bonus credits (code ${code})`, value: '200 credits' });
  // Mailed after the transaction.
  const line = `Bonus credits (code ${code}): 200 credits`;
  await sendMails('receipt');
  await until(
    () => window.readMail(`promo-${people}@example.com`),
    (mail) => mail?.text.includes(line) === true,
  );

  const { entries } = await readHistory(
    { userId: purchase.userId, partnerId: world.app.id },
    { limit: 10, offset: 0 },
  );
  expect(entries).toMatchObject([
    { type: 'adjustment', reason: 'promotion', credits: 200_000_000n },
    { type: 'purchase', credits: 1_000_000_000n },
  ]);
  expect((await checkLedger()).differences).toEqual([]);
});

test('the next buyer is refused a code that is used up, at the preview and at the start of a payment', async () => {
  const { code } = await newPromotion({ maxRedemptions: 1 });
  await buyWithCode(await openWindow(), code);
  const window = await openWindow();
  expect((await window.post('/promotion', { code })).body).toEqual({ refused: 'exhausted' });
  const { status, body } = await window.post('/payments', { amount: 10, promotion_code: code });
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ type: 'invalid_request', param: 'promotion_code' });
  expect(await prisma().checkoutSession.count({ where: { visitId: window.visitId } })).toBe(0);
});

test('a buyer who goes back for another amount keeps the code, and the earlier form can no longer be paid', async () => {
  const { id, code } = await newPromotion({ percent: 10 });
  const window = await openWindow();
  const first = await window.startPayment({ amount: 10, promotion_code: code });
  const second = await window.startPayment({ amount: 50, promotion_code: code });
  expect(second).toMatchObject({ bonus_credits: 500 });
  expect(await counters(id)).toEqual({ redeemed: 1, given: 500 });
  expect(await prisma().checkoutSession.findUnique({ where: { id: first.session_id } })).toMatchObject({
    status: 'expired',
  });
});

test('a payment that could not be started releases its bonus', async () => {
  const { id, code } = await newPromotion();
  const window = await openWindow();
  const { createSession } = stripeProcessor;
  stripeProcessor.createSession = () => Promise.reject(new Error('down'));
  const { status } = await window.post('/payments', { amount: 10, promotion_code: code });
  stripeProcessor.createSession = createSession;
  expect(status).toBe(502);
  expect(await counters(id)).toEqual({ redeemed: 0, given: 0 });
});

test('a refund at the payment processor takes the bonus back in proportion', async () => {
  const { code } = await newPromotion({ percent: 20 });
  const { sessionId } = await buyWithCode(await openWindow(), code);
  const { processorPaymentId: paymentId, userId } = await prisma().purchase.findUniqueOrThrow({
    where: { sessionId },
  });
  await stripeProcessor.refund({ paymentId: paymentId ?? '', amountMinor: 250, key: sessionId });
  await applyReversals(paymentId ?? '', 'refund');
  expect(await prisma().wallet.findUnique({ where: { userId } })).toMatchObject({ money: 900_000_000n });
  expect((await checkLedger()).differences).toEqual([]);
});

test('a user tries at most 20 codes a minute @attack', async () => {
  const window = await openWindow();
  const attempts = await Promise.all(
    Array.from({ length: 25 }, (_, n) => window.post('/promotion', { code: `GUESS${n}` })),
  );
  expect(attempts.filter(({ status }) => status === 429)).toHaveLength(5);
  expect(attempts[0]?.body).toEqual({ refused: 'unknown' });
});

test('a user key alone neither reads nor uses a code, and leaves the user’s own form open @attack', async () => {
  const { id, code } = await newPromotion();
  const own = await openWindow();
  const form = await own.startPayment({ amount: 10, promotion_code: code });
  const { userKey } = await newUserKey(world.app, `promo-${people}@example.com`);
  const window = await CheckoutWindow.open(world);
  await window.post('/recognise', { user_key: userKey });
  const refusal = {
    status: 403,
    body: {
      error: { type: 'step_up_required', message: expect.stringContaining('Sign in with your e-mail') },
    },
  };
  expect(await window.post('/promotion', { code })).toMatchObject(refusal);
  expect(await window.post('/payments', { amount: 10, promotion_code: code })).toMatchObject(refusal);
  expect(await prisma().checkoutSession.findUnique({ where: { id: form.session_id } })).toMatchObject({
    status: 'open',
  });
  expect(await counters(id)).toEqual({ redeemed: 1, given: 200 });
  await window.startPayment({ amount: 10 });
});

test('a purchase on the account pages names its bonus on the payment page', async () => {
  const { code } = await newPromotion();
  const window = await openWindow();
  const { userId } = await prisma().checkoutVisit.findUniqueOrThrow({ where: { id: window.visitId } });
  const { checkoutUrl } = await startOwnPayment(present(userId ?? ''), {
    amount: 10,
    currency: 'usd',
    promotionCode: code ?? undefined,
  });
  expect(await (await fetch(checkoutUrl)).text()).toContain('+ 200 bonus credits');
});

describe('the command line', () => {
  async function svc(...words: string[]): Promise<string> {
    const printed: string[] = [];
    const output = { out: (text: string) => printed.push(text), err: (text: string) => printed.push(text) };
    await runCommand(words, output);
    return printed.join('').trim();
  }

  test('creates gift links as CSV, which it stores nowhere', async () => {
    const created = await svc('promotions', 'create', '--gift', '--credits', '50', '--json');
    const { promotion_id: id } = JSON.parse(created);
    const [header, ...links] = (await svc('promotions', 'links', id, '--count', '3')).split('\n');
    expect(header).toBe('code,link');
    const line = /^([2-9A-HJKMNP-Z]{4}(?:-[2-9A-HJKMNP-Z]{4}){3}),http:\/\/localhost:\d+\/redeem\/\1$/;
    expect(links.map((link) => line.test(link))).toEqual([true, true, true]);
    expect(JSON.stringify(await prisma().promotionLink.findMany())).not.toContain(links[0]?.slice(0, 19));
  });

  test.each([
    [['--code', 'A!', '--credits', '5'], 'Enter a code of 4 to 32 letters and digits, such as WELCOME20'],
    [['--code', 'WELCOME'], 'Enter either credits or a percentage'],
    [['--gift', '--percent', '5'], 'A gift has a fixed number of credits, and links instead of a code'],
    [['--code', 'WELCOME', '--percent', '0'], 'Enter a whole percentage from 1 to 1000'],
    [
      ['--code', 'WELCOME', '--credits', '5', '--limit', '0'],
      'Enter a whole number of redemptions, at least 1',
    ],
  ])('refuses %j', async (words, reason) => {
    expect(await svc('promotions', 'create', ...words)).toBe(reason);
  });
});
