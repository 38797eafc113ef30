import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { speak, toWav } from '@/sandbox/provider/tones';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction } from '@/server/base/db';
import { bookPurchase } from '@/server/ledger';
import { findUserRef } from '@/server/operator/find-user';
import { createPartner } from '@/server/partners/partner';
import { KNOWN_BROWSER_COOKIE } from '@/server/people/known-browser';
import { SESSION_COOKIE } from '@/server/people/session-cookie';
import { openSession } from '@/server/people/sessions';
import { openUser } from '@/server/people/users';
import { buildPages, buildWidget, bundleServer } from '../../scripts/steps.mjs';
import { newDatabase } from '../harness';
import { APP_ROUTES } from '../harness/app-routes';
import { mint, newAppUser } from '../people/identity/app-world';
import { Dashboard } from '../people/identity/dashboard';
import { openMailbox } from '../people/identity/mailbox';
import { Instance } from '../sim/instances';

/**
 * Requests every page and route of a real server, and checks the security headers and the cookies of
 * each response. A route in a folder without expectations fails the test.
 */

const OPERATOR = 'headers@example.com';
const EMBEDDED_ORIGIN = 'https://embedding.example';
const SECURE_URL = 'https://svc.example';

const { url: databaseUrl } = await newDatabase();
const mailbox = await openMailbox();
const folder = mkdtempSync(path.join(tmpdir(), 'headers-'));
let plain: Instance;
let secure: Instance;

type Seen = { method: string; url: URL; response: Response };
/** Every response of this file. */
const seen: Seen[] = [];

beforeAll(async () => {
  await buildWidget();
  await buildPages();
  await bundleServer();
  const environment = {
    NODE_ENV: 'production' as const,
    LOG_LEVEL: 'warn',
    AUTH_SECRET: process.env.AUTH_SECRET ?? '',
    DATABASE_URL: databaseUrl,
    SMTP_URL: process.env.SMTP_URL ?? '',
    OPERATOR_EMAILS: OPERATOR,
    // The payment sandbox stays open next to the public address.
    SANDBOX: 'open',
  };
  [plain, secure] = await Promise.all([
    Instance.start(path.join(folder, 'plain'), environment),
    Instance.start(path.join(folder, 'secure'), { ...environment, BASE_URL: SECURE_URL }),
  ]);
  const realFetch = globalThis.fetch;
  vi.stubGlobal('fetch', async (target: string, init: RequestInit = {}) => {
    const response = await realFetch(target, init);
    seen.push({ method: init.method ?? 'GET', url: new URL(target), response });
    return response;
  });
}, 300_000);

afterAll(async () => {
  await Promise.all([plain?.stop(), secure?.stop()]);
  rmSync(folder, { recursive: true });
});

type Kind = 'redirect' | 'page' | 'checkout page' | 'own data' | 'api' | 'widget' | 'asset';

/** The first that matches. */
const KINDS: [RegExp, Kind][] = [
  // Refused before anything reads the path.
  [/%(00|E0)/, 'own data'],
  [/^\/v1\/(\d|svc\.)/, 'widget'],
  [/^\/(v1|auth\/token$|oauth\/|\.well-known\/|mcp$|metrics$)/, 'api'],
  [/^\/((api|checkout\/api|logos)\/|(livez|readyz)$)/, 'own data'],
  [/^\/checkout\//, 'checkout page'],
  [/^\/_next\/static\//, 'asset'],
  [/^\/_next\//, 'own data'],
  // To the demo's own host.
  [/^\/demo$/, 'redirect'],
  [
    /^\/($|account|auth\/authorize$|continue$|dev\/mail|device$|docs|operator|partner|pricing$|redeem\/|revoke-key$|sign-in(\/(passkey|issuer))?$|status$|stop$|team\/|undo-email$|unsubscribe$)/,
    'page',
  ],
  [/^\/((llms|llms-full|robots)\.txt|skill\.md|sitemap\.xml|icon\.svg)$/, 'page'],
];

const kindOf = (pathname: string): Kind | undefined => KINDS.find(([pattern]) => pattern.test(pathname))?.[1];

test('every page and route belongs to a kind with expected headers @attack', () => {
  expect(APP_ROUTES.length).toBeGreaterThan(80);
  expect(APP_ROUTES.filter(({ place }) => kindOf(place) === undefined)).toEqual([]);
});

test('every response has the security headers of its kind, and every cookie all its attributes @attack', async () => {
  const world = await newWorld();
  await requestEverything(plain, world);
  await requestEachKind(secure, world);
  await setEveryCookie();
  await openWindows(world);
  await callWithKey(world);
  expect(seen.length).toBeGreaterThan(2 * APP_ROUTES.length);
  const onSecure = seen.filter(({ url }) => secure.url.endsWith(`:${url.port}`));
  expect(new Set(onSecure.map(({ url }) => kindOf(url.pathname)))).toEqual(new Set(Object.keys(EXPECTED)));
  expect(seen.flatMap(findFaults)).toEqual([]);
  expect(seen.filter(({ response }) => response.status >= 500)).toEqual([]);
  const cookies = seen.flatMap(({ response }) => response.headers.getSetCookie());
  const names = new Set(cookies.map((cookie) => /^\w+-(svc|next)-[a-z]+/.exec(cookie)?.[0]));
  expect(names).toEqual(
    new Set([
      SESSION_COOKIE,
      KNOWN_BROWSER_COOKIE,
      '__Host-svc-visit',
      '__Host-next-auth',
      '__Host-svc-sign',
      '__Host-svc-identity',
    ]),
  );
}, 300_000);

type World = Awaited<ReturnType<typeof newWorld>>;

async function newWorld() {
  const app = await createPartner({
    name: 'Headers',
    rateBp: 0,
    origins: [EMBEDDED_ORIGIN],
    ownerEmail: OPERATOR,
  });
  const user = await newAppUser(app.id, undefined, 'user-of-headers@example.com');
  const { userKey } = await mint(user);
  const token = await inTransaction(async (tx) => {
    const { id: userId } = await openUser(tx, OPERATOR);
    await bookPurchase(tx, {
      userId: user.userId,
      partnerId: app.id,
      credits: wholeCredits(50),
      sessionId: 'cks_headers',
    });
    return (await openSession(tx, { userId, userAgent: 'test' })).token;
  });
  return { app, user, userKey, token, ref: (await findUserRef(user.email)) ?? '' };
}

/** Every page and route, signed out and signed in, with ids that exist where a page shows more for them. */
async function requestEverything(instance: Instance, { app, userKey, token, ref }: World): Promise<void> {
  const ids: Record<string, string> = { app: app.id, ref, id: 'none', guide: 'charges', group: 'generate' };
  const found: string[] = [];
  for (const { place, methods } of APP_ROUTES) {
    const filled = place
      .replace('/operator/apps/[id]', `/operator/apps/${app.id}`)
      .replace('/models/[...id]', '/models/sandbox/echo')
      .replace('[...nextauth]', 'session')
      .replace(/\[(\w+)\]/g, (_, name: string) => ids[name] ?? 'none');
    for (const method of methods) {
      const body = method === 'POST' ? { body: '{}' } : {};
      const json = { 'content-type': 'application/json' };
      await get(instance, filled, { method, ...body, headers: json });
      // A page that is asked with a user key answers as the API does.
      const key = kindOf(filled) === 'api' && { authorization: `Bearer ${userKey}` };
      const headers = { ...json, cookie: `${SESSION_COOKIE}=${token}`, ...key };
      if ((await get(instance, filled, { method, ...body, headers })).status === 200) found.push(filled);
    }
  }
  expect(found.length, found.join()).toBeGreaterThan(45);
  const others = [
    '/v1/svc.js',
    '/v1/svc.d.ts',
    '/icon.svg',
    '/nothing-here',
    '/api/none',
    '/checkout/api/none',
  ];
  for (const where of [await findScript(instance), '/_next/none', '/v1/none', ...others])
    await get(instance, where);
  for (const undecodable of ['/v1/%E0', '/checkout/api/visits/%00', '/docs/%00'])
    expect([undecodable, (await get(instance, undecodable)).status]).toEqual([undecodable, 400]);
  await get(instance, '/api/health', { method: 'DELETE' });
  await get(instance, '/v1/models', { method: 'DELETE' });
}

/** The first script of the front page. */
async function findScript(instance: Instance): Promise<string> {
  const html = await (await get(instance, '/')).text();
  return /\/_next\/static\/[^"]+\.js/.exec(html)?.[0] ?? '';
}

/** What depends on the public address is the same for every page and route of a kind. */
async function requestEachKind(instance: Instance, { token }: World): Promise<void> {
  const headers = { cookie: `${SESSION_COOKIE}=${token}` };
  const places = new Map(APP_ROUTES.map(({ place }) => [kindOf(place), place.replace(/\[.*?\]/g, 'none')]));
  for (const place of [...places.values(), '/account', '/v1/svc.js', await findScript(instance)])
    for (const init of [{}, { headers }]) await get(instance, place, init);
}

const get = (instance: Instance, where: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${instance.url.replace('127.0.0.1', 'localhost')}${where}`, { redirect: 'manual', ...init });

/** Signs in on our own pages, and ends the session in every way. */
async function setEveryCookie(): Promise<void> {
  const dashboard = new Dashboard(plain.url.replace('127.0.0.1', 'localhost'));
  const headers = dashboard.ownPage;
  for (const [leave, page] of [
    ['signOut', '/account'],
    ['logOutEverywhere', '/account/devices'],
    ['deleteMyAccount', '/account/settings'],
  ] as const) {
    const email = `${leave}@example.com`.toLowerCase();
    const sent = await dashboard.call('sendCode', { email }, { headers });
    const { challengeId } = (sent.result?.value ?? {}) as { challengeId?: string };
    const code = { email, challengeId, code: mailbox.lastCode() };
    const entered = await dashboard.call('enterCode', code, { headers, page: '/sign-in' });
    const [cookie = ''] = seen.at(-1)?.response.headers.getSetCookie() ?? [];
    const token = /^[^=]+=([^;]+)/.exec(cookie)?.[1];
    const input = leave === 'deleteMyAccount' ? { email } : undefined;
    const left = await dashboard.call(leave, input, { token, headers, page });
    expect([leave, entered.setsCookie, left.setsCookie]).toEqual([leave, true, true]);
  }
}

/** Opens and signs in to a checkout window of each display. */
async function openWindows({ app }: World): Promise<void> {
  const own = { origin: plain.url.replace('127.0.0.1', 'localhost'), 'sec-fetch-site': 'same-origin' };
  const headers = { ...own, 'content-type': 'application/json' };
  const post = (where: string, body: object, cookie = '') =>
    get(plain, `/checkout/api/visits${where}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...headers, cookie },
    });
  for (const display of ['embedded', 'popup']) {
    const email = `${display}@example.com`;
    const request = { origin: EMBEDDED_ORIGIN, display, challenge: 'c'.repeat(43) };
    const opened = await post('', { publishable_key: app.publishableKey, ...request });
    const { visit_id: visit } = (await opened.json()) as { visit_id: string };
    const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';');
    const sent = (await (await post(`/${visit}/send-code`, { email }, cookie)).json()) as object;
    const code = { ...sent, email, code: mailbox.lastCode() };
    expect((await post(`/${visit}/verify-code`, code, cookie)).status).toBe(200);
    expect((await get(plain, `/checkout/api/visits/${visit}`, { headers: { ...own, cookie } })).status).toBe(
      200,
    );
    const page = await get(plain, `/checkout/${visit}`);
    const framed = display === 'embedded' ? EMBEDDED_ORIGIN : "'none'";
    expect(readPolicy(page)['frame-ancestors']).toBe(framed);
  }
}

/** What a partner's page or backend calls with a key: whole, streamed, refused and preflighted. */
async function callWithKey({ user }: World): Promise<void> {
  // The first key has revoked itself by now.
  const { userKey } = await mint(user);
  const authorization = `Bearer ${userKey}`;
  const request = { model: 'sandbox/echo', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
  for (const where of ['/v1/chat/completions', '/v1/messages', '/v1/responses']) {
    for (const more of [{}, { stream: true }]) {
      const body = JSON.stringify({ input: 'hi', ...request, ...more });
      const sent = await get(plain, where, { method: 'POST', headers: { authorization }, body });
      expect([where, sent.status]).toEqual([where, 200]);
    }
    await get(plain, where, { method: 'OPTIONS', headers: { origin: EMBEDDED_ORIGIN } });
  }
  const body = JSON.stringify({ model: 'sandbox/embed', input: 'hi' });
  const embedded = await get(plain, '/v1/embeddings', { method: 'POST', headers: { authorization }, body });
  expect(embedded.status).toBe(200);
  const picture = { model: 'sandbox/paint', prompt: 'hi', quality: 'low' };
  const whole = {
    '/v1/moderations': { model: 'sandbox/moderation', input: 'hi' },
    '/v1/rerank': { model: 'sandbox/rerank', query: 'hi', documents: ['hi'] },
    '/v1/ocr': {
      model: 'sandbox/ocr',
      document: { type: 'image_url', image_url: 'https://example.com/a.png' },
    },
    '/v1/images/generations': picture,
    '/v1/images/edits': { ...picture, images: [{ image_url: 'https://example.com/a.png' }], stream: true },
    '/v1/audio/speech': { model: 'sandbox/speak', input: 'hi', voice: 'alloy' },
    '/v1/audio/transcriptions': recordingOf('sandbox/listen'),
    '/v1/audio/translations': recordingOf('sandbox/listen'),
    '/v1/videos': { model: 'sandbox/film', prompt: 'hi', seconds: 1 },
  };
  for (const [where, asked] of Object.entries(whole)) {
    const body = asked instanceof FormData ? asked : JSON.stringify(asked);
    const sent = await get(plain, where, { method: 'POST', headers: { authorization }, body });
    expect([where, sent.status]).toEqual([where, 200]);
  }
  await readVideos(authorization);
}

function recordingOf(model: string): FormData {
  const form = new FormData();
  form.append('model', model);
  form.append('file', new Blob([new Uint8Array(toWav(speak('hi')))]), 'hi.wav');
  return form;
}

/** The video that was just made, and its content before it is complete. */
async function readVideos(authorization: string): Promise<void> {
  const headers = { authorization };
  const list = await get(plain, '/v1/videos', { headers });
  const { first_id: id } = (await list.json()) as { first_id: string };
  const statusOf = async (rest: string, method = 'GET') =>
    (await get(plain, `/v1/videos/${id}${rest}`, { method, headers })).status;
  expect([await statusOf(''), await statusOf('/content'), await statusOf('', 'DELETE')]).toEqual([
    200, 404, 200,
  ]);
}

/** What is wrong with a response, one text for each fault. */
function findFaults({ method, url, response }: Seen): string[] {
  const { headers, status } = response;
  const label = `${method} ${url.pathname} ${status}`;
  const faults = [...findCommonFaults(url, headers), ...findCookieFaults(headers.getSetCookie())];
  const kind = kindOf(url.pathname) ?? 'page';
  const check = (name: string, expected: RegExp | null) => {
    const value = headers.get(name);
    const fits = expected === null ? value === null : expected.test(value ?? '');
    if (!fits) faults.push(`${name}: ${value}, expected ${expected}`);
  };
  for (const [name, expected] of Object.entries(EXPECTED[kind])) check(name, expected);
  if (kind === 'api' && method !== 'OPTIONS' && !PUBLIC.test(url.pathname))
    check('cache-control', /no-store/);
  if (kind === 'page' || kind === 'checkout page') faults.push(...findPolicyFaults(kind, url, response));
  return faults.map((fault) => `${label}: ${fault}`);
}

/** The same for everyone, with and without a key. */
const PUBLIC = /^\/(v1\/(models|openapi\.json|none)|\.well-known\/)/;
const NOTHING = /^default-src 'none'; frame-ancestors 'none'$/;
const DEVICES_OFF =
  '(?=.*\\bcamera=\\(\\))(?=.*\\bmicrophone=\\(\\))(?=.*\\bgeolocation=\\(\\))(?=.*\\busb=\\(\\))';
const ON_PAGES = { 'cache-control': /no-store/ };

const EXPECTED: Record<Kind, Record<string, RegExp | null>> = {
  redirect: { 'content-security-policy': NOTHING, 'cache-control': /no-store/ },
  page: {
    ...ON_PAGES,
    'permissions-policy': permitPasskeys('\\(self\\)'),
    'cross-origin-opener-policy': /^same-origin-allow-popups$/,
    'cross-origin-resource-policy': /^same-origin$/,
    'x-frame-options': /^DENY$/,
    'access-control-allow-origin': null,
  },
  'checkout page': {
    ...ON_PAGES,
    'permissions-policy': permitPasskeys('\\(\\)'),
    // The window messages the page that opened it, and a frame is loaded by that page.
    'cross-origin-opener-policy': null,
    'cross-origin-resource-policy': /^cross-origin$/,
    'access-control-allow-origin': null,
  },
  'own data': {
    'content-security-policy': NOTHING,
    'cache-control': /no-store/,
    'cross-origin-resource-policy': /^same-origin$/,
    'access-control-allow-origin': null,
  },
  api: { 'content-security-policy': NOTHING },
  widget: { 'cross-origin-resource-policy': /^cross-origin$/, 'access-control-allow-origin': /^\*$/ },
  asset: { 'cross-origin-resource-policy': /^cross-origin$/, 'access-control-allow-origin': null },
};

function permitPasskeys(to: string): RegExp {
  const passkeys = ['get', 'create'].map((use) => `(?=.*\\bpublickey-credentials-${use}=${to})`);
  return new RegExp(`^${DEVICES_OFF}${passkeys.join('')}`);
}

function findCommonFaults({ port }: URL, headers: Headers): string[] {
  const isSecure = secure.url.endsWith(`:${port}`);
  const hsts = headers.get('strict-transport-security');
  return [
    ...(headers.get('x-content-type-options') === 'nosniff' ? [] : ['no nosniff']),
    ...((hsts === 'max-age=31536000; includeSubDomains') === isSecure ? [] : [`HSTS ${hsts}`]),
    ...['x-powered-by', 'server', 'x-nextjs-matched-path'].filter((name) => headers.has(name)),
    ...(headers.get('access-control-allow-credentials') === null ? [] : ['credentials allowed']),
  ];
}

function findPolicyFaults(kind: Kind, { pathname }: URL, response: Response): string[] {
  const policy = readPolicy(response);
  const isFramed = kind === 'checkout page' && !/^\/checkout\/return/.test(pathname);
  const expected: Record<string, RegExp> = {
    'default-src': /^'self'$/,
    // A nonce, and no inline code or any host of others.
    'script-src': /^'self' 'nonce-[\w+/=]{24}' 'strict-dynamic'( http:\/\/localhost:\d+)?$/,
    'object-src': /^'none'$/,
    'base-uri': /^'none'$/,
    'form-action': /^'self'$/,
    // Any origin for the gate, which holds no secret; the registered one for its window.
    ...(isFramed ? {} : { 'frame-ancestors': /^'none'$/ }),
  };
  const isRedirect = response.status >= 300 && response.status < 400;
  return [
    ...Object.entries(expected).flatMap(([name, pattern]) =>
      isRedirect || pattern.test(policy[name] ?? '') ? [] : [`${name} ${policy[name]}`],
    ),
    ...(response.headers.get('referrer-policy') === 'no-referrer' ? [] : ['referrer-policy']),
  ];
}

function findCookieFaults(cookies: string[]): string[] {
  const attributes = ['Path=/', 'HttpOnly', 'Secure'];
  return cookies.flatMap((cookie) => {
    const [name = '', ...given] = cookie.split(/; ?/);
    const isFramed = /^__Host-svc-(visit|known)/.test(name) && given.includes('Partitioned');
    const sameSite = isFramed ? /^SameSite=None$/ : /^SameSite=(Lax|Strict)$/i;
    const faults = [
      ...attributes.filter((attribute) => !given.includes(attribute)),
      ...(given.some((attribute) => sameSite.test(attribute)) ? [] : ['SameSite']),
      ...(/^__(Host-|Secure-next-auth\.callback-url=)/.test(name) ? [] : ['prefix']),
      ...given.filter((attribute) => /^domain=/i.test(attribute)),
    ];
    return faults.map((fault) => `cookie ${name.split('=')[0]}: ${fault}`);
  });
}

function readPolicy({ headers }: Response): Record<string, string> {
  const directives = (headers.get('content-security-policy') ?? '').split('; ');
  return Object.fromEntries(
    directives.map((directive) => {
      const at = directive.indexOf(' ');
      return [directive.slice(0, at), directive.slice(at + 1)];
    }),
  );
}
