import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DAY_MS, now } from '@/server/base/clock';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { createPayout, grantCredits, OUTSIDE_ANY_APP, openUserApp } from '@/server/ledger';
import { rollUpEarnings } from '@/server/ledger/earnings';
import { findUserRef } from '@/server/operator/find-user';
import { createPartner } from '@/server/partners/partner';
import { createSecret, revealSecret } from '@/server/partners/webhooks/signing-secret';
import { openSession } from '@/server/people/sessions';
import { openUser } from '@/server/people/users';
import { bookPaidSession } from '../harness/purchases';
import { mint, newAppUser } from '../people/identity/app-world';
import { Dashboard } from '../people/identity/dashboard';
import { Instance } from '../sim/instances';

/**
 * A real server with users whose secrets no response and no log line may contain. The API is called with the key
 * of a spender; pages and actions belong to another app and its holder, because they disable apps and revoke keys.
 */

const OPERATOR = 'operator.zq81@canary.example';
const OWNER = 'owner.zq82@canary.example';
const BYSTANDER = 'bystander.zq83@canary.example';
const SPENDER = 'spender.zq84@canary.example';
const HOLDER = 'holder.zq88@canary.example';
/** Text of prompts and addresses in requests: never logged. */
export const PROMPT = 'prompt canary zq85';
export const TYPED_EMAIL = 'typed.zq86@canary.example';

export type World = Awaited<ReturnType<typeof openWorld>>;

export async function openWorld(databaseUrl: string, folder: string) {
  const secret = 'the secret of the fuzzed server, zq87, long enough to be one';
  process.env.AUTH_SECRET = secret;
  const server = await Instance.start(folder, {
    NODE_ENV: 'production',
    LOG_LEVEL: 'debug',
    KEEP_LOG: 'yes',
    AUTH_SECRET: secret,
    DATABASE_URL: databaseUrl,
    OPERATOR_EMAILS: OPERATOR,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    LIMIT_REQUESTS_PER_KEY_PER_MINUTE: '0',
    LIMIT_CODES_PER_EMAIL_PER_HOUR: '0',
    LIMIT_CODES_PER_ADDRESS_PER_HOUR: '0',
    LIMIT_CODE_RESEND_SECONDS: '0',
  });
  const app = await createPartner({ name: 'Fuzzed', rateBp: 2_500, origins: [] });
  const managed = await createPartner({ name: 'Managed', rateBp: 2_500, origins: [], ownerEmail: OWNER });
  const other = await createPartner({ name: 'Neighbour', rateBp: 0, origins: [] });
  const spender = await newSpender(app.id, SPENDER);
  const holder = await newSpender(managed.id, HOLDER);
  const bystander = await newSpender(other.id, BYSTANDER);
  const dashboard = new Dashboard(server.url.replace('127.0.0.1', 'localhost'));
  const team = managed.teamId ?? '';
  const ids = {
    app: managed.id,
    team,
    payout: await payTeam(team, server.url, holder.userKey),
    ref: (await findUserRef(HOLDER)) ?? '',
    foreignRef: (await findUserRef(BYSTANDER)) ?? '',
  };
  const visit = await openWindow(server.url, dashboard.ownPage, app.publishableKey);
  // Only now: the events of the app contain no key that another response must not contain.
  await createSecret(app.id);
  const backend = `${app.publishableKey}:${(await revealSecret(app.id))?.secret}`;
  const made = {
    api: await spendAndBuy(server.url, spender.userKey),
    pages: await spendAndBuy(server.url, holder.userKey),
  };
  const payments = readFileSync(path.join(folder, 'sandbox-payments.json'), 'utf8');
  const { secretKey, webhookSecret } = JSON.parse(payments) as Record<string, string>;
  const isText = (text: string | undefined): text is string => text !== undefined && text.length > 5;
  const password = decodeURIComponent(new URL(databaseUrl).password);
  return {
    server,
    dashboard,
    app,
    spender,
    managed,
    holder,
    bystander,
    ids,
    made,
    visit,
    backend,
    /** What no response contains. */
    secrets: [
      secret,
      secretKey,
      webhookSecret,
      password,
      ...[bystander, spender, holder].map(({ userKey }) => userKey),
    ].filter(isText),
    /** What only their owner and operators may read. */
    personal: [BYSTANDER, bystander.appUserId],
    /** What no log may contain, although requests do. */
    unlogged: [SPENDER, HOLDER, OWNER, OPERATOR, PROMPT, TYPED_EMAIL, backend.split(':')[1] ?? ''],
    tokens: await signInEveryone(),
  };
}

/** New sessions, because requests end them, and because a confirmation is recent for some minutes only. */
export async function signInEveryone() {
  const emails = { operator: OPERATOR, owner: OWNER, user: HOLDER, leaver: TYPED_EMAIL };
  const tokens = Object.entries(emails).map(async ([who, email]) => [who, await signIn(email)]);
  return Object.fromEntries(await Promise.all(tokens)) as Record<keyof typeof emails, string>;
}

const signIn = (email: string): Promise<string> =>
  inTransaction(async (tx) => {
    const { id: userId } = await openUser(tx, email);
    return (await openSession(tx, { userId, userAgent: 'fuzz' })).token;
  });

/** A user of an app with enough credits for every request of a night. */
async function newSpender(partnerId: string, email: string) {
  const user = await newAppUser(partnerId, { seat: 1 }, email);
  const { userKey } = await mint(user);
  const money = { userId: user.userId, credits: wholeCredits(1_000_000) };
  await inTransaction(async (tx) => {
    await bookPaidSession(tx, { ...money, partnerId, sessionId: newId('cks') });
    await openUserApp(tx, { userId: user.userId, partnerId: OUTSIDE_ANY_APP, appUserId: newId('au') });
    await grantCredits(tx, { ...money, partnerId: OUTSIDE_ANY_APP, grantId: newId('req'), note: 'a gift' });
  });
  return { ...user, userKey };
}

/** A checkout window of the app: its id and its cookie. */
async function openWindow(url: string, ownPage: Record<string, string>, publishableKey: string) {
  const request = { origin: 'http://localhost:9', display: 'popup', challenge: 'c'.repeat(43) };
  const opened = await fetch(`${url}/checkout/api/visits`, {
    method: 'POST',
    headers: { ...ownPage, 'content-type': 'application/json' },
    body: JSON.stringify({ publishable_key: publishableKey, ...request }),
  });
  const { visit_id: id } = (await opened.json()) as { visit_id: string };
  const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';');
  return { id, cookie };
}

/** A payout of the commission on one long request, as if it had matured. Returns its id. */
async function payTeam(teamId: string, url: string, userKey: string): Promise<string> {
  const messages = [{ role: 'user', content: `${PROMPT} `.repeat(10_000) }];
  await call(url, userKey, '/v1/chat/completions', { model: 'sandbox/story', messages });
  await rollUpEarnings('0 seconds');
  const year = 366 * DAY_MS;
  const payout = await createPayout({
    payoutId: newId('po'),
    teamId,
    period: '2026-11',
    asOf: new Date(now() + year),
    minimum: wholeCredits(1),
    method: 'manual',
    approvedBy: null,
    processorAccountId: null,
    payee: null,
  });
  if (payout.outcome !== 'created') throw new Error(`no payout: ${payout.outcome}`);
  return payout.payoutId;
}

function call(url: string, userKey: string, where: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' };
  return fetch(url + where, { method: 'POST', headers, body: JSON.stringify(body) });
}

type Spent = { request: string; response: string; session: string };

/** A request, a kept response and a purchase, whose ids requests name. */
async function spendAndBuy(url: string, userKey: string): Promise<Spent> {
  const messages = [{ role: 'user', content: PROMPT }];
  const generated = await call(url, userKey, '/v1/chat/completions', { model: 'sandbox/echo', messages });
  const kept = await call(url, userKey, '/v1/responses', { model: 'sandbox/echo', input: PROMPT });
  const { id: response } = (await kept.json()) as { id: string };
  const bought = await call(url, userKey, '/v1/credits/checkout', { amount: 5, currency: 'usd' });
  const { session_id: session } = (await bought.json()) as { session_id: string };
  return { request: generated.headers.get('x-request-id') ?? '', response, session };
}
