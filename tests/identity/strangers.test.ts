import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { credit } from '@/server/checkout/credit';
import { DAY_MS, now } from '@/server/clock';
import { wholeCredits } from '@/server/credits';
import { inTransaction, pool, prisma } from '@/server/db';
import { SESSION_COOKIE } from '@/server/identity/session-cookie';
import { openSession } from '@/server/identity/sessions';
import { sendServiceCode } from '@/server/identity/sign-in-to-service';
import { openUser } from '@/server/identity/users';
import { newId } from '@/server/ids';
import { grantCredits, OUTSIDE_ANY_APP, openUserApp } from '@/server/ledger';
import { findUserRef } from '@/server/operator/find-user';
import { createPartner } from '@/server/partners/partner';
import { type LoopbackServer, listenOnLoopback } from '@/server/sandbox/loopback-server';
import { setEndpoint } from '@/server/webhooks/endpoint';
import { buildPages, bundleServer } from '../../scripts/steps.mjs';
import { newDatabase } from '../harness';
import { until } from '../harness/until';
import { Instance } from '../sim/instances';
import { liveKeyIds, mint, newAppUser } from './app-world';
import { type Answer, Dashboard, type Sender } from './dashboard';
import { openMailbox } from './mailbox';

/**
 * Every action of the pages, on a real server: it does what its page asks for, and before that
 * nothing at all for a stranger, for who is signed out, and for a page elsewhere that the signed-in
 * browser visits. A new action fails the test until it stands here.
 */

const OPERATOR = 'operator@example.com';
/** What may be asked without being signed in. */
const OPEN = ['sendCode', 'enterCode', 'signOut'];

process.env.WEBHOOK_ALLOW_LOOPBACK = 'true';
const { url: databaseUrl } = await newDatabase();
const mailbox = await openMailbox();
const folder = mkdtempSync(path.join(tmpdir(), 'strangers-'));
let server: Instance | undefined;
let receiver: LoopbackServer;
let dashboard: Dashboard;

beforeAll(async () => {
  await buildPages();
  await bundleServer();
  receiver = await listenOnLoopback(async (_request, response) => {
    response.writeHead(204).end();
  });
  server = await Instance.start(folder, {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    AUTH_SECRET: process.env.AUTH_SECRET ?? '',
    DATABASE_URL: databaseUrl,
    SMTP_URL: process.env.SMTP_URL ?? '',
    OPERATOR_EMAILS: OPERATOR,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  });
  dashboard = new Dashboard(server.url.replace('127.0.0.1', 'localhost'));
}, 300_000);

afterAll(async () => {
  await Promise.all([server?.stop(), receiver?.close()]);
  rmSync(folder, { recursive: true });
});

type Step = {
  action: string;
  /** Session of who may do it. */
  token?: string | undefined;
  /** The part of the input that names something of theirs. */
  ids?: Record<string, string>;
  input?: object | undefined;
  /** The processor has no part in this test: asking it is what the action can do. */
  asksOnly?: true;
};

const inputOf = ({ ids, input }: Step, named = ids): object | undefined =>
  ids || input ? { ...named, ...input } : undefined;

/** Of the same form, of nothing that ever was. */
const unknown = (ids: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, `${id.slice(0, -4)}none`]));

test('every action of the pages does nothing for a stranger, without a session or from elsewhere, and then what its own page asks', async () => {
  const stranger = (await newSignedIn()).token;
  const seen = new Set<string>();
  for await (const step of everyAction()) {
    const { action, token, asksOnly } = step;
    seen.add(action);
    const before = await readFacts();
    const refusals: [string, Answer][] = await refuse(step);
    if (step.ids) refusals.push(...(await expectNotFound(step, stranger)));
    for (const [how, { result, setsCookie }] of refusals)
      expect([action, how, result?.ok ?? false, setsCookie]).toEqual([action, how, false, false]);
    expect(await readFacts(), action).toEqual(before);

    const done = await dashboard.call(action, inputOf(step), { token, headers: dashboard.ownPage });
    if (asksOnly) expect(await readFacts(), action).not.toEqual(before);
    else expect(done.result, `${action}: ${done.status}`).toMatchObject({ ok: true });
  }
  expect([...seen].sort()).toEqual(dashboard.actionNames);
}, 120_000);

test('a form of our own page reaches an action, so that one from elsewhere was tried in earnest', async () => {
  const { token, email } = await newSignedIn();
  const { id: partnerId } = await createPartner({
    name: 'Before',
    rateBp: 0,
    origins: [],
    ownerEmail: email,
  });
  const nameOf = async () => (await prisma().partner.findUniqueOrThrow({ where: { id: partnerId } })).name;
  await dashboard.submit('rename', { partnerId, name: 'After' }, elsewhere(token)['a form on another site']);
  expect(await nameOf()).toBe('Before');
  await dashboard.submit('rename', { partnerId, name: 'After' }, { token, headers: dashboard.ownPage });
  expect(await nameOf()).toBe('After');
});

/** Who is signed in and visits a page of somebody else, whose requests carry the cookie at worst. */
function elsewhere(token: string | undefined) {
  const from = (headers: Record<string, string>): Sender => ({ token, headers });
  const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const { host } = new URL(dashboard.url);
  return {
    'another site': from(evil),
    'a form on another site': from(evil),
    'another site that names itself as the host': from({ ...evil, 'x-forwarded-host': 'evil.example' }),
    'a subdomain': from({ origin: `http://evil.${host}`, 'sec-fetch-site': 'same-site' }),
    'another port': from({ origin: 'http://localhost:1', 'sec-fetch-site': 'same-site' }),
    'a sandboxed frame': from({ origin: 'null', 'sec-fetch-site': 'cross-site' }),
    'a form in a sandboxed frame': from({ origin: 'null', 'sec-fetch-site': 'cross-site' }),
    'an unnamed page': from({}),
    'our origin, not our page': from({ origin: dashboard.url, 'sec-fetch-site': 'same-site' }),
  };
}

async function refuse(step: Step): Promise<[string, Answer][]> {
  const answers: [string, Answer][] = [];
  for (const [how, sender] of Object.entries(elsewhere(step.token))) {
    const send = how.includes('form') ? dashboard.submit : dashboard.call;
    answers.push([how, await send.call(dashboard, step.action, inputOf(step), sender)]);
  }
  if (!OPEN.includes(step.action)) {
    for (const token of [undefined, 'x'.repeat(43)]) {
      const signedOut = { token, headers: dashboard.ownPage };
      answers.push(['signed out', await dashboard.call(step.action, inputOf(step), signedOut)]);
    }
  }
  return answers;
}

/** Signed in, on our own page, with the ids of somebody else: they are ids that do not exist. */
async function expectNotFound(step: Step, token: string): Promise<[string, Answer][]> {
  const asStranger = { token, headers: dashboard.ownPage };
  const foreign = await dashboard.call(step.action, inputOf(step), asStranger);
  const nobodys = await dashboard.call(step.action, inputOf(step, unknown(step.ids ?? {})), asStranger);
  expect(foreign.result, step.action).toMatchObject({ ok: false });
  expect(foreign.result, step.action).toEqual(nobodys.result);
  return [['a stranger', foreign]];
}

/** In an order in which each would succeed. */
async function* everyAction(): AsyncGenerator<Step> {
  const { token, email } = await newSignedIn();
  const app = await createPartner({ name: 'Harbour', rateBp: 2_500, origins: [], ownerEmail: email });
  yield* actionsOfPartner(app.id, token);
  yield* actionsOfAccount(app.id);
  yield* actionsOfOperator();
  yield* actionsOfEverybody();
}

async function* actionsOfPartner(partnerId: string, token: string): AsyncGenerator<Step> {
  const own = { token, ids: { partnerId } };
  const newApp = { name: 'Second', percent: '10', origin: '' };
  yield { action: 'createApp', token, input: newApp };
  const effectiveAt = new Date(now() + DAY_MS).toISOString();
  yield { ...own, action: 'saveRate', input: { percent: '30', effectiveAt } };
  yield { ...own, action: 'cancelRate' };
  yield { ...own, action: 'rotateKey' };
  yield { ...own, action: 'saveModels', input: { models: ['sandbox/echo'] } };
  const origin = 'https://harbour.example';
  yield { ...own, action: 'addOrigin', input: { origin } };
  yield { ...own, action: 'removeOrigin', input: { origin } };
  yield { ...own, action: 'rename', input: { name: 'Harbour two' } };
  yield { ...own, action: 'saveEndpoint', input: { url: `${receiver.url}/hook` } };
  yield { ...own, action: 'sendTest' };
  const { id: eventId } = await prisma().event.findFirstOrThrow({ where: { partnerId } });
  yield { ...own, action: 'resend', ids: { partnerId, eventId } };
  yield { ...own, action: 'showSecrets' };
  yield { ...own, action: 'beginRotation' };
  yield { ...own, action: 'cancelRotation' };
  await dashboard.call('beginRotation', { partnerId }, { token, headers: dashboard.ownPage });
  yield { ...own, action: 'finishRotation' };
  yield { ...own, action: 'clearEndpoint' };
}

async function* actionsOfAccount(partnerId: string): AsyncGenerator<Step> {
  const user = await newAppUser(partnerId);
  await giveCredits(user.userId);
  const { token } = await newDevice(user.userId);
  const own = { token, ids: { partnerId } };
  yield { ...own, action: 'saveAllowance', input: { credits: '5' } };
  yield { ...own, action: 'pauseAllowance' };
  yield { ...own, action: 'resumeAllowance' };
  yield { ...own, action: 'removeAllowance' };
  const { keyId } = await mint(user);
  yield { token, action: 'revokeAppKey', ids: { keyId } };
  expect(await liveKeyIds(user)).toEqual([]);
  yield { token, action: 'startPurchase', input: { amount: 5, currency: 'usd' } };

  const { publishableKey } = await prisma().partner.findUniqueOrThrow({ where: { id: partnerId } });
  const parameters = { publishable_key: publishableKey, redirect_uri: 'http://localhost:9/back', state: '' };
  const challenge = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
  yield { token, action: 'allow', input: { ...parameters, ...challenge } };

  const { sessionId } = await newDevice(user.userId);
  yield { token, action: 'logOutOne', ids: { sessionId } };
  await newDevice(user.userId);
  yield { token, action: 'logOutOthers' };
  yield { token, action: 'logOutEverywhere' };
  const { token: again } = await newDevice(user.userId);
  yield { token: again, action: 'deleteMyAccount', input: { email: user.email } };
}

async function* actionsOfOperator(): AsyncGenerator<Step> {
  const { token } = await newSignedIn(OPERATOR);
  const { id: partnerId } = await createPartner({ name: 'Watched', rateBp: 2_500, origins: [] });
  const user = await newAppUser(partnerId);
  const reason = 'a test of it';
  const ofApp = { token, ids: { partnerId } };
  yield { ...ofApp, action: 'setCap', input: { reason, percent: '50' } };
  yield { ...ofApp, action: 'setModels', input: { reason, models: 'sandbox/echo' } };
  yield { ...ofApp, action: 'changeState', input: { reason, what: 'disable' } };
  yield { token, action: 'findUser', input: { name: user.email } };

  const userRef = (await findUserRef(user.email)) ?? '';
  const gift = { reason, kind: 'give', credits: '7', changeId: randomUUID() };
  yield { token, action: 'changeCredits', ids: { userRef, partnerId }, input: gift };
  const purchaseId = newId('txn');
  await prisma().purchase.create({
    data: {
      ...{ id: purchaseId, userId: user.userId, partnerId, sessionId: newId('cks') },
      ...{ processorPaymentId: 'pi_none', currency: 'usd', amountMinor: 500, rate: 1, credits: 500_000_000n },
    },
  });
  const back = { reason, amount: '1', currency: 'usd', refundId: randomUUID() };
  yield { token, action: 'refund', ids: { userRef, purchaseId }, input: back, asksOnly: true };
  const alert = { id: 'dp_one', kind: 'dispute', sessionId: newId('cks'), detail: 'fraudulent' };
  const { id: alertId } = await prisma().paymentAlert.create({ data: alert });
  yield { token, action: 'dismiss', ids: { alertId }, input: { reason } };
}

async function* actionsOfEverybody(): AsyncGenerator<Step> {
  yield { action: 'sendCode', input: { email: 'asked@example.com' } };
  const { token, email } = await newSignedIn();
  const { challengeId } = await sendServiceCode({ email, clientIp: '' });
  yield { token, action: 'enterCode', input: { email, challengeId, code: mailbox.lastCode() } };
  yield { token: (await newSignedIn(email)).token, action: 'signOut' };
}

/** Addresses whose parts name nothing of one person; the frame around a checkout is empty. */
const OPEN_TO_ALL = [
  '/docs/[guide]',
  '/docs/api/[group]',
  '/api/auth/[...nextauth]',
  '/v1/models/[...id]',
  '/checkout/[visit]',
];

/** The one page that is told by a query what it is about. */
const PAYMENT_RETURN = '/account/buy/return?session_id=[payment]';

test('no address that names something of somebody shows it to another: the answer is the one to what does not exist', async () => {
  const [ada, eve] = [await newOwnerOfEverything('Adas Harbour'), await newOwnerOfEverything('Eves Pier')];
  const operator = { ...ada, token: (await newSignedIn(OPERATOR)).token };
  const { event, session } = ada.ids;
  // In an app or a window of one's own the parts of others do not exist either.
  const foreign = [ada.ids, { event, session }];
  const places = [...namedPlaces(), { place: PAYMENT_RETURN, methods: ['GET'] }].filter(
    ({ place }) => !OPEN_TO_ALL.includes(place),
  );
  expect(places.length).toBeGreaterThan(30);
  for (const { place, methods } of places) {
    for (const method of methods) {
      const who = `${method} ${place}`;
      const owner = place.startsWith('/operator') ? operator : ada;
      if (method === 'GET') {
        const own = await ask(fillIn(place, ada.ids), method, owner);
        expect([who, own.status]).toEqual([who, 200]);
      }
      for (const ids of foreign.slice(0, place.split('[').length - 1)) {
        const theirs = await ask(fillIn(place, { ...eve.ids, ...ids }), method, eve);
        const nobodys = await ask(fillIn(place, { ...eve.ids, ...unknown(ids) }), method, eve);
        expect([who, theirs.status, nobodys.status]).toEqual([who, 404, 404]);
        if (theirs.isJson) expect(theirs.text, who).toBe(nobodys.text);
        for (const trace of [ada.name, ada.userKey.slice(-8), ada.appUserId])
          expect(theirs.text, who).not.toContain(trace);
      }
    }
  }
}, 120_000);

test('a page elsewhere changes nothing in a checkout window, whatever cookies its request carries', async () => {
  const owner = await newOwnerOfEverything('Framed');
  const routes = namedPlaces().filter(({ place }) => place.startsWith('/checkout/api/'));
  const before = await readFacts();
  let tried = 0;
  for (const { place, methods } of routes) {
    for (const method of methods.filter((name) => name !== 'GET')) {
      for (const [how, { headers }] of Object.entries(elsewhere(owner.token))) {
        const { status, text } = await ask(fillIn(place, owner.ids), method, owner, headers);
        expect([method, place, how, status]).toEqual([method, place, how, 403]);
        expect(text).toContain('origin_not_allowed');
        tried++;
      }
    }
  }
  expect(tried).toBeGreaterThan(50);
  expect(await readFacts()).toEqual(before);
});

/** Pages and routes with a part in brackets, by their address and what may be asked of them. */
function namedPlaces(): { place: string; methods: string[] }[] {
  return readdirSync('app', { recursive: true, encoding: 'utf8' })
    .filter((file) => /\[.*\/(page\.tsx|route\.ts)$/.test(file))
    .map((file) => ({
      place: `/${file}`.replace(/\/\(\w+\)(?=\/)|\/(page\.tsx|route\.ts)$/g, ''),
      methods: file.endsWith('page.tsx')
        ? ['GET']
        : [
            ...readFileSync(`app/${file}`, 'utf8').matchAll(
              /^export (?:async function|function|const) (GET|POST|PUT|PATCH|DELETE)\b/gm,
            ),
          ].flatMap(([, method]) => method ?? []),
    }));
}

/** What `[id]` names, by the address before it; the other parts tell by their own names. */
const NAMED_BY_ID: Record<string, string> = {
  '/account/receipts': 'purchase',
  '/operator/apps': 'app',
  '/operator/models': 'model',
  '/v1/credits/checkout': 'session',
  '/v1/credits/receipts': 'request',
  '/checkout/api/visits': 'visit',
};

function fillIn(place: string, ids: Record<string, string>): string {
  return place.replace(/\[(?:\.{3})?(\w+)\]/g, (_, part: string, at: number) => {
    const id = ids[part] ?? ids[NAMED_BY_ID[place.slice(0, at - 1)] ?? ''];
    if (id === undefined) throw new Error(`Say what [${part}] names in ${place}`);
    return id;
  });
}

type Owner = Awaited<ReturnType<typeof newOwnerOfEverything>>;

/** Shows all that somebody has: cookie, key, and the secret of their own window as if it were this one's. */
async function ask(
  address: string,
  method: string,
  { token, userKey, visitToken }: Owner,
  headers = dashboard.ownPage,
) {
  const visitId = /ckv_\w+/.exec(address)?.[0];
  const cookies = [
    `${SESSION_COOKIE}=${token}`,
    ...(visitId ? [`__Host-svc-visit-${visitId}=${visitToken}`] : []),
  ];
  const response = await fetch(dashboard.url + address, {
    method,
    redirect: 'manual',
    headers: {
      ...headers,
      cookie: cookies.join('; '),
      ...(address.startsWith('/v1/') && { authorization: `Bearer ${userKey}` }),
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(method !== 'GET' && { body: '{}' }),
  });
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, isJson, text: await response.text() };
}

/** An owner of an app who is its user as well, with one of each thing that an address can name. */
async function newOwnerOfEverything(name: string) {
  const { email, token } = await newSignedIn();
  const app = await createPartner({ name, rateBp: 2_500, origins: [], ownerEmail: email });
  await setEndpoint(app.id, `${receiver.url}/hook`);
  const user = await newAppUser(app.id, undefined, email);
  const { userKey } = await mint(user);
  const { id: event } = await prisma().event.findFirstOrThrow({ where: { partnerId: app.id } });

  const post = async (where: string, body: object, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const json = { 'content-type': 'application/json', ...dashboard.ownPage };
    return fetch(dashboard.url + where, {
      ...init,
      headers: { ...json, authorization: `Bearer ${userKey}`, ...headers },
    });
  };
  const order = { amount: 5, currency: 'usd' };
  const { session_id: session } = (await (await post('/v1/credits/checkout', order)).json()) as {
    session_id: string;
  };
  const bought = await prisma().checkoutSession.findUniqueOrThrow({ where: { id: session } });
  await credit(bought, { paymentId: 'pi_none', taxMinor: 0 });
  const { id: purchase } = await prisma().purchase.findUniqueOrThrow({ where: { sessionId: session } });
  const asked = await post('/v1/chat/completions', {
    model: 'sandbox/echo',
    messages: [{ role: 'user', content: 'hi' }],
  });
  const request = asked.headers.get('x-request-id') ?? '';
  const window = {
    publishable_key: app.publishableKey,
    origin: 'http://localhost:9',
    display: 'popup',
    challenge: 'c'.repeat(43),
  };
  const opened = await post('/checkout/api/visits', window);
  const { visit_id: visit } = (await opened.json()) as { visit_id: string };
  const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';');
  await post(`/checkout/api/visits/${visit}/recognise`, { user_key: userKey }, { cookie });
  const ref = (await findUserRef(email)) ?? '';
  await dashboard.call('startPurchase', order, { token, headers: dashboard.ownPage });
  const ofOwnPages = { userId: user.userId, partnerId: OUTSIDE_ANY_APP };
  const { id: payment } = await prisma().checkoutSession.findFirstOrThrow({ where: ofOwnPages });
  return {
    ...{ name, token, userKey, visitToken: cookie.split('=')[1] ?? '', appUserId: user.appUserId },
    ids: { app: app.id, event, session, payment, purchase, request, visit, ref, model: 'sandbox/echo' },
  };
}

let people = 0;

async function newSignedIn(email = `stranger-${++people}@example.com`) {
  const { id: userId } = await inTransaction((tx) => openUser(tx, email));
  return { email, userId, ...(await newDevice(userId)) };
}

const newDevice = (userId: string) => inTransaction((tx) => openSession(tx, { userId, userAgent: 'test' }));

/** From outside any app, so that an allowance has something to allow. */
async function giveCredits(userId: string): Promise<void> {
  const gift = { userId, partnerId: OUTSIDE_ANY_APP, credits: wholeCredits(50) };
  await inTransaction(async (tx) => {
    await openUserApp(tx, { userId, partnerId: OUTSIDE_ANY_APP, appUserId: newId('au') });
    await grantCredits(tx, { ...gift, grantId: newId('req'), note: 'a gift' });
  });
}

/** Kept by the server itself, whether anybody asks or not. */
const OWN_BOOKS =
  /^(watermark|audit_run|audited_pocket|activity_\w+|usage_day|refusal_hour|provider_\w+|model|model_price|fx_rate|sandbox_object)$/;

/** Everything that the database holds, table by table, once no webhook and no receipt is on its way. */
async function readFacts(): Promise<Record<string, string>> {
  await until(
    () =>
      Promise.all([
        prisma().delivery.count({ where: { status: 'pending' } }),
        prisma().purchase.count({ where: { receiptDueAt: { not: null } } }),
      ]),
    (underWay) => underWay.every((count) => count === 0),
  );
  const { rows: tables } = await pool().query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const facts = tables.map(({ name }) => name).filter((name) => !OWN_BOOKS.test(name));
  const digests = facts.map(
    (
      name,
    ) => `SELECT '${name}' AS name, md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) AS digest
               FROM "${name}" t`,
  );
  const { rows } = await pool().query<{ name: string; digest: string }>(digests.join(' UNION ALL '));
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}
