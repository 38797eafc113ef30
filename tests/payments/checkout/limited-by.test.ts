import { describe, expect, test } from 'vitest';
import { nowDate } from '@/server/base/clock';
import { microcredits, wholeCredits } from '@/server/base/credits';
import { inTransaction, prisma } from '@/server/base/db';
import { bookPurchase, type Limits, resumeSpending, saveLimits, stopSpending } from '@/server/ledger';
import { saveAppLimits } from '@/server/partners/user-limits';
import { newDatabase } from '../../harness';
import { CheckoutWindow, newApp, newUserKey, payByCard, startCheckout } from './checkout-world';

/** What no purchase changes: the checkout says it before it sells, also to a user known by a key, and after it sold. */

await newDatabase();
const world = await startCheckout();

const NONE: Limits = { request: null, day: null, week: null, month: null, models: null };
/** Less than the smallest request needs. */
const NOTHING = microcredits(1n);

let made = 0;

/** A user with 700 credits bought in the app, in a window that only knows the app's key. */
async function openByKey(app = world.app) {
  const email = `limited-${++made}@example.com`;
  const { userId, userKey } = await newUserKey(app, email);
  const partnerId = app.id;
  await inTransaction((tx) =>
    bookPurchase(tx, { userId, partnerId, credits: wholeCredits(700), sessionId: `cks_${email}` }),
  );
  const window = await CheckoutWindow.open({ ...world, app });
  await window.post('/recognise', { user_key: userKey });
  const read = async () => (await window.get()).body;
  return { userId, partnerId, email, window, read };
}

type Opened = Awaited<ReturnType<typeof openByKey>>;

const limit = ({ userId }: Opened, partnerId: string, limits: Partial<Limits>) =>
  inTransaction((tx) => saveLimits(tx, { userId, partnerId, zone: 'UTC', limits: { ...NONE, ...limits } }));
const stop = ({ userId }: Opened, partnerId: string) =>
  inTransaction((tx) => stopSpending(tx, { userId, partnerId }));

const ALL = '';
const DATE = expect.stringMatching(/T00:00:00\.000Z$/);

type Case = [name: string, limited: (by: Opened) => Promise<unknown>, expected: (by: Opened) => object];
const CASES: Case[] = [
  [
    'a stop of the app',
    (by) => stop(by, by.partnerId),
    ({ partnerId }) => ({ kind: 'stop', scope: 'app', resets_at: null, path: `/account/apps/${partnerId}` }),
  ],
  [
    'a stop of all apps',
    (by) => stop(by, ALL),
    () => ({ kind: 'stop', scope: 'all', resets_at: null, path: '/account/limits' }),
  ],
  ...(['day', 'week', 'month'] as const).flatMap((kind): Case[] => [
    [
      `the limit per ${kind} of the app`,
      (by) => limit(by, by.partnerId, { [kind]: NOTHING }),
      ({ partnerId }) => ({ kind, scope: 'app', resets_at: DATE, path: `/account/apps/${partnerId}` }),
    ],
    [
      `the limit per ${kind} of all apps`,
      (by) => limit(by, ALL, { [kind]: NOTHING }),
      () => ({ kind, scope: 'all', resets_at: DATE, path: '/account/limits' }),
    ],
  ]),
  [
    'a review by the service',
    ({ userId }) => prisma().wallet.update({ where: { userId }, data: { pausedAt: nowDate() } }),
    () => ({ kind: 'review', scope: null, resets_at: null, path: null }),
  ],
];

describe.each(CASES)('%s', (_, limited, expected) => {
  test('is named to a user known by a key, and after a purchase, which it makes unusable', async () => {
    const by = await openByKey();
    expect(await by.read()).toMatchObject({ signed_in: 'key', limited_by: null, status: 'ok' });
    await limited(by);
    const reached = { limited_by: expected(by) };
    // How much the limits are is private.
    expect(await by.read()).toMatchObject({ ...reached, limits: [], email: null });
    const { session_id: id, payment } = await by.window.startPayment();
    expect(await payByCard(payment.embed_url)).toMatchObject({ status: 'complete' });
    const { body } = await by.window.get(`/payments/${id}`);
    expect(body).toMatchObject({ status: 'completed', can_spend: false, ...reached });
  });
});

test('a limit of the app is named as one that the user cannot lift', async () => {
  const app = await newApp('Careful');
  const by = await openByKey(app);
  const limits = { request: null, day: NOTHING, month: null, models: null };
  await inTransaction((tx) => saveAppLimits(app.id, limits, tx));
  const limited = { kind: 'day', scope: 'partner', resets_at: DATE, path: null };
  expect(await by.read()).toMatchObject({ limited_by: limited });
});

test('a limit that the user lifts elsewhere is gone on the next look', async () => {
  const by = await openByKey();
  await stop(by, by.partnerId);
  await inTransaction((tx) => resumeSpending(tx, by));
  expect(await by.read()).toMatchObject({ limited_by: null, status: 'ok' });
});

test('limits that only some requests meet do not stand in the way of a purchase', async () => {
  const by = await openByKey();
  await limit(by, by.partnerId, { request: NOTHING, models: { rule: 'except', models: ['sandbox/echo'] } });
  expect(await by.read()).toMatchObject({ limited_by: null, status: 'ok' });
});

test('a purchase that can be spent says so', async () => {
  const by = await openByKey();
  const { session_id: id, payment } = await by.window.startPayment();
  await payByCard(payment.embed_url);
  const { body } = await by.window.get(`/payments/${id}`);
  expect(body).toMatchObject({ status: 'completed', can_spend: true, limited_by: null, balance: 1700 });
});
