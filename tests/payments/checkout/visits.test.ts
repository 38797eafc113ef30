import { afterEach, describe, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS, now, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { findVisitOrigin, forgetOldVisits } from '@/server/payments/checkout/visits';
import { newDatabase } from '../../harness';
import { APP_ORIGIN, CheckoutWindow, newApp, openRequest, send, startCheckout } from './checkout-world';

await newDatabase();
const world = await startCheckout();
const address = `${world.url}/checkout/api/visits`;

const open = (
  changes: Record<string, unknown> = {},
  headers: Record<string, string> = { origin: world.url },
) => send(address, 'POST', headers, openRequest(world, changes));

afterEach(() => setClock());

describe('opening a window', () => {
  test('sets a partitioned cookie in a frame and a lax one in a first-party window', async () => {
    const framed = await open();
    const cookie = `__Host-svc-visit-${framed.body.visit_id}=`;
    expect(framed.status).toBe(201);
    expect(framed.headers.get('set-cookie')).toMatch(
      new RegExp(`^${cookie}\\w{43}; Path=/; Max-Age=3600; Secure; HttpOnly; SameSite=None; Partitioned$`),
    );
    const popup = await open({ display: 'popup' });
    expect(popup.headers.get('set-cookie')).toMatch(/; Secure; HttpOnly; SameSite=Lax$/);
  });

  test('refuses an unregistered origin and names it', async () => {
    const refused = await open({ origin: 'https://evil.example' });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      error: { type: 'origin_not_allowed', message: expect.stringContaining('https://evil.example') },
    });
    expect(refused.headers.get('set-cookie')).toBeNull();
  });

  test.each([
    ['an unknown publishable key', { publishable_key: 'svc_pk_nobody' }, 401, 'invalid_publishable_key'],
    ['a display that does not exist', { display: 'billboard' }, 400, 'invalid_request'],
    ['a challenge that is not a SHA-256', { challenge: 'short' }, 400, 'invalid_request'],
    ['metadata that is not flat', { metadata: { a: { b: 1 } } }, 400, 'invalid_request'],
  ])('refuses %s', async (_, changes, status, type) => {
    const refused = await open(changes);
    expect(refused.status).toBe(status);
    expect(refused.body).toMatchObject({ error: { type } });
  });

  test('stores the token as a hash only', async () => {
    const window = await CheckoutWindow.open(world);
    const token = window.cookie.split('=')[1] ?? '';
    const visit = await prisma().checkoutVisit.findUniqueOrThrow({ where: { id: window.visitId } });
    expect(token).toHaveLength(43);
    expect(JSON.stringify({ ...visit, tokenHash: Buffer.from(visit.tokenHash).toString() })).not.toContain(
      token,
    );
  });
});

describe('access to a window', () => {
  test.each([
    ['no origin', {}],
    ['another origin', { origin: APP_ORIGIN }],
    ['another port of this host', { origin: 'http://localhost:1' }],
    ['the right origin of a cross-site request', { origin: world.url, 'sec-fetch-site': 'cross-site' }],
    ['the right origin of a same-site request', { origin: world.url, 'sec-fetch-site': 'same-site' }],
  ])('is refused to a request with %s', async (_, headers) => {
    const before = await prisma().checkoutVisit.count();
    const refused = await open({}, headers as Record<string, string>);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ error: { type: 'origin_not_allowed' } });
    expect(await prisma().checkoutVisit.count()).toBe(before);
  });

  test('is granted to its own page', async () => {
    expect((await open({}, { origin: world.url, 'sec-fetch-site': 'same-origin' })).status).toBe(201);
  });

  test('gives other origins no readable response', async () => {
    const window = await CheckoutWindow.open(world);
    const responses = [await window.get(), await window.post('/payments', {}), await open({}, {})];
    for (const response of responses) expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('requires its cookie: without it, or with that of another window, the response is 404', async () => {
    const mine = await CheckoutWindow.open(world);
    const other = await CheckoutWindow.open(world);
    const foreign = other.cookie.replace(other.visitId, mine.visitId);
    for (const cookie of ['', other.cookie, foreign, `__Host-svc-visit-${mine.visitId}=`]) {
      const response = await send(`${address}/${mine.visitId}`, 'GET', { cookie });
      expect(response.status).toBe(404);
      expect(response.body).toMatchObject({ error: { type: 'not_found' } });
    }
    const both = await send(`${address}/${mine.visitId}`, 'GET', {
      cookie: `${other.cookie}; ${mine.cookie}`,
    });
    expect(both.status).toBe(200);
  });

  test('ends after an hour', async () => {
    const window = await CheckoutWindow.open(world);
    const openedAt = now();
    setClock(() => openedAt + 59 * MINUTE_MS);
    expect((await window.get()).status).toBe(200);
    setClock(() => openedAt + 61 * MINUTE_MS);
    expect((await window.get()).status).toBe(404);
    expect(await findVisitOrigin(window.visitId)).toBeNull();
  });
});

test('a window can be framed by the origin that opened it', async () => {
  const window = await CheckoutWindow.open(world);
  expect(await findVisitOrigin(window.visitId)).toEqual({ origin: APP_ORIGIN, display: 'embedded' });
  expect(await findVisitOrigin('ckv_unknown')).toBeNull();
});

test('a new window shows the offer and no user', async () => {
  const window = await CheckoutWindow.open(world, { currency: 'eur' });
  expect((await window.get()).body).toEqual({
    visit_id: window.visitId,
    language: null,
    app_name: 'Notes',
    app_logo: null,
    app_site: null,
    app_support: null,
    display: 'embedded',
    currency: 'eur',
    signed_in: null,
    elsewhere: null,
    device_email: null,
    email: null,
    balance: null,
    status: null,
    money: null,
    allowance_saved: null,
    allowance_left: null,
    limited_by: null,
    limits: [],
    answer: null,
    amounts: [5, 10, 25, 50, 100],
    minimum: 5,
    maximum: 500,
    rates: { usd: 1, eur: 1.08 },
    includes_tax: false,
    has_cards: false,
    offers_invoices: false,
    sandbox: true,
  });
});

test('a window says what an answer costs with the models of its app, and nothing where there are none', async () => {
  Object.assign(settings(), { SANDBOX_PROVIDER_URL: 'http://127.0.0.1:1' });
  const answerIn = async (allowedModels: string[]) => {
    const app = await newApp('Answers');
    const models = { allModels: false, allowedModels };
    await prisma().partner.update({ where: { id: app.id }, data: models });
    return (await (await CheckoutWindow.open({ ...world, app })).get()).body.answer;
  };
  // 2,500 tokens at $2 and 500 at $8 per million, with 25% commission.
  const story = { model: 'Sandbox Story', credits: 1.125 };
  expect(await answerIn(['sandbox/story', 'sandbox/embed'])).toEqual(story);
  expect([await answerIn(['sandbox/embed']), await answerIn([])]).toEqual([null, null]);
});

test('a visit is deleted a day after it expired, except the newest of its app', async () => {
  const kept = () => prisma().checkoutVisit.findMany({ select: { id: true }, orderBy: { createdAt: 'asc' } });
  await prisma().checkoutVisit.deleteMany();
  const start = now();
  const ids: { id: string }[] = [];
  for (const minute of [0, 1, 2]) {
    setClock(() => start + minute * MINUTE_MS);
    ids.push({ id: String((await open()).body.visit_id) });
  }
  setClock(() => start + DAY_MS + 61 * MINUTE_MS);
  await forgetOldVisits();
  expect(await kept()).toEqual(ids.slice(1));
  setClock(() => start + 9 * DAY_MS);
  await forgetOldVisits();
  expect(await kept()).toEqual(ids.slice(2));
});
