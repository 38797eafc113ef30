import { afterEach, describe, expect, test } from 'vitest';
import { DAY_MS, now, nowDate, setClock } from '@/server/base/clock';
import { wholeCredits } from '@/server/base/credits';
import { prisma } from '@/server/base/db';
import { checkLedger, readPockets } from '@/server/ledger';
import { findRepeatablePurchase, readButtonId } from '@/server/payments/checkout/buy-again';
import { buyOwnWithCard, findOwnPayment, startOwnPayment } from '@/server/payments/checkout/own-payments';
import { expiryOf, listSavedCards } from '@/server/payments/checkout/saved-cards';
import { turnOffForCard } from '@/server/payments/checkout/top-up/auto-top-up';
import { newDatabase } from '../../harness';
import {
  ASKS_BANK,
  addCard,
  answerBank,
  type Buyer,
  buyWithForm,
  DECLINES_ONCE_SAVED,
  newBuyer,
  readPaid,
} from './cards-world';
import {
  type ApiResponse,
  CheckoutWindow,
  newApp,
  newUserKey,
  payByCard,
  send,
  startCheckout,
} from './checkout-world';

/** Saved cards in the checkout and the account, with Stripe's SDK against the sandbox processor. */

await newDatabase();
const world = await startCheckout();
afterEach(() => setClock());

const pay = (window: CheckoutWindow, cardId: string, changes: object = {}): Promise<ApiResponse> =>
  window.post('/card-payments', {
    amount: 10,
    currency: 'usd',
    card_id: cardId,
    pay_id: 'pay-once-1',
    ...changes,
  });

const buyAgain = (buyer: Buyer, cardId: string, buttonId: string, amount = 10) =>
  buyOwnWithCard(buyer.session, { amount, currency: 'usd', cardId, buttonId });

/** Writes the row as turning auto top-up on does. */
const turnOn = (userId: string, cardId: string) =>
  prisma().autoTopUp.create({
    data: {
      userId,
      state: 'on',
      currency: 'usd',
      amountMinor: 1_000,
      ceilingMinor: 5_000,
      threshold: wholeCredits(500),
      cardId,
      cardBrand: 'visa',
      cardLast4: '4242',
      consentId: 'cns_1',
      updatedAt: nowDate(),
    },
  });

describe('in a window where the user signed in', () => {
  test('a saved card is listed and pays once, however often the click arrives @attack', async () => {
    const buyer = await newBuyer(world);
    const cardId = await addCard(buyer);
    const window = await buyer.openPopup();
    expect((await window.get()).body).toMatchObject({ signed_in: 'session', has_cards: true });
    expect((await window.get('/cards')).body).toEqual({
      cards: [
        {
          id: cardId,
          brand: 'visa',
          last4: '4242',
          expiry_month: 12,
          expiry_year: 2040,
          ends_top_up: false,
        },
      ],
    });
    const responses = await Promise.all(Array.from({ length: 10 }, () => pay(window, cardId)));
    const ids = new Set(responses.map(({ body }) => body.session_id));
    expect([ids.size, new Set(responses.map(({ status }) => status))]).toEqual([1, new Set([200])]);
    const status = await window.get(`/payments/${[...ids][0]}`);
    expect(status.body).toMatchObject({ status: 'completed', credits_added: 1000 });
    expect(status.body.receipt_id).toBeDefined();
    expect((await pay(window, cardId)).body).toMatchObject({ status: 'completed', bank_url: null });
    expect(await readPaid(buyer)).toEqual([1000]);
    expect((await pay(window, cardId, { pay_id: 'pay-once-2' })).body).toMatchObject({ status: 'completed' });
    expect(await readPaid(buyer)).toEqual([1000, 1000]);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('only of the card that auto top-up uses it is said that removing it turns auto top-up off', async () => {
    const buyer = await newBuyer(world);
    const [used] = [await addCard(buyer), await addCard(buyer, ASKS_BANK)];
    const window = await buyer.openPopup();
    const listed = async () =>
      (await window.get('/cards')).body.cards as unknown as { id: string; ends_top_up: boolean }[];
    const ending = async () => (await listed()).filter((card) => card.ends_top_up).map(({ id }) => id);
    expect([(await listed()).length, await ending()]).toEqual([2, []]);
    await turnOn(buyer.userId, used);
    expect(await ending()).toEqual([used]);
    await turnOffForCard(buyer.userId, used);
    expect(await ending()).toEqual([]);
  });

  test('a card saved in the form is offered the next time', async () => {
    const buyer = await newBuyer(world);
    const window = await buyer.openPopup();
    expect((await window.get()).body).toMatchObject({ has_cards: false });
    const { payment } = await window.startPayment();
    await payByCard(payment.embed_url, undefined, { save: 'accepted' });
    expect((await window.get()).body).toMatchObject({ has_cards: true });
    expect((await window.get('/cards')).body).toMatchObject({ cards: [{ brand: 'visa', last4: '4242' }] });
  });

  test('a declined card says why, charges nothing and can be tried again', async () => {
    const buyer = await newBuyer(world);
    const cardId = await addCard(buyer, DECLINES_ONCE_SAVED);
    const window = await buyer.openPopup();
    for (const pay_id of ['pay-first', 'pay-second'])
      expect((await pay(window, cardId, { pay_id })).body).toMatchObject({
        status: 'failed',
        failure: 'declined',
      });
    expect(await readPaid(buyer)).toEqual([]);
  });

  test('the bank’s page is reached by redirect and returns to our page, where the payment is known', async () => {
    const buyer = await newBuyer(world);
    const cardId = await addCard(buyer, ASKS_BANK);
    const window = await buyer.openPopup();
    const asked = await pay(window, cardId);
    expect(asked.body).toMatchObject({ status: 'open' });
    expect((await pay(window, cardId)).body.bank_url).toBe(asked.body.bank_url);
    const back = new URL(await answerBank(String(asked.body.bank_url), 'complete'));
    expect([back.pathname, back.searchParams.get('session_id')]).toEqual([
      '/checkout/return',
      asked.body.session_id,
    ]);
    expect((await window.get(`/payments/${asked.body.session_id}`)).body).toMatchObject({
      status: 'completed',
    });
    expect(await readPaid(buyer)).toEqual([1000]);

    const refused = await pay(window, cardId, { pay_id: 'pay-another' });
    await answerBank(String(refused.body.bank_url), 'fail');
    expect((await window.get(`/payments/${refused.body.session_id}`)).body).toMatchObject({
      status: 'failed',
      failure: 'not_confirmed',
    });
    expect(await readPaid(buyer)).toEqual([1000]);
  });

  test('a card is removed with a recent confirmation, and then pays nothing @attack', async () => {
    const buyer = await newBuyer(world);
    const cardId = await addCard(buyer);
    const window = await buyer.openPopup();
    await buyer.confirmedMinutesAgo(11);
    expect(await window.post('/cards/remove', { card_id: cardId })).toMatchObject({
      status: 403,
      body: { error: { type: 'step_up_required' } },
    });
    expect(await listSavedCards(buyer.userId)).toHaveLength(1);
    await buyer.confirmedMinutesAgo(9);
    expect((await window.post('/cards/remove', { card_id: cardId })).status).toBe(200);
    expect((await window.post('/cards/remove', { card_id: cardId })).status).toBe(404);
    expect((await pay(window, cardId)).status).toBe(404);
    expect(await listSavedCards(buyer.userId)).toEqual([]);
    expect(await readPaid(buyer)).toEqual([]);
  });

  test('the card of another user is unknown @attack', async () => {
    const [owner, thief] = [await newBuyer(world), await newBuyer(world)];
    const cardId = await addCard(owner);
    await addCard(thief);
    const window = await thief.openPopup();
    expect((await pay(window, cardId)).status).toBe(404);
    expect((await window.post('/cards/remove', { card_id: cardId })).status).toBe(404);
    expect(await listSavedCards(owner.userId)).toHaveLength(1);
    expect([await readPaid(owner), await readPaid(thief)]).toEqual([[], []]);
  });

  test('an expired card is not offered', async () => {
    const buyer = await newBuyer(world);
    await addCard(buyer);
    const inJanuary2041 = Date.UTC(2041, 0, 1);
    setClock(() => inJanuary2041);
    const [card] = await listSavedCards(buyer.userId);
    expect(card && expiryOf(card)).toBe('expired');
  });
});

describe('the payment form', () => {
  const FORMS: [string, (buyer: Buyer) => Promise<string>][] = [
    [
      'of a popup',
      async (buyer) => (await (await buyer.openPopup()).startPayment({ amount: 100 })).payment.embed_url,
    ],
    [
      'of the account',
      async ({ session }) => (await startOwnPayment(session, { amount: 100, currency: 'usd' })).checkoutUrl,
    ],
  ];

  test.each(FORMS)(
    '%s offers, charges and removes a saved card with a recent confirmation only @attack',
    async (_, open) => {
      const buyer = await newBuyer(world);
      const cardId = await addCard(buyer);
      const submit = async (form: string, body: object) => (await send(form, 'POST', {}, body)).body.status;
      await buyer.confirmedMinutesAgo(11);
      const unconfirmed = await open(buyer);
      const html = await (await fetch(unconfirmed)).text();
      expect([html.includes('•••• 4242'), html.includes('Save this card')]).toEqual([false, true]);
      expect(await submit(unconfirmed, { saved: cardId })).toBe('invalid');
      await submit(unconfirmed, { remove: cardId });
      expect([await readPaid(buyer), (await listSavedCards(buyer.userId)).length]).toEqual([[], 1]);

      await buyer.confirmedMinutesAgo(9);
      const confirmed = await open(buyer);
      expect(await (await fetch(confirmed)).text()).toContain('•••• 4242');
      // An open form remains as it was when it was opened.
      await buyer.confirmedMinutesAgo(11);
      expect(await submit(confirmed, { saved: cardId })).toBe('complete');
    },
  );

  test('charges no saved card that it does not offer @attack', async () => {
    const buyer = await newBuyer(world);
    const cardId = await addCard(buyer);
    const frame = await CheckoutWindow.open(world, { display: 'embedded' });
    await frame.signIn(buyer.session.email);
    const { payment } = await frame.startPayment();
    const { body } = await send(payment.embed_url, 'POST', {}, { saved: cardId });
    expect(body).toMatchObject({
      status: 'invalid',
      errors: { number: expect.stringContaining('not offer') },
    });
    expect(await readPaid(buyer)).toEqual([]);
  });
});

describe('without presence, cards are neither listed nor charged nor removed:', () => {
  async function expectNoCards(window: CheckoutWindow, cardId: string, refusal: object): Promise<void> {
    expect((await window.get()).body).toMatchObject({ has_cards: false });
    expect(await window.get('/cards')).toMatchObject({ status: 200, body: { cards: [] } });
    expect(await pay(window, cardId)).toMatchObject(refusal);
    expect(await window.post('/cards/remove', { card_id: cardId })).toMatchObject(refusal);
  }

  test('in a frame, even after a code was entered there @attack', async () => {
    const buyer = await newBuyer(world);
    const cardId = await addCard(buyer);
    const frame = await CheckoutWindow.open(world, { display: 'embedded' });
    await frame.signIn(buyer.session.email);
    await expectNoCards(frame, cardId, { status: 400, body: { error: { type: 'invalid_request' } } });
    expect([await readPaid(buyer), (await listSavedCards(buyer.userId)).length]).toEqual([[], 1]);
  });

  test('in a popup that only a user key identifies @attack', async () => {
    const buyer = await newBuyer(world);
    const cardId = await addCard(buyer);
    const { userKey } = await newUserKey(world.app, buyer.session.email);
    const popup = await CheckoutWindow.open(world, { display: 'popup' });
    expect((await popup.post('/recognise', { user_key: userKey })).body).toMatchObject({
      state: { signed_in: 'key', has_cards: false },
    });
    await expectNoCards(popup, cardId, { status: 403, body: { error: { type: 'step_up_required' } } });
    expect([await readPaid(buyer), (await listSavedCards(buyer.userId)).length]).toEqual([[], 1]);
  });
});

describe('with an old confirmation', () => {
  test('a session repeats a purchase once a day, in parallel too, and for no more @attack', async () => {
    const buyer = await newBuyer(world);
    const cardId = await addCard(buyer);
    await buyWithForm(await buyer.openPopup(), 10);
    await buyer.confirmedMinutesAgo(11);
    const window = await buyer.openPopup();
    expect((await pay(window, cardId, { amount: 10.01, pay_id: 'pay-more-1' })).body).toMatchObject({
      error: { type: 'step_up_required' },
    });
    const attempts = Array.from({ length: 10 }, (_, i) => pay(window, cardId, { pay_id: `pay-number-${i}` }));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array(9).fill(403)]);
    expect(await readPaid(buyer)).toEqual([1000, 1000]);

    const later = now() + DAY_MS;
    setClock(() => later);
    const nextDay = await buyer.openPopup();
    expect((await pay(nextDay, cardId, { amount: 5 })).status).toBe(200);
    expect(await readPaid(buyer)).toEqual([1000, 1000, 500]);
  });

  test('nothing is bought in an app where the user has not bought before @attack', async () => {
    const buyer = await newBuyer(world);
    const cardId = await addCard(buyer);
    await buyWithForm(await buyer.openPopup(), 100);
    await buyer.confirmedMinutesAgo(11);
    const thief = await newApp('Thief');
    const window = await buyer.openPopup(thief);
    expect((await pay(window, cardId)).body).toMatchObject({ error: { type: 'step_up_required' } });
    expect(await readPaid(buyer)).toEqual([10_000]);
    // Outside any app, nobody but the user gains.
    expect(await buyAgain(buyer, cardId, 'button')).toMatchObject({ payment: { status: 'completed' } });
  });

  test('a purchase that was refunded permits nothing @attack', async () => {
    const buyer = await newBuyer(world);
    const cardId = await addCard(buyer);
    await buyWithForm(await buyer.openPopup(), 10);
    await prisma().purchase.updateMany({ where: { userId: buyer.userId }, data: { refundedMinor: 1 } });
    await buyer.confirmedMinutesAgo(11);
    expect(await buyAgain(buyer, cardId, 'button')).toBe('unconfirmed');
  });
});

describe('buying again in the account', () => {
  test('two tabs that show the same button pay once, and the next button pays again @attack', async () => {
    const buyer = await newBuyer(world);
    const [first, second] = [await addCard(buyer), await addCard(buyer)];
    await buyWithForm(await buyer.openPopup(), 10);
    const offer = await findRepeatablePurchase(buyer.userId);
    expect(offer).toMatchObject({ amountMinor: 1000, currency: 'usd', credits: 1_000_000_000n });
    const { buttonId = '' } = offer ?? {};
    const results = await Promise.all([first, first].map((cardId) => buyAgain(buyer, cardId, buttonId)));
    const ids = results.map((result) => (result === 'unconfirmed' ? result : result.payment.id));
    expect(ids[0]).toBe(ids[1]);
    expect(await buyAgain(buyer, second, buttonId)).toMatchObject({ payment: { status: 'completed' } });
    expect(await readPaid(buyer)).toEqual([1000, 1000]);
    expect(await findOwnPayment(buyer.userId, ids[0] ?? '')).toMatchObject({ status: 'completed' });
    const { pockets } = await readPockets(buyer.userId);
    expect(pockets.find(({ partnerId }) => partnerId === '')).toMatchObject({ own: 1_000_000_000n });

    const next = await findRepeatablePurchase(buyer.userId);
    expect(next?.buttonId).not.toBe(buttonId);
    await buyAgain(buyer, second, next?.buttonId ?? '');
    expect(await readPaid(buyer)).toEqual([1000, 1000, 1000]);
  });

  test('a saved card pays any amount, outside any app and for one, each order once in parallel @attack', async () => {
    const buyer = await newBuyer(world);
    const cardId = await addCard(buyer);
    await buyer.openPopup();
    const buttonId = await readButtonId(buyer.userId);
    const order = { currency: 'usd', cardId, buttonId } as const;
    const orders = [
      { ...order, amount: 5 },
      { ...order, amount: 12.5 },
      { ...order, amount: 5, partnerId: world.app.id },
    ];
    await Promise.all([...orders, ...orders].map((each) => buyOwnWithCard(buyer.session, each)));
    expect((await readPaid(buyer)).toSorted((a, b) => a - b)).toEqual([500, 500, 1250]);
    const { pockets } = await readPockets(buyer.userId);
    expect(pockets.find(({ partnerId }) => partnerId === world.app.id)).toMatchObject({ own: 500_000_000n });
    for (const partnerId of [(await newApp('Stranger')).id, 'prt_none'])
      await expect(buyOwnWithCard(buyer.session, { ...order, amount: 5, partnerId })).rejects.toMatchObject({
        code: 'not_found',
      });
  });

  test('is offered after a purchase that was kept, and only to a user who may have cards', async () => {
    const buyer = await newBuyer(world);
    expect(await findRepeatablePurchase(buyer.userId)).toBeNull();
    await addCard(buyer);
    expect(await findRepeatablePurchase(buyer.userId)).toBeNull();
    await buyWithForm(await buyer.openPopup(), 25);
    expect(await findRepeatablePurchase(buyer.userId)).toMatchObject({ amountMinor: 2500 });
    await prisma().purchase.updateMany({ where: { userId: buyer.userId }, data: { disputedMinor: 2500 } });
    expect(await findRepeatablePurchase(buyer.userId)).toBeNull();
  });
});

test('the card used last comes first', async () => {
  const buyer = await newBuyer(world);
  const [first, second] = [await addCard(buyer), await addCard(buyer)];
  const order = async () => (await listSavedCards(buyer.userId)).map(({ id }) => id);
  expect(await order()).toEqual([second, first]);
  await buyAgain(buyer, first, 'button-1');
  expect(await order()).toEqual([first, second]);
  await buyAgain(buyer, second, 'button-2');
  expect(await order()).toEqual([second, first]);
});
