import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LoopbackServer, listenOnLoopback } from '@/sandbox/loopback-server';
import { DAY_MS, HOUR_MS, now } from '@/server/base/clock';
import { microcredits, wholeCredits } from '@/server/base/credits';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { writeStopPath } from '@/server/base/stop-link';
import { writeUnsubscribePaths } from '@/server/base/unsubscribe-link';
import { bookCorrections, grantCredits, OUTSIDE_ANY_APP, openUserApp } from '@/server/ledger';
import { sealAccounts } from '@/server/operator/abuse';
import { findUserRef } from '@/server/operator/find-user';
import { createGiftLinks, createPromotion } from '@/server/operator/promotions';
import { createPartner } from '@/server/partners/partner';
import { readProfiles, saveProfile } from '@/server/partners/profile';
import { addRedirect } from '@/server/partners/redirects';
import { setEndpoint } from '@/server/partners/webhooks/endpoint';
import { credit } from '@/server/payments/checkout/credit';
import { saveBillingDetails } from '@/server/payments/invoices/billing-details';
import { notePayoutMails } from '@/server/payments/payouts/mails';
import { startDeviceAuthorization } from '@/server/people/device-authorization';
import { writeUndoToken } from '@/server/people/email-change-link';
import { linkIdentity } from '@/server/people/identities';
import { writeRevokeToken } from '@/server/people/keys/revoke-link';
import { mintRunKey } from '@/server/people/keys/run-keys';
import { SESSION_COOKIE } from '@/server/people/session-cookie';
import { openSession } from '@/server/people/sessions';
import { sendServiceCode } from '@/server/people/sign-in-to-service';
import { openUser } from '@/server/people/users';
import { saveWarningChoice } from '@/server/people/warnings/choice';
import { ACCOUNT, closeDay } from '@/server/reports/statements/close-days';
import { buildPages, bundleServer } from '../../../scripts/steps.mjs';
import { newDatabase } from '../../harness';
import { Authenticator } from '../../harness/authenticator';
import { confirmedMinutesAgo } from '../../harness/confirmations';
import { until } from '../../harness/until';
import { correct } from '../../ledger/correct';
import { forge } from '../../ledger/forged-rows';
import { newPayout } from '../../payments/payouts/payout-in-state';
import { Instance } from '../../sim/instances';
import { liveKeyIds, mint, newAppUser } from './app-world';
import { type ActionResponse, Dashboard, type Sender } from './dashboard';
import { openMailbox } from './mailbox';

/**
 * Calls every server action on a real server. An action has no effect for a stranger, for a
 * signed-out user, or from another site in the signed-in user's browser; then it succeeds from its
 * own page. A new action fails the test until it is listed here.
 */

const OPERATOR = 'operator@example.com';
/** Actions that need no session. */
const OPEN = [
  'sendCode',
  'enterCode',
  'askBrowserForPasskey',
  'enterPasskey',
  'signOut',
  'revokeLinkedKey',
  'stopByMail',
  'undoMyEmailChange',
  'unsubscribeByMail',
];
/**
 * Actions that work with an old confirmation, as they change nothing or only end access. Every other action
 * needs one of the last 10 minutes.
 */
const HARMLESS = [
  'sendConfirmation',
  'confirmPresence',
  'allow',
  'startPurchase',
  'addCard',
  'findUser',
  'sendTest',
  'removeAllowance',
  'pauseAllowance',
  'revokeAppKey',
  'logOutOne',
  'logOutOthers',
  'logOutEverywhere',
  'resend',
  'endAutoTopUp',
  'saveLowBalance',
  'confirmTopUp',
  'checkCode',
  'redeem',
  'saveDetails',
  'removeDetails',
  'createInvoice',
  'stopMyApps',
  'findDevice',
  'refuseDevice',
  'saveMyMails',
  'saveMyLanguage',
  'saveMyTimeZone',
  'saveAlerts',
  'askForReview',
  'signInToCheckout',
];

process.env.WEBHOOK_ALLOW_LOOPBACK = 'true';
const SELLER = { SELLER_NAME: 'Harbour GmbH', SELLER_ADDRESS: 'Example Street 1, 1010 Vienna' };
Object.assign(process.env, SELLER);
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
    ...SELLER,
  });
  dashboard = new Dashboard(server.url.replace('127.0.0.1', 'localhost'));
}, 300_000);

afterAll(async () => {
  await Promise.all([server?.stop(), receiver?.close()]);
  rmSync(folder, { recursive: true });
});

type Creation = Parameters<Authenticator['create']>[0];
type Request = Parameters<Authenticator['get']>[0];

type Step = {
  action: string;
  /** The session of a user who may call it. */
  token?: string | undefined;
  /** The ids in the input that belong to that user. */
  ids?: Record<string, string>;
  input?: object | undefined;
  /** The action calls the processor, which is absent here, so only the attempt can be checked. */
  attemptsOnly?: true;
  /** The same where nothing is recorded: what the action answers without a processor. */
  answers?: RegExp;
};

const inputOf = ({ ids, input }: Step, named = ids): object | undefined =>
  ids || input ? { ...named, ...input } : undefined;

/** Returns ids of the same form that do not exist. */
const unknown = (ids: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, `${id.slice(0, -4)}none`]));

/** Each group has its own time limit. */
const GROUPS: [string, () => AsyncGenerator<Step>][] = [
  ['of an app', actionsOfPartner],
  ['of an account', actionsOfAccount],
  ['of an operator', actionsOfOperator],
  ['of everyone', actionsOfEveryone],
];
const called = new Set<string>();

describe.each(GROUPS)('%s', (_, everyAction) => {
  test('every server action is refused to strangers, without a session, from other sites and, unless harmless, without a recent confirmation, and succeeds from its own page @attack', async () => {
    const stranger = (await newSignedIn()).token;
    for await (const step of everyAction()) {
      const { action, token, attemptsOnly, answers } = step;
      called.add(action);
      await finishPending();
      const before = await readFacts();
      const refusals: [string, ActionResponse][] = await refuse(step);
      if (step.ids) refusals.push(...(await expectNotFound(step, stranger)));
      for (const [how, { result, setsCookie }] of refusals)
        expect([action, how, result?.ok ?? false, setsCookie]).toEqual([action, how, false, false]);
      expect(changedTables(before, await readFacts()), action).toEqual([]);
      await expectConfirmation(step);

      const done = await dashboard.call(action, inputOf(step), { token, headers: dashboard.ownPage });
      if (attemptsOnly) expect(changedTables(before, await readFacts()), action).not.toEqual([]);
      else if (answers) expect(JSON.stringify(done.result), action).toMatch(answers);
      else expect(done.result, `${action}: ${done.status}`).toMatchObject({ ok: true });
    }
  }, 300_000);
});

test('every server action belongs to a group above', () => {
  expect([...called].sort()).toEqual(dashboard.actionNames);
});

test('an allowance is lowered with an old confirmation, and raised only with a new one @attack', async () => {
  const { id: partnerId } = await createPartner({ name: 'Allowed', rateBp: 0, origins: [] });
  const user = await newAppUser(partnerId);
  await giveCredits(user.userId);
  const { token } = await newDevice(user.userId);
  const save = async (credits: string) =>
    (await dashboard.call('saveAllowance', { partnerId, credits }, { token, headers: dashboard.ownPage }))
      .result;
  expect(await save('5')).toMatchObject({ ok: true });
  await confirmedMinutesAgo(token, 11);
  expect(await save('5.000001')).toMatchObject({ ok: false, stepUp: true });
  expect(await save('5')).toMatchObject({ ok: true });
  expect(await save('3')).toMatchObject({ ok: true });
  expect(await save('4')).toMatchObject({ ok: false, stepUp: true });
  await confirmedMinutesAgo(token, 9);
  expect(await save('4')).toMatchObject({ ok: true });
});

test('an operator’s session that was idle overnight opens no page and no export', async () => {
  const { userId, token } = await newSignedIn(OPERATOR);
  const cookie = `${SESSION_COOKIE}=${token}`;
  const statuses = () =>
    Promise.all(
      ['/operator', '/operator/users', '/account/activity/export'].map(async (path) => {
        const init = { redirect: 'manual', headers: { ...dashboard.ownPage, cookie } } as const;
        return (await fetch(dashboard.url + path, init)).status;
      }),
    );
  expect(await statuses()).toEqual([200, 200, 200]);
  const lastSeenAt = new Date(now() - 9 * HOUR_MS);
  await prisma().session.updateMany({ where: { userId }, data: { lastSeenAt } });
  expect(await statuses()).toEqual([307, 307, 401]);
});

test('the export of an account needs a recent confirmation and contains nothing of others @attack', async () => {
  const [{ token, email }, other] = [await newSignedIn(), await newSignedIn()];
  const download = () =>
    fetch(`${dashboard.url}/account/data/export`, { headers: { cookie: `${SESSION_COOKIE}=${token}` } });
  const text = await (await download()).text();
  expect(JSON.parse(text)).toMatchObject({ account: { email }, complete: true });
  for (const secret of [token, other.email, other.userId]) expect(text).not.toContain(secret);
  await confirmedMinutesAgo(token, 11);
  expect((await download()).status).toBe(403);
});

test('the mailbox of an operator or owner who has a passkey opens no operator page or file and changes nothing @attack', async () => {
  const operator = await newSignedIn(OPERATOR);
  const owner = await newSignedIn();
  const app = { name: 'Harbour', rateBp: 0, origins: [], ownerEmail: owner.email };
  const { id: partnerId } = await createPartner(app);
  const find = () => ofOwnPage(operator.token, 'findUser', { name: owner.email });
  const rename = () => ofOwnPage(owner.token, 'rename', { partnerId, name: 'Pier' });
  const begin = () => ofOwnPage(owner.token, 'beginNewPasskey', undefined);
  const init = { redirect: 'manual', headers: { cookie: `${SESSION_COOKIE}=${operator.token}` } } as const;
  const downloads = ['payouts/export/2026', 'payouts/po_1/statement.pdf', 'invoices/INV-1.pdf'];
  const paths = ['users', ...downloads].map((name) => `/operator/${name}`);
  const open = () => Promise.all(paths.map((path) => fetch(dashboard.url + path, init)));
  const statuses = async () => (await open()).map(({ status }) => status);
  const opened = [200, 200, 404, 404];
  expect([(await find())?.ok, (await rename())?.ok, await statuses()]).toEqual([true, true, opened]);

  for (const { userId } of [operator, owner]) {
    const passkey = { userId, userHandle: '', publicKey: new Uint8Array(), counter: 0, name: 'Laptop' };
    await prisma().passkey.create({ data: { ...passkey, id: newId('psk'), credentialId: newId('psk') } });
  }
  for (const attempt of [find, rename, begin])
    expect(await attempt()).toMatchObject({ ok: false, stepUp: true });
  expect((await open()).map(({ status, headers }) => [status, headers.get('location')])).toEqual(
    paths.map((path) => [307, `/sign-in/passkey?return=${encodeURIComponent(path)}`]),
  );
  await prisma().session.updateMany({ data: { confirmedBy: 'passkey' } });
  expect([(await find())?.ok, (await rename())?.ok, await statuses()]).toEqual([true, true, opened]);
  await prisma().passkey.deleteMany();
});

const ofOwnPage = async (token: string, action: string, input: unknown) =>
  (await dashboard.call(action, input, { token, headers: dashboard.ownPage })).result;

test('a form on our own page reaches an action, so the forms from other sites were real attempts', async () => {
  const { token, email } = await newSignedIn();
  const { id: partnerId } = await createPartner({
    name: 'Before',
    rateBp: 0,
    origins: [],
    ownerEmail: email,
  });
  const nameOf = async () => (await prisma().partner.findUniqueOrThrow({ where: { id: partnerId } })).name;
  await dashboard.submit('rename', { partnerId, name: 'After' }, otherSites(token)['a form on another site']);
  expect(await nameOf()).toBe('Before');
  await dashboard.submit('rename', { partnerId, name: 'After' }, { token, headers: dashboard.ownPage });
  expect(await nameOf()).toBe('After');
});

/** The requests that other sites can send from a signed-in browser; at worst they carry the cookie. */
function otherSites(token: string | undefined) {
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

async function refuse(step: Step): Promise<[string, ActionResponse][]> {
  const responses: [string, ActionResponse][] = [];
  for (const [how, sender] of Object.entries(otherSites(step.token))) {
    const sendAction = how.includes('form') ? dashboard.submit : dashboard.call;
    responses.push([how, await sendAction.call(dashboard, step.action, inputOf(step), sender)]);
  }
  if (!OPEN.includes(step.action)) {
    for (const token of [undefined, 'x'.repeat(43)]) {
      const signedOut = { token, headers: dashboard.ownPage };
      responses.push(['signed out', await dashboard.call(step.action, inputOf(step), signedOut)]);
    }
  }
  return responses;
}

/** After 11 minutes the action asks for a confirmation, or is harmless; one of 9 minutes ago is enough. */
async function expectConfirmation(step: Step): Promise<void> {
  const { action, token } = step;
  if (token === undefined) return;
  await confirmedMinutesAgo(token, 11);
  if (OPEN.includes(action) || HARMLESS.includes(action)) return;
  const before = await readFacts();
  const asked = await dashboard.call(action, inputOf(step), { token, headers: dashboard.ownPage });
  expect([action, asked.result]).toMatchObject([action, { ok: false, stepUp: true }]);
  expect(await readFacts(), action).toEqual(before);
  await confirmedMinutesAgo(token, 9);
}

/** Calls the action on our own page with another user's ids: the response is as for unknown ids. */
async function expectNotFound(step: Step, token: string): Promise<[string, ActionResponse][]> {
  const asStranger = { token, headers: dashboard.ownPage };
  const foreign = await dashboard.call(step.action, inputOf(step), asStranger);
  const missing = await dashboard.call(step.action, inputOf(step, unknown(step.ids ?? {})), asStranger);
  expect(foreign.result, step.action).toMatchObject({ ok: false });
  expect(foreign.result, step.action).toEqual(missing.result);
  return [['a stranger', foreign]];
}

/** Each generator yields its actions in an order in which each can succeed. */
async function* actionsOfPartner(): AsyncGenerator<Step> {
  const { token, email } = await newSignedIn();
  const app = { name: 'Harbour', rateBp: 2_500, origins: [], ownerEmail: email };
  const { id: partnerId } = await createPartner(app);
  const own = { token, ids: { partnerId } };
  const newApp = { teamId: null, name: 'Second', percent: '10', origin: '' };
  yield { action: 'createApp', token, input: newApp };
  const effectiveAt = new Date(now() + DAY_MS).toISOString();
  yield { ...own, action: 'saveRate', input: { percent: '30', effectiveAt } };
  yield { ...own, action: 'cancelRate' };
  yield { ...own, action: 'rotateKey' };
  yield { ...own, action: 'saveKeyNetworks', input: { networks: '203.0.113.0/24' } };
  yield { ...own, action: 'saveKeyNetworks', input: { networks: '' } };
  yield { ...own, action: 'saveModels', input: { models: ['sandbox/echo'] } };
  yield { ...own, action: 'saveDataRules', input: { rules: ['no_training'] } };
  yield { ...own, action: 'saveLimitsOfApp', input: USER_LIMITS };
  const { appUserId: user } = await newAppUser(partnerId);
  yield { ...own, action: 'saveLimitsOfUser', input: { user, ...USER_LIMITS } };
  yield { ...own, action: 'removeLimitsOfUser', input: { user } };
  const origin = 'https://harbour.example';
  yield { ...own, action: 'addOrigin', input: { origin } };
  yield { ...own, action: 'removeOrigin', input: { origin } };
  const uri = 'https://harbour.example/back';
  yield { ...own, action: 'addRedirect', input: { uri } };
  yield { ...own, action: 'removeRedirect', input: { uri } };
  yield { ...own, action: 'rename', input: { name: 'Harbour two' } };
  yield { ...own, action: 'askForReview' };
  yield { ...own, action: 'changeProfile', input: { site: '', support: 'help@harbour.example' } };
  yield { ...own, action: 'pauseOwnApp' };
  yield { ...own, action: 'resumeOwnApp' };
  const leaving = await createPartner({ ...app, name: 'Leaving' });
  yield { token, ids: { partnerId: leaving.id }, action: 'deleteOwnApp', input: { name: 'Leaving' } };
  yield { ...own, action: 'createSecret' };
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
  yield* actionsOfPayouts(own);
  yield* actionsOfTeam(own);
}

const USER_LIMITS = { day: '50', month: '', request: '', rule: 'all', models: [] };

/** Payouts are made by hand and once a month here. */
async function* actionsOfPayouts(own: Omit<Step, 'action'>): AsyncGenerator<Step> {
  const { reference: _, ...payee } = BILLING_DETAILS;
  yield { ...own, action: 'savePayee', input: { ...payee, destination: 'AT61 1904 3002 3457 3201' } };
  yield { ...own, action: 'setUpPayouts', input: { country: 'AT' }, answers: /made manually/ };
  yield { ...own, action: 'openPayoutAccount', answers: /no payout account yet/ };
  yield { ...own, action: 'disconnectPayoutAccount', answers: /no payout account yet/ };
  yield { ...own, action: 'askForPayout', answers: /below the minimum|once a month/ };
}

async function* actionsOfTeam(
  own: Pick<Step, 'token'> & { ids: { partnerId: string } },
): AsyncGenerator<Step> {
  yield { ...own, action: 'saveAlerts', input: { isOn: true } };
  yield { ...own, action: 'renameTeam', input: { name: 'Harbour team' } };
  const email = 'invited@example.com';
  yield { ...own, action: 'invitePerson', input: { email, role: 'viewer' } };
  const ofInvitation = async () => {
    const { id } = await prisma().teamInvitation.findFirstOrThrow({ where: { state: 'open' } });
    return { ...own, ids: { ...own.ids, invitationId: id } };
  };
  yield { ...(await ofInvitation()), action: 'sendInvitationAgain' };
  yield { ...(await ofInvitation()), action: 'withdrawInvitation' };
  await ofOwnPage(own.token ?? '', 'invitePerson', { ...own.ids, email, role: 'viewer' });
  const { invitationId } = (await ofInvitation()).ids;
  const member = await newSignedIn(email);
  yield { token: member.token, action: 'acceptInvitation', ids: { invitationId } };
  yield { ...own, action: 'changeRole', input: { email, role: 'developer' } };
  yield { ...own, action: 'handOver', input: { email } };
  yield { ...own, action: 'leaveTeam' };
  await prisma().teamMember.create({
    data: { teamId: await teamOf(own.ids.partnerId), email: 'b@example.com', role: 'viewer' },
  });
  yield { ...own, token: member.token, action: 'removeMember', input: { email: 'b@example.com' } };
}

const teamOf = async (partnerId: string): Promise<string> =>
  (await prisma().partner.findUniqueOrThrow({ where: { id: partnerId } })).teamId ?? '';

async function* actionsOfAccount(): AsyncGenerator<Step> {
  const { id: partnerId } = await createPartner({ name: 'Pier', rateBp: 2_500, origins: [] });
  const user = await newAppUser(partnerId);
  await giveCredits(user.userId);
  const { token } = await newDevice(user.userId);
  const own = { token, ids: { partnerId } };
  yield { ...own, action: 'saveAllowance', input: { credits: '5' } };
  yield { ...own, action: 'pauseAllowance' };
  yield { ...own, action: 'resumeAllowance' };
  yield { ...own, action: 'removeAllowance' };
  const amounts = { request: '', day: '50', week: '', month: '' };
  yield { ...own, action: 'saveMyLimits', input: { ...amounts, zone: 'UTC', rule: 'all', models: [] } };
  yield { ...own, action: 'stopMyApps' };
  yield { ...own, action: 'resumeMyApps' };
  yield { token, action: 'startExport' };
  yield { token, action: 'saveMyDataRules', input: { rules: ['no_training'] } };
  yield { token, action: 'startPlayground', input: { credits: '5' } };
  yield { token, action: 'saveMyMails', input: { kind: 'limits', isOn: true, zone: 'UTC' } };
  const { keyId } = await mint(user);
  yield { token, action: 'restrictAppKey', ids: { keyId }, input: { origins: '', networks: '203.0.113.7' } };
  const caller = { ...user, keyId, lineage: [], models: null };
  const runKey = await mintRunKey(caller, { credits: wholeCredits(2), expiresInSeconds: 600 });
  yield { token, action: 'raiseKeyBudget', ids: { keyId: runKey.keyId }, input: { credits: '5' } };
  yield { token, action: 'revokeAppKey', ids: { keyId } };
  expect(await liveKeyIds(user)).toEqual([]);
  yield { token, action: 'startPurchase', input: { amount: 5, currency: 'usd' } };
  yield { ...own, action: 'startPurchase', input: { amount: 5, currency: 'usd' } };
  yield { token, action: 'checkCode', input: { code: 'NONE' }, answers: /This code is not valid/ };
  yield { token, action: 'redeem', input: { code: await newGiftCode() } };
  yield { token, action: 'addCard', input: { buttonId: 'button' } };
  yield { token, action: 'removeCard', input: { cardId: 'pm_none' }, answers: /already removed/ };
  // Without a purchase to repeat, it needs a confirmation.
  const order = { amount: 5, currency: 'usd', cardId: 'pm_none', buttonId: 'button' };
  yield { token, action: 'payWithCard', input: order, answers: /This card was removed/ };
  const wish = { purchaseId: 'txn_none', refundId: crypto.randomUUID() };
  yield { token, action: 'refundUnused', input: wish, answers: /Nothing is left to refund/ };
  yield { token, action: 'saveDetails', input: BILLING_DETAILS };
  yield {
    token,
    action: 'createInvoice',
    ids: { purchaseId: (await newPurchase(user.userId, partnerId)).id },
  };
  yield { token, action: 'removeDetails', input: {} };

  const { publishableKey } = await prisma().partner.findUniqueOrThrow({ where: { id: partnerId } });
  await addRedirect(partnerId, 'http://localhost/back');
  const parameters = { publishable_key: publishableKey, redirect_uri: 'http://localhost:9/back', state: '' };
  const challenge = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
  yield { token, action: 'allow', input: { ...parameters, ...challenge } };
  const beginOnDevice = async () => {
    const started = await startDeviceAuthorization({ publishableKey, clientIp: '', origin: null });
    return { code: started.userCode };
  };
  yield { token, action: 'findDevice', input: await beginOnDevice() };
  yield { token, action: 'allowDevice', input: await beginOnDevice() };
  yield { token, action: 'refuseDevice', input: await beginOnDevice() };

  const terms = { threshold: 500, currency: 'usd', amountMinor: 1_000, ceilingMinor: 5_000 };
  const agreed = { ...terms, cardId: 'pm_none', consent: '' };
  yield { token, action: 'saveAutoTopUp', input: agreed, answers: /This card is no longer saved/ };
  yield { token, action: 'confirmTopUp', input: { sessionId: 'cks_none' } };
  yield { token, action: 'endAutoTopUp' };
  yield { token, action: 'saveLowBalance', input: { credits: 1 } };

  const { sessionId } = await newDevice(user.userId);
  yield { token, action: 'logOutOne', ids: { sessionId } };
  await newDevice(user.userId);
  yield { token, action: 'logOutOthers' };
  yield { token, action: 'logOutEverywhere' };
  const { token: again } = await newDevice(user.userId);
  yield* actionsOfPasskeys(user.userId, again);
  yield* actionsOnAddress();
  yield { token: again, action: 'deleteMyAccount', input: { email: user.email } };
  // The server would try to delete the customer at the absent processor every minute, and record each attempt.
  await prisma().paymentCustomer.deleteMany({ where: { deletionDueAt: { not: null } } });
}

async function* actionsOnAddress(): AsyncGenerator<Step> {
  const { userId, token } = await newSignedIn();
  yield { token, action: 'saveMyTimeZone', input: { zone: 'Asia/Tokyo' } };
  yield { token, action: 'saveMyLanguage', input: { language: 'ja' } };
  const email = newEmail();
  yield { token, action: 'startEmailChange', input: { email } };
  const codes = { oldId: 'ch_none', oldCode: '000000', newId: 'ch_none', newCode: '000000' };
  yield { token, action: 'finishEmailChange', input: { email, ...codes }, answers: /The code is incorrect/ };
  const change = { id: newId('ech'), userId, oldEmail: newEmail(), changedAt: new Date(now()) };
  await prisma().emailChange.create({ data: { ...change, undoUntil: new Date(now() + HOUR_MS) } });
  yield { action: 'undoMyEmailChange', input: { token: writeUndoToken(change.id) } };
}

async function* actionsOfPasskeys(userId: string, token: string): AsyncGenerator<Step> {
  const authenticator = new Authenticator(dashboard.url);
  const ask = async <Options>(action: string, sender: Sender) =>
    (await dashboard.call(action, undefined, sender)).result?.value as Options;
  yield { token, action: 'beginNewPasskey' };
  const creation = await ask<Creation>('beginNewPasskey', { token, headers: dashboard.ownPage });
  const created = { name: 'Laptop', response: authenticator.create(creation) };
  yield { token, action: 'addMyPasskey', input: created };
  yield { action: 'askBrowserForPasskey' };
  const request = await ask<Request>('askBrowserForPasskey', { headers: dashboard.ownPage });
  yield { action: 'enterPasskey', input: { response: authenticator.get(request) } };
  const { id: passkeyId } = await prisma().passkey.findFirstOrThrow({ where: { userId } });
  yield { token, action: 'removeMyPasskey', ids: { passkeyId } };
  const identity = { provider: 'oidc', issuer: 'https://login.example', subject: '1', email: null } as const;
  const identityId = await inTransaction((tx) => linkIdentity(tx, userId, identity));
  yield { token, action: 'removeMyIdentity', ids: { identityId } };
  yield { token, action: 'signInToCheckout', input: { visitId: 'ckv_none' } };
}

async function* actionsOfOperator(): AsyncGenerator<Step> {
  const { token } = await newSignedIn(OPERATOR);
  const { id: partnerId } = await createPartner({ name: 'Watched', rateBp: 2_500, origins: [] });
  const name = 'Watched two';
  await prisma().partner.update({ where: { id: partnerId }, data: { pendingName: name } });
  const user = await newAppUser(partnerId);
  const reason = 'a test of it';
  const ofApp = { token, ids: { partnerId } };
  yield { ...ofApp, action: 'reviewName', input: { reason, what: 'name_approve', name } };
  await inTransaction((tx) => saveProfile(tx, partnerId, { site: 'https://watched.example', support: '' }));
  const hash = (await readProfiles(partnerId)).pending?.hash ?? '';
  yield { ...ofApp, action: 'reviewProfile', input: { reason, what: 'profile_approve', hash } };
  yield { ...ofApp, action: 'setCap', input: { reason, percent: '50' } };
  yield { ...ofApp, action: 'setHold', input: { reason, days: '60' } };
  yield { ...ofApp, action: 'setModels', input: { reason, models: 'sandbox/echo' } };
  yield { ...ofApp, action: 'setLimitCeiling', input: { ...USER_LIMITS, models: '', reason } };
  yield { token, action: 'setDefaultLimits', input: { ...USER_LIMITS, models: '', reason } };
  yield { ...ofApp, action: 'changeState', input: { reason, what: 'disable' } };
  yield { token, action: 'findUser', input: { name: user.email } };

  const userRef = (await findUserRef(user.email)) ?? '';
  const gift = { reason, kind: 'give', credits: '7', changeId: randomUUID() };
  yield { token, action: 'changeCredits', ids: { userRef, partnerId }, input: gift };
  await pool().query('UPDATE wallet SET paused_at = now() WHERE user_id = $1', [user.userId]);
  yield { token, action: 'resume', input: { reason, subject: { kind: 'user', userRef } } };
  const { id: purchaseId } = await newPurchase(user.userId, partnerId);
  const back = { reason, amount: '1', currency: 'usd', refundId: randomUUID() };
  yield { token, action: 'refund', ids: { userRef, purchaseId }, input: back, attemptsOnly: true };
  const accounts = sealAccounts([user.userId]);
  yield { token, action: 'blockPurchases', ids: { accounts }, input: { reason } };
  yield { token, action: 'allowPurchases', ids: { userRef }, input: { reason } };
  const alert = { id: 'dp_one', kind: 'dispute', sessionId: newId('cks'), detail: 'fraudulent' };
  const { id: alertId } = await prisma().paymentAlert.create({ data: alert });
  yield { token, action: 'dismiss', ids: { alertId }, input: { reason } };
  const payment = { id: newId('cks'), kind: 'uncredited_payment', detail: 'the checkout session is unknown' };
  const late = { ...payment, sessionId: payment.id, processorSessionId: 'cs_none' };
  await prisma().paymentAlert.create({ data: late });
  yield {
    token,
    action: 'credit',
    ids: { alertId: late.id },
    input: { reason },
    answers: /payment processor/,
  };
  yield* actionsOfPromotions(token);
  yield* actionsOfCorrections(token);
  yield* actionsOnPayouts(token);
}

async function* actionsOnPayouts(token: string): AsyncGenerator<Step> {
  const reason = 'a test of it';
  const { id: payoutId, teamId } = await newPayout({ state: 'planned', method: 'manual', isApproved: false });
  const ofPayout = { token, ids: { payoutId } };
  yield { ...ofPayout, action: 'approvePayout', input: { reason, payeeSavedAt: null } };
  yield { ...ofPayout, action: 'decidePayout', input: { reason, what: 'hold' } };
  yield { ...ofPayout, action: 'showDestination', answers: /has not entered a bank account/ };
  const payment = { reference: 'SEPA 1', currency: 'usd', amount: '125', rate: '1', date: '' };
  yield { ...ofPayout, action: 'decidePayout', input: { reason, what: 'release' } };
  yield { ...ofPayout, action: 'recordPayment', input: { reason, ...payment } };
  yield { ...ofPayout, action: 'reverse', input: { reason }, answers: /was made by hand/ };
  const ofTeam = { token, ids: { teamId } };
  yield { ...ofTeam, action: 'decideTeam', input: { reason, what: 'hold' } };
  yield { ...ofTeam, action: 'saveTerms', input: { reason, minimum: '50', reserve: '10' } };
  yield { ...ofTeam, action: 'planPayoutAgain', input: { reason }, answers: /payee details/ };
}

const PROMOTION = {
  kind: 'gift',
  gives: 'credits',
  code: '',
  amount: '5',
  maxCredits: '',
  minPurchase: '',
  isFirstPurchase: false,
  app: '',
  limit: '',
  budget: '',
  until: '',
  note: '',
  reason: 'a test of it',
};

async function* actionsOfPromotions(token: string): AsyncGenerator<Step> {
  yield { token, action: 'create', input: PROMOTION };
  const { id: promotionId } = await prisma().promotion.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
  const ofPromotion = { token, ids: { promotionId } };
  yield { ...ofPromotion, action: 'createLinks', input: { count: 1, reason: PROMOTION.reason } };
  yield { ...ofPromotion, action: 'disable', input: { reason: PROMOTION.reason } };
}

async function* actionsOfCorrections(token: string): AsyncGenerator<Step> {
  const nothing = { priceVersion: '', asVersion: '', prices: '', to: '', bill: '', tolerance: '' };
  const receipts = { ...nothing, source: 'receipt', from: '2026-01-01', reason: 'The bill was lower.' };
  yield { token, action: 'check', input: receipts, answers: /^/ };
  yield {
    token,
    action: 'propose',
    input: { batchId: 'cor_none' },
    answers: /This check is older than a day/,
  };
  for (const decision of ['approve', 'discard']) {
    const words = { source: 'bill', basis: 'a test', reason: 'The bill was lower.' };
    const { id: batchId } = await prisma().correctionBatch.create({
      data: { id: newId('cor'), ...words, state: 'proposed', createdAt: new Date(now()) },
    });
    yield { token, ids: { batchId }, action: 'decide', input: { decision, reason: 'a test of it' } };
  }
}

async function newGiftCode(): Promise<string> {
  const asked = { operator: OPERATOR, reason: PROMOTION.reason };
  const { id: promotionId } = await createPromotion(asked, { kind: 'gift', credits: wholeCredits(5) });
  const [gift] = await createGiftLinks(asked, { promotionId, count: 1 });
  return gift?.code ?? '';
}

const BILLING_DETAILS = {
  name: 'Pier Ltd',
  address: 'Example Street 2',
  country: 'AT',
  taxId: '',
  reference: '',
};

const newPurchase = (userId: string, partnerId: string) =>
  prisma().purchase.create({
    data: {
      id: newId('txn'),
      userId,
      partnerId,
      sessionId: newId('cks'),
      processorPaymentId: 'pi_none',
      currency: 'usd',
      amountMinor: 500,
      rate: 1,
      credits: 500_000_000n,
    },
  });

async function* actionsOfEveryone(): AsyncGenerator<Step> {
  yield { action: 'sendCode', input: { email: 'asked@example.com' } };
  yield* actionsOfConfirmation();
  const { token, email } = await newSignedIn();
  const { challengeId } = await sendServiceCode({ email, clientIp: '' });
  yield { token, action: 'enterCode', input: { email, challengeId, code: mailbox.lastCode() } };
  yield { token: (await newSignedIn(email)).token, action: 'signOut' };
  const { id: partnerId } = await createPartner({ name: 'Linked', rateBp: 0, origins: [] });
  const user = await newAppUser(partnerId);
  const { keyId } = await mint(user);
  yield { action: 'revokeLinkedKey', input: { token: writeRevokeToken(keyId) } };
  const stopLink = new URL(writeStopPath({ userId: user.userId }), dashboard.url);
  yield { action: 'stopByMail', input: { token: stopLink.searchParams.get('token'), scope: 'all' } };
  await saveWarningChoice(user.userId, { kind: 'weekly', isOn: true, zone: 'UTC' });
  const { page } = writeUnsubscribePaths({ userId: user.userId, kind: 'weekly' });
  const ending = new URL(page, dashboard.url).searchParams.get('token');
  yield { action: 'unsubscribeByMail', input: { token: ending } };
}

async function* actionsOfConfirmation(): AsyncGenerator<Step> {
  const { token } = await newSignedIn();
  yield { token, action: 'sendConfirmation' };
  const { id: challengeId } = await prisma().loginChallenge.findFirstOrThrow({
    where: { knownBrowser: { startsWith: 'ses_' } },
    orderBy: { createdAt: 'desc' },
  });
  yield { token, action: 'confirmPresence', input: { challengeId, code: mailbox.lastCode() } };
}

/** Paths whose parameters belong to no user; the page around a checkout is empty. */
const OPEN_TO_ALL = [
  '/docs/[guide]',
  '/docs/api/[group]',
  '/docs/markdown/[...page]',
  '/api/auth/[...nextauth]',
  '/v1/models/[...id]',
  '/checkout/[visit]',
  '/redeem/[code]',
  '/logos/[hash]',
];
/** Redirects, also to the processor, which is absent here. */
const LEADS_AWAY = ['/account/receipts/[id]/invoice', '/partner/[app]/payouts/account'];

/** The only page with an id in its query. */
const PAYMENT_RETURN = '/account/buy/return?session_id=[payment]';

test('every path with another user’s id returns the same response as for an id that does not exist', async () => {
  const [ada, eve] = [
    await newOwnerWithEverything('Adas Harbour'),
    await newOwnerWithEverything('Eves Pier'),
  ];
  const operator = { ...ada, token: (await newSignedIn(OPERATOR)).token };
  const { event, session, payout, request } = ada.ids;
  // Another user's ids do not exist in the user's own app or window either.
  const foreign = [ada.ids, { event, session, payout, request }];
  const places = [...namedPlaces(), { place: PAYMENT_RETURN, methods: ['GET'] }].filter(
    ({ place }) => !OPEN_TO_ALL.includes(place),
  );
  expect(places.length).toBeGreaterThan(30);
  for (const { place, methods } of places) {
    for (const method of methods) {
      const label = `${method} ${place}`;
      const owner = place.startsWith('/operator') ? operator : ada;
      if (method === 'GET' && !LEADS_AWAY.includes(place)) {
        const own = await send(fillIn(place, ada.ids), method, owner);
        expect([label, own.status]).toEqual([label, 200]);
      }
      for (const ids of foreign.slice(0, place.split('[').length - 1)) {
        const theirs = await send(fillIn(place, { ...eve.ids, ...ids }), method, eve);
        const missing = await send(fillIn(place, { ...eve.ids, ...unknown(ids) }), method, eve);
        expect([label, theirs.status, missing.status]).toEqual([label, 404, 404]);
        // Errors of the messages format contain the id of their request.
        const withoutId = (text: string) => text.replace(/"request_id":"req_\w+"/, '');
        if (theirs.isJson) expect(withoutId(theirs.text), label).toBe(withoutId(missing.text));
        for (const trace of [ada.name, ada.userKey.slice(-8), ada.appUserId])
          expect(theirs.text, label).not.toContain(trace);
      }
    }
  }
}, 300_000);

test('other sites cannot change a checkout window, whatever cookies their requests carry', async () => {
  const owner = await newOwnerWithEverything('Framed');
  const routes = namedPlaces().filter(({ place }) => place.startsWith('/checkout/api/'));
  await finishPending();
  const before = await readFacts();
  let tried = 0;
  for (const { place, methods } of routes) {
    for (const method of methods.filter((name) => name !== 'GET')) {
      for (const [how, { headers }] of Object.entries(otherSites(owner.token))) {
        const { status, text } = await send(fillIn(place, owner.ids), method, owner, headers);
        expect([method, place, how, status]).toEqual([method, place, how, 403]);
        expect(text).toContain('origin_not_allowed');
        tried++;
      }
    }
  }
  expect(tried).toBeGreaterThan(50);
  expect(await readFacts()).toEqual(before);
});

/** Returns the pages and routes with parameters, with their paths and methods. */
function namedPlaces(): { place: string; methods: string[] }[] {
  return readdirSync('app', { recursive: true, encoding: 'utf8' })
    .filter((file) => /\[.*\/(page\.tsx|route(\.api)?\.ts)$/.test(file))
    .map((file) => ({
      place: `/${file}`.replace(/\/\([\w-]+\)(?=\/)|\/(page\.tsx|route(\.api)?\.ts)$/g, ''),
      methods: file.endsWith('page.tsx')
        ? ['GET']
        : [
            ...readFileSync(`app/${file}`, 'utf8').matchAll(
              /^export (?:async function|function|const) (GET|POST|PUT|PATCH|DELETE)\b/gm,
            ),
          ].flatMap(([, method]) => method ?? []),
    }));
}

/** What `[id]` identifies, by the path before it; other parameters have descriptive names. */
const NAMED_BY_ID: Record<string, string> = {
  '/account/payment/confirm': 'topUp',
  '/account/receipts': 'purchase',
  '/operator/apps': 'app',
  '/team/invitations': 'invitation',
  '/operator/models': 'model',
  '/v1/credits/checkout': 'session',
  '/v1/credits/receipts': 'request',
  '/v1/credits/runs': 'run',
  '/v1/keys': 'runKey',
  '/v1/responses': 'response',
  '/v1/videos': 'video',
  '/v1/files': 'lines',
  '/v1/batches': 'linesBatch',
  '/v1/messages/batches': 'messageBatch',
  '/checkout/api/visits': 'visit',
};

function fillIn(place: string, ids: Record<string, string>): string {
  return place.replace(/\[(?:\.{3})?(\w+)\]/g, (_, part: string, at: number) => {
    const id = ids[part] ?? ids[NAMED_BY_ID[place.slice(0, at - 1)] ?? ''];
    if (id === undefined) throw new Error(`Add what [${part}] identifies in ${place}`);
    return id;
  });
}

type Owner = Awaited<ReturnType<typeof newOwnerWithEverything>>;

/** Sends all of a user's credentials, including the secret of their own window for the requested one. */
async function send(
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

/** Moves what the user booked to a day on which nobody else did, and closes it. */
async function closeOwnDay(userId: string): Promise<string> {
  const others = await prisma().dailyStatement.count({ where: { scope: ACCOUNT } });
  const day = new Date(Date.parse('2024-03-05') + others * DAY_MS).toISOString().slice(0, 10);
  await forge([`UPDATE ledger_transaction SET created_at = '${day}' WHERE user_id = '${userId}'`]);
  await closeDay(day);
  return day;
}

/** An owner of an app who is also its user, with one of everything that a path can identify. */
/** Batches that have ended: they have results, and their end changes nothing later. */
async function newBatches(userKey: string, post: (where: string, body: object) => Promise<Response>) {
  const asked = { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
  const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions' };
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set(
    'file',
    new Blob([JSON.stringify({ ...line, body: { model: 'sandbox/echo', ...asked } })]),
    'a.jsonl',
  );
  const headers = { authorization: `Bearer ${userKey}` };
  const uploaded = await fetch(`${dashboard.url}/v1/files`, { method: 'POST', headers, body: form });
  const { id: lines } = (await uploaded.json()) as { id: string };
  const of = { input_file_id: lines, endpoint: line.url, completion_window: '24h' };
  const requests = [{ custom_id: 'a', params: { model: 'sandbox-anthropic/echo', ...asked } }];
  const ids: string[] = [];
  for (const [where, body] of [
    ['/v1/batches', of],
    ['/v1/messages/batches', { requests }],
  ] as const)
    ids.push(((await (await post(where, body)).json()) as { id: string }).id);
  await until(
    () => prisma().batchJob.findMany({ where: { id: { in: ids } } }),
    (jobs) => jobs.every(({ state }) => state === 'completed'),
  );
  const [linesBatch = '', messageBatch = ''] = ids;
  return { lines, linesBatch, messageBatch };
}

async function newOwnerWithEverything(name: string) {
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
  await saveBillingDetails(user.userId, BILLING_DETAILS);
  await credit(bought, { paymentId: 'pi_none', taxMinor: 0 });
  const { id: purchase } = await prisma().purchase.findUniqueOrThrow({ where: { sessionId: session } });
  const { number } = await prisma().invoice.findFirstOrThrow({ where: { purchaseId: purchase } });
  const hello = { model: 'sandbox/echo', messages: [{ role: 'user', content: 'hi' }] };
  const generated = await post('/v1/chat/completions', hello, { 'x-svc-run': `run-of-${user.appUserId}` });
  const minted = await post('/v1/keys', { credits: 1 });
  const { key_id: runKey } = (await minted.json()) as { key_id: string };
  const request = generated.headers.get('x-request-id') ?? '';
  const kept = await post('/v1/responses', { model: 'sandbox/echo', input: 'hi' });
  const { id: response } = (await kept.json()) as { id: string };
  const film = await post('/v1/videos', { model: 'sandbox/film', prompt: 'The sea', seconds: 1 });
  const { id: video } = (await film.json()) as { id: string };
  // Until then it has no content, and its end would change what later tests compare.
  await until(
    () => prisma().videoJob.findUnique({ where: { id: video } }),
    (job) => job?.state === 'completed',
  );
  const { lines, linesBatch, messageBatch } = await newBatches(userKey, post);
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
  const host = await createPartner({ name: `${name} two`, rateBp: 0, origins: [], ownerEmail: newEmail() });
  const invited = {
    id: newId('inv'),
    teamId: host.teamId ?? '',
    email,
    role: 'viewer',
    invitedBy: 'operator',
  };
  const { id: invitation } = await prisma().teamInvitation.create({
    data: { ...invited, expiresAt: new Date(now() + DAY_MS) },
  });
  const ref = (await findUserRef(email)) ?? '';
  await dashboard.call('startPurchase', order, { token, headers: dashboard.ownPage });
  const ofOwnPages = { userId: user.userId, partnerId: OUTSIDE_ANY_APP };
  const { id: payment } = await prisma().checkoutSession.findFirstOrThrow({ where: ofOwnPages });
  const ended = { ...ofOwnPages, id: newId('cks'), method: 'auto_top_up', status: 'failed' };
  const { id: topUp } = await prisma().checkoutSession.create({
    data: { ...bought, ...ended, keyId: null, processorSessionId: null },
  });
  const day = await closeOwnDay(user.userId);
  const team = app.teamId ?? '';
  const { id: payout } = await newPayout({ state: 'planned', method: 'manual', teamId: team });
  const batch = await correct({ requestId: request, credits: microcredits(1n) });
  return {
    name,
    token,
    userKey,
    visitToken: cookie.split('=')[1] ?? '',
    appUserId: user.appUserId,
    ids: {
      app: app.id,
      event,
      session,
      payment,
      topUp,
      purchase,
      file: `${number}.pdf`,
      request,
      day,
      response,
      video,
      lines,
      linesBatch,
      messageBatch,
      visit,
      ref,
      invitation,
      team,
      payout,
      batch,
      year: '2026',
      model: 'sandbox/echo',
      run: `run-of-${user.appUserId}`,
      runKey,
    },
  };
}

let userCount = 0;

const newEmail = () => `stranger-${++userCount}@example.com`;

async function newSignedIn(email = newEmail()) {
  const { id: userId } = await inTransaction((tx) => openUser(tx, email));
  return { email, userId, ...(await newDevice(userId)) };
}

const newDevice = (userId: string) => inTransaction((tx) => openSession(tx, { userId, userAgent: 'test' }));

/** Grants credits outside any app, so that an allowance has an effect. */
async function giveCredits(userId: string): Promise<void> {
  const gift = { userId, partnerId: OUTSIDE_ANY_APP, credits: wholeCredits(50) };
  await inTransaction(async (tx) => {
    await openUserApp(tx, { userId, partnerId: OUTSIDE_ANY_APP, appUserId: newId('au') });
    await grantCredits(tx, { ...gift, grantId: newId('req'), note: 'a gift' });
  });
}

/** Tables that the server writes without any request, or seconds after one. */
const BACKGROUND_TABLES =
  /^(watermark|key_network|audit_run|audited_pocket|activity_\w+|earnings_\w+|usage_day|refusal_hour|provider_\w+|status_count|warning_mail|model|model_price|fx_rate|sandbox_object)$/;

const changedTables = (before: Record<string, string>, after: Record<string, string>): string[] =>
  Object.keys(after).filter((name) => before[name] !== after[name]);

/** Resolves once no webhook, correction or mail is pending. */
async function finishPending(): Promise<void> {
  // The server does it every five and every thirty seconds.
  await notePayoutMails();
  await bookCorrections();
  await until(
    () =>
      Promise.all([
        prisma().delivery.count({ where: { status: 'pending' } }),
        prisma().correctionBatch.count({ where: { state: 'approved' } }),
        prisma().dueMail.count(),
      ]),
    (pending) => pending.every((count) => count === 0),
  );
}

/** Returns a digest of each table. */
async function readFacts(): Promise<Record<string, string>> {
  const { rows: tables } = await pool().query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const facts = tables.map(({ name }) => name).filter((name) => !BACKGROUND_TABLES.test(name));
  const digests = facts.map(
    (
      name,
    ) => `SELECT '${name}' AS name, md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) AS digest
               FROM "${name}" t`,
  );
  const { rows } = await pool().query<{ name: string; digest: string }>(digests.join(' UNION ALL '));
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}
