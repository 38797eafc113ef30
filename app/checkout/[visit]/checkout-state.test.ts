import { describe, expect, test } from 'vitest';
import type { Payment, PaymentStatus, VisitState } from './api';
import {
  type CheckoutEvent,
  type CheckoutState,
  guardsUnload,
  INITIAL_STATE,
  reduce,
  type Step,
} from './checkout-state';

const VISIT: VisitState = {
  language: null,
  app_name: 'App',
  app_logo: null,
  app_site: null,
  app_support: null,
  display: 'embedded',
  currency: 'usd',
  signed_in: null,
  email: null,
  device_email: null,
  balance: null,
  status: null,
  money: null,
  elsewhere: null,
  allowance_left: null,
  limited_by: null,
  limits: [],
  answer: null,
  amounts: [5, 10],
  minimum: 5,
  maximum: 100,
  rates: { usd: 1, eur: null },
  includes_tax: false,
  has_cards: false,
  offers_invoices: false,
  sandbox: true,
};
const ANONYMOUS = VISIT;
const SIGNED_IN: VisitState = { ...VISIT, signed_in: 'session', status: 'ok', elsewhere: 0 };
const NEEDS_ALLOWANCE: VisitState = { ...SIGNED_IN, status: 'partner_not_permitted', elsewhere: 300 };
const BY_KEY: VisitState = { ...NEEDS_ALLOWANCE, signed_in: 'key', elsewhere: null };

const PAYMENT: Payment = {
  session_id: 'cks_1',
  amount: 10,
  currency: 'usd',
  credits: 1000,
  bonus_credits: 0,
  rate: 1,
  checkout_url: null,
  payment: { kind: 'sandbox', embed_url: 'https://pay.example.com' },
};
const SPENDABLE = { can_spend: true, limited_by: null };
const PAID: PaymentStatus = {
  ...SPENDABLE,
  status: 'completed',
  credits_added: 1000,
  balance: 1200,
  receipt_id: 'rcp_1',
};
const DECLINED: PaymentStatus = {
  ...SPENDABLE,
  status: 'failed',
  credits_added: 0,
  balance: 200,
  failure: 'declined',
};

const STOP = { kind: 'stop', scope: 'app', resets_at: null, path: '/account/apps/prt_1' } as const;
const STOPPED: VisitState = { ...SIGNED_IN, status: 'partner_limit_reached', limited_by: STOP };

const reduceAll = (...events: CheckoutEvent[]): CheckoutState => events.reduce(reduce, INITIAL_STATE);
const from = (step: Step, ...events: CheckoutEvent[]): CheckoutState =>
  events.reduce(reduce, { ...INITIAL_STATE, visit: SIGNED_IN, step });

const read = (visit: VisitState): CheckoutEvent => ({ type: 'visit_read', visit });
const signedIn = (visit: VisitState, hasKey = true): CheckoutEvent => ({ type: 'signed_in', visit, hasKey });
const ended = (outcome: PaymentStatus): CheckoutEvent => ({ type: 'payment_ended', outcome });
const started: CheckoutEvent = { type: 'payment_started', payment: PAYMENT, isOpened: false };
const paying: Step = { name: 'payment', payment: PAYMENT, isOpened: false };

const OFFER = { code: 'WELCOME20', credits: null, percent: 20, max_credits: null, min_purchase: 0 };
const applied: CheckoutEvent = { type: 'code_applied', offer: OFFER };

describe('a stop or limit', () => {
  test('is shown after a confirmation too, and does not lose what was chosen', () => {
    const confirmed = from(
      { name: 'amount' },
      { type: 'code_step_up_requested', amount: 25, code: 'WELCOME20' },
      signedIn(STOPPED),
    );
    const next = { name: 'amount', amount: 25, code: 'WELCOME20' };
    expect(confirmed.step).toEqual({ name: 'limit', next });
    expect(reduce(confirmed, { type: 'amount_requested' }).step).toEqual(next);
    expect(reduce(confirmed, { type: 'visit_refreshed', visit: SIGNED_IN }).step).toEqual(next);
  });

  test('that the user lifted elsewhere leads to what the app needs now', () => {
    const limited = reduceAll(read(STOPPED));
    expect(reduce(limited, { type: 'visit_refreshed', visit: STOPPED }).step).toEqual(limited.step);
    expect(reduce(limited, { type: 'visit_refreshed', visit: NEEDS_ALLOWANCE }).step).toEqual({
      name: 'allowance',
    });
  });
});

describe('a promotion code', () => {
  test('and the amount outlive the confirmation that the code needs, also if the app gets no key at first', () => {
    const asked = from({ name: 'amount' }, { type: 'code_step_up_requested', amount: 25, code: 'WELCOME20' });
    const back = { name: 'amount', amount: 25, code: 'WELCOME20' };
    expect(asked.step).toEqual({ name: 'step_up', back });
    for (const event of [signedIn(SIGNED_IN), { type: 'went_back' }] as const)
      expect(reduce(asked, event).step).toEqual(back);
    const waiting = reduce(asked, signedIn(SIGNED_IN, false));
    expect(reduce(waiting, { type: 'key_delivered' }).step).toEqual(back);
  });

  test('is forgotten when another account signs in', () => {
    const ada = { ...SIGNED_IN, email: 'ada@example.com' };
    const entered = reduceAll(read(ada), applied);
    expect(reduce(entered, signedIn(ada)).offer).toEqual(OFFER);
    expect(reduce(entered, signedIn({ ...ada, email: 'eve@example.com' })).offer).toBeNull();
  });

  test('stays while the buyer changes the amount or is declined, and can be removed', () => {
    const declined = from({ name: 'amount' }, applied, started, ended(DECLINED));
    expect(reduce(declined, { type: 'amount_requested' })).toMatchObject({
      step: { name: 'amount' },
      offer: OFFER,
    });
    expect(reduce(declined, { type: 'code_removed' }).offer).toBeNull();
  });

  test('is forgotten after the purchase and when the buyer signs out', () => {
    expect(from({ name: 'amount' }, applied, started, ended(PAID)).offer).toBeNull();
    expect(from({ name: 'amount' }, applied, { type: 'signed_out', visit: ANONYMOUS }).offer).toBeNull();
  });
});

describe('the first step', () => {
  test.each([
    ['nobody is signed in', ANONYMOUS, { name: 'sign_in' }],
    ['a user whose credits the app can spend', SIGNED_IN, { name: 'amount' }],
    ['a user with credits the app may not spend', NEEDS_ALLOWANCE, { name: 'allowance' }],
    [
      'an allowance that is used up',
      { ...SIGNED_IN, status: 'partner_limit_reached' },
      { name: 'allowance' },
    ],
    ['the same user, known by a key only', BY_KEY, { name: 'step_up', back: null }],
    ['a stop or limit, before anything is sold', STOPPED, { name: 'limit', next: { name: 'amount' } }],
    [
      'the same, of a user known by a key only, without a code',
      { ...STOPPED, signed_in: 'key', elsewhere: null },
      { name: 'limit', next: { name: 'amount' } },
    ],
  ] as const)('%s', (_, visit, step) => {
    expect(reduceAll(read(visit))).toEqual({ ...INITIAL_STATE, visit, step });
  });

  test('a visit that does not exist is lost; any other failure can be retried', () => {
    expect(reduceAll({ type: 'visit_failed', isLost: true }).step).toEqual({ name: 'lost' });
    expect(reduceAll({ type: 'visit_failed', isLost: false }).step).toEqual({ name: 'broken' });
    expect(reduceAll({ type: 'visit_failed', isLost: false }, { type: 'connecting' }).step).toEqual({
      name: 'connecting',
    });
  });
});

describe('signing in', () => {
  test('goes to the first step of the user', () => {
    expect(reduceAll(read(ANONYMOUS), signedIn(SIGNED_IN)).step).toEqual({ name: 'amount' });
    expect(reduceAll(read(ANONYMOUS), signedIn(NEEDS_ALLOWANCE)).step).toEqual({ name: 'allowance' });
  });

  test('waits while the app has no key', () => {
    const waiting = reduceAll(read(ANONYMOUS), signedIn(SIGNED_IN, false));
    expect(waiting).toEqual({
      ...INITIAL_STATE,
      visit: SIGNED_IN,
      step: { name: 'key_failed', next: { name: 'amount' } },
    });
    expect(reduce(waiting, { type: 'key_delivered' }).step).toEqual({ name: 'amount' });
  });

  test('as a step-up opens the allowance if there is something to allow', () => {
    expect(reduceAll(read(BY_KEY), signedIn(NEEDS_ALLOWANCE)).step).toEqual({ name: 'allowance' });
    expect(reduceAll(read(BY_KEY), signedIn(SIGNED_IN)).step).toEqual({ name: 'amount' });
  });

  test('as a step-up from the account returns to it', () => {
    const account = reduceAll(read({ ...BY_KEY, status: 'ok' }), { type: 'account_opened' });
    const signedInAgain = [{ type: 'step_up_requested' } as const, signedIn(NEEDS_ALLOWANCE)];
    expect(signedInAgain.reduce(reduce, account).step).toEqual({ name: 'account', back: { name: 'amount' } });
  });

  test('out returns to the sign-in', () => {
    expect(reduceAll(read(SIGNED_IN), { type: 'signed_out', visit: ANONYMOUS })).toEqual({
      ...INITIAL_STATE,
      visit: ANONYMOUS,
      step: { name: 'sign_in' },
    });
  });
});

describe('a payment', () => {
  test('goes from the form through confirmation to the credits', () => {
    const confirming = reduceAll(read(SIGNED_IN), started, { type: 'payment_submitted' });
    expect(confirming.step).toEqual({ name: 'confirming', payment: PAYMENT });
    expect(reduce(confirming, ended(PAID)).step).toEqual({
      name: 'success',
      payment: PAYMENT,
      outcome: PAID,
    });
  });

  test('that a bank settles later can be left and still ends in credits', () => {
    const processing = reduceAll(read(SIGNED_IN), started, { type: 'payment_processing' });
    expect(processing.step).toEqual({ name: 'processing', payment: PAYMENT });
    expect(reduce(processing, ended(PAID)).step.name).toBe('success');
  });

  test('that failed keeps its reason, and another amount can be chosen', () => {
    const failed = from(paying, ended(DECLINED));
    expect(failed.step).toEqual({ name: 'failed', reason: DECLINED });
    expect(reduce(failed, { type: 'amount_requested' }).step).toEqual({ name: 'amount' });
    expect(from(paying, { type: 'payment_unavailable' }).step).toEqual({
      name: 'failed',
      reason: 'form_unavailable',
    });
  });

  test('that the user left is not ended by a late message', () => {
    for (const event of [ended(PAID), { type: 'payment_submitted' }, { type: 'payment_processing' }] as const)
      expect(from({ name: 'amount' }, event).step).toEqual({ name: 'amount' });
  });

  test('keeps the visit current for the steps after it', () => {
    const visit = { ...SIGNED_IN, balance: 1200 };
    expect(from(paying, { type: 'visit_refreshed', visit })).toEqual({
      ...INITIAL_STATE,
      visit,
      step: paying,
    });
  });
});

describe('closing the window', () => {
  test('needs confirmation while a payment may be in progress, until the user decides', () => {
    const closing = from(paying, { type: 'close_requested' });
    expect(closing.isLeaving).toBe(true);
    expect(reduce(closing, { type: 'payment_submitted' }).isLeaving).toBe(true);
    expect(reduce(closing, { type: 'close_dismissed' })).toEqual({ ...closing, isLeaving: false });
  });

  test('needs no confirmation before or after a payment, and the question closes with the payment', () => {
    expect(from({ name: 'amount' }, { type: 'close_requested' }).isLeaving).toBe(false);
    const closing = from(paying, { type: 'close_requested' });
    for (const event of [ended(PAID), ended(DECLINED), { type: 'payment_processing' }] as const)
      expect(reduce(closing, event).isLeaving).toBe(false);
  });
});

describe('the account', () => {
  test('opens from every step where nothing is lost, and returns there', () => {
    const opened = from({ name: 'allowance' }, { type: 'account_opened' });
    expect(opened.step).toEqual({ name: 'account', back: { name: 'allowance' } });
    expect(reduce(opened, { type: 'went_back' }).step).toEqual({ name: 'allowance' });
  });

  test('does not open during a payment', () => {
    expect(from(paying, { type: 'account_opened' }).step).toEqual(paying);
  });
});

describe('an allowance', () => {
  test('is confirmed once saved', () => {
    expect(from({ name: 'allowance' }, { type: 'allowance_saved', granted: 300 }).step).toEqual({
      name: 'allowed',
      granted: 300,
    });
  });

  test('that needs a step-up returns to the form where it was set', () => {
    const stepUp = from({ name: 'allowance' }, { type: 'step_up_requested' });
    expect(stepUp.step).toEqual({ name: 'step_up', back: { name: 'allowance' } });
    expect(reduce(stepUp, { type: 'went_back' }).step).toEqual({ name: 'allowance' });
  });

  test('that needs a code returns, also after further codes, to the form where it was set', () => {
    const sent = (id: string): CheckoutEvent => ({
      type: 'allowance_code_sent',
      choice: { credits: 100, saveId: 'save-one' },
      challenge: { id, resendInSeconds: 30 },
    });
    const asked = from({ name: 'allowance' }, sent('ch_1'), sent('ch_2'));
    expect(asked.step).toMatchObject({ name: 'allowance_code', challenge: { id: 'ch_2' } });
    expect(reduce(asked, { type: 'went_back' }).step).toEqual({ name: 'allowance' });
  });
});

describe('saved cards', () => {
  const CARD = { id: 'pm_1', brand: 'visa', last4: '4242', expiryMonth: 12, expiryYear: 2040 };
  const OTHER = { ...CARD, id: 'pm_2', last4: '4444' };
  const cardsRead: CheckoutEvent = { type: 'cards_read', cards: [CARD, OTHER] };
  const { payment: _, checkout_url: __, ...order } = PAYMENT;

  test('are kept while the visit is refreshed, and a removed one disappears', () => {
    const known = reduceAll(read(SIGNED_IN), cardsRead, { type: 'visit_refreshed', visit: SIGNED_IN });
    expect(known.cards).toEqual([CARD, OTHER]);
    expect(reduce(known, { type: 'card_removed', cardId: 'pm_1' }).cards).toEqual([OTHER]);
  });

  test('are forgotten whenever the user may be another', () => {
    const events: CheckoutEvent[] = [
      { type: 'connecting' },
      read(SIGNED_IN),
      signedIn(SIGNED_IN),
      { type: 'signed_out', visit: ANONYMOUS },
    ];
    for (const event of events) expect(reduce(reduceAll(read(SIGNED_IN), cardsRead), event).cards).toBeNull();
  });

  test('that were charged wait for the credits', () => {
    const charged = from({ name: 'amount' }, { type: 'card_charged', payment: order });
    expect(charged.step).toEqual({ name: 'confirming', payment: order });
    expect(reduce(charged, ended(PAID)).step).toMatchObject({ name: 'success', outcome: PAID });
  });

  test('that were declined say why, and lead back to the amount', () => {
    const declined = from({ name: 'amount' }, { type: 'card_declined', reason: DECLINED });
    expect(declined.step).toEqual({ name: 'failed', reason: DECLINED });
    expect(reduce(declined, { type: 'amount_requested' }).step).toEqual({ name: 'amount' });
  });

  test('lead to the bank if it asks, and back from there', () => {
    const asked = from({ name: 'amount' }, { type: 'bank_asked', url: 'https://bank.example.com' });
    expect(asked.step).toEqual({ name: 'bank', url: 'https://bank.example.com' });
    expect(guardsUnload(asked.step)).toBe(false);
    expect(reduce(asked, { type: 'amount_requested' }).step).toEqual({ name: 'amount' });
  });

  test('that need a confirmation return to the amount that was chosen', () => {
    const asked = from({ name: 'amount' }, { type: 'card_step_up_requested', amount: 25 });
    expect(asked.step).toEqual({ name: 'step_up', back: { name: 'amount', amount: 25 } });
    expect(reduce(asked, signedIn(SIGNED_IN)).step).toEqual({ name: 'amount', amount: 25 });
    expect(reduce(asked, { type: 'went_back' }).step).toEqual({ name: 'amount', amount: 25 });
  });
});
