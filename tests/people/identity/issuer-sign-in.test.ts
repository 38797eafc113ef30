import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readGitHubClaims } from '@/app/_session/auth-providers';
import { startIssuerSignIn } from '@/app/_session/issuer-sign-in';
import { MINUTE_MS, now, setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { newId } from '@/server/base/ids';
import { undoEmailChange } from '@/server/people/change-email';
import { deleteAccount } from '@/server/people/delete-account';
import { writeUndoToken } from '@/server/people/email-change-link';
import { type Claims, listIdentities, readIdentity, removeIdentity } from '@/server/people/identities';
import { findSession, lacksIssuer } from '@/server/people/sessions';
import { sendServiceCode, signInToService } from '@/server/people/sign-in-to-service';
import { signInWithIssuer } from '@/server/people/sign-in-with-issuer';
import { openUser } from '@/server/people/users';
import { provideAddressToNextAuth } from '@/server/process/environment';
import { newDatabase } from '../../harness';
import { freePort } from '../../harness/free-port';
import { CLIENT, LoopbackIssuer, type Person } from '../../harness/issuer';
import { IssuerBrowser } from './issuer-browser';
import { type Mailbox, openMailbox } from './mailbox';

/** Sign-in with a real issuer on loopback. */

const SERVICE = 'https://svc.example';
process.env.BASE_URL = SERVICE;
process.env.OPERATOR_EMAILS = 'operator@example.com';
process.env.LIMIT_CODES_PER_ADDRESS_PER_HOUR = '0';
process.env.LIMIT_CODES_PER_EMAIL_PER_HOUR = '0';
process.env.LIMIT_CODE_RESEND_SECONDS = '0';
await newDatabase();
let mailbox: Mailbox;
let issuer: LoopbackIssuer;

beforeAll(async () => {
  mailbox = await openMailbox();
  issuer = await LoopbackIssuer.open(`${SERVICE}/api/auth/callback/oidc`);
  Object.assign(process.env, {
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_NAME: 'Example Corp',
    OIDC_OPERATORS: 'true',
    GITHUB_CLIENT_ID: 'unused',
    GITHUB_CLIENT_SECRET: 'unused',
  });
  provideAddressToNextAuth(settings());
});
afterAll(() => issuer.close());
afterEach(() => {
  setClock();
  issuer.tamper = undefined;
  Object.assign(settings(), { OIDC_DOMAINS: [], OIDC_GROUPS: [] });
});

let people = 0;

/** A person with a verified address, who is at the issuer from now on. */
function arrive(given: Partial<Person> = {}): Person & { email: string } {
  const sub = `sub-${++people}`;
  const person = { sub, email: `${sub}@example.com`, email_verified: true, ...given };
  issuer.person = person;
  return person;
}

const newBrowser = () => new IssuerBrowser(SERVICE);
const newAccount = (email: string) => inTransaction((tx) => openUser(tx, email));

async function countAccounts(email: string): Promise<number> {
  return prisma().user.count({ where: { email } });
}

/** Enters the code that was mailed last, as the sign-in page does. */
async function enterCode(browser: IssuerBrowser, email: string, challengeId?: string): Promise<string> {
  const { id } = await prisma().loginChallenge.findFirstOrThrow({
    where: { email },
    orderBy: { createdAt: 'desc' },
  });
  const { token } = await signInToService({
    challengeId: challengeId ?? id,
    email,
    code: mailbox.lastCode(),
    userAgent: 'test',
    clientIp: '',
    currentToken: browser.sessionToken,
    pendingIdentity: browser.pendingIdentity,
  });
  browser.cookies.set('__Host-svc-session', token);
  return token;
}

/** An account that an identity is linked to by a code. */
async function newLinked(given?: Partial<Person>) {
  const person = arrive(given);
  const { id: userId } = await newAccount(person.email);
  const browser = newBrowser();
  await browser.signIn();
  await enterCode(browser, person.email);
  return { person, userId, browser };
}

describe('a new person', () => {
  it('gets an account, a session and a linked identity by one sign-in, and returns to where it began', async () => {
    const { email } = arrive();
    const browser = newBrowser();
    expect(await browser.signIn('/sign-in?return=%2Faccount%2Fbuy')).toBe('/sign-in?return=%2Faccount%2Fbuy');
    const session = await browser.session();
    expect(session).toMatchObject({ email, confirmedBy: 'code', isFromIssuer: true });
    expect(await listIdentities(session?.userId ?? '')).toMatchObject([{ name: 'Example Corp' }]);
  });

  it('gets one account and one link by two sign-ins at once', async () => {
    const { email } = arrive();
    const browsers = [newBrowser(), newBrowser(), newBrowser()];
    const back = await Promise.all(browsers.map(async (browser) => browser.visit(await browser.begin())));
    await Promise.all(browsers.map((browser, n) => browser.comeBack(back[n] ?? '')));
    const users = await Promise.all(browsers.map(async (browser) => (await browser.session())?.userId));
    expect(new Set(users).size).toBe(1);
    expect(users[0]).toBeDefined();
    expect(await countAccounts(email)).toBe(1);
    expect(await listIdentities(users[0] ?? '')).toHaveLength(1);
  });

  it.each([
    ['unverified', { email_verified: false }],
    ['of unknown state', { email_verified: undefined }],
    ['missing', { email: undefined }],
    ['no address', { email: 'ada' }],
  ])('joins no account by an address that is %s @attack', async (_, given) => {
    const { email = '' } = arrive(given as Partial<Person>);
    const browser = newBrowser();
    expect(await browser.signIn()).toBe('/sign-in?failure=unverified');
    expect(browser.cookies.has('__Host-svc-session')).toBe(false);
    expect(await countAccounts(email)).toBe(0);
  });

  it('learns that it cancelled, without a session', async () => {
    issuer.person = null;
    const browser = newBrowser();
    expect(await browser.signIn()).toBe('/sign-in?failure=cancelled');
    expect(await browser.session()).toBeNull();
  });
});

describe('an existing account', () => {
  it('opens only after a code to its address, once: then the linked identity signs in @attack', async () => {
    const { email } = arrive();
    const { id: userId } = await newAccount(email);
    const browser = newBrowser();
    expect(await browser.signIn()).toBe('/sign-in');
    expect(await browser.session()).toBeNull();
    expect(await listIdentities(userId)).toEqual([]);

    await enterCode(browser, email);
    expect(await browser.session()).toMatchObject({ userId, isFromIssuer: true });
    const added = mailbox.mails.at(-1);
    expect(added?.recipients).toEqual([email]);
    expect(added?.mail.subject).toContain('Sign-in added');

    const second = newBrowser();
    await second.signIn();
    expect(await second.session()).toMatchObject({ userId, isFromIssuer: true });
  });

  it('is not linked by a code in another browser, nor by one for another address @attack', async () => {
    const { email } = arrive();
    const { id: userId } = await newAccount(email);
    const browser = newBrowser();
    await browser.signIn();
    await enterCode(newBrowser(), email);
    expect(await listIdentities(userId)).toEqual([]);

    const other = await newAccount('someone-else@example.com');
    await sendServiceCode({ email: 'someone-else@example.com', clientIp: '' });
    await enterCode(browser, 'someone-else@example.com');
    expect(await listIdentities(other.id)).toEqual([]);
  });

  it('is not linked once the code has expired, nor by a changed cookie @attack', async () => {
    const { email } = arrive();
    const { id: userId } = await newAccount(email);
    const browser = newBrowser();
    await browser.signIn();
    const cookie = browser.pendingIdentity ?? '';
    browser.cookies.set('__Host-svc-identity', `${cookie.slice(0, -2)}AA`);
    await enterCode(browser, email);
    expect(await listIdentities(userId)).toEqual([]);

    browser.cookies.set('__Host-svc-identity', cookie);
    const later = now() + 11 * MINUTE_MS;
    setClock(() => later);
    await sendServiceCode({ email, clientIp: '' });
    await enterCode(browser, email);
    expect(await listIdentities(userId)).toEqual([]);
  });

  it('keeps to its identity when the address there changes, and the address opens nothing @attack', async () => {
    const { person, userId } = await newLinked();
    const moved = { ...person, email: `moved-${person.email}` };
    issuer.person = moved;
    const browser = newBrowser();
    await browser.signIn();
    expect(await browser.session()).toMatchObject({ userId, email: person.email });
    expect(await countAccounts(moved.email)).toBe(0);

    // The address has a new owner there, who is someone else.
    arrive({ email: person.email });
    const stranger = newBrowser();
    await stranger.signIn();
    expect(await stranger.session()).toBeNull();
    expect(await listIdentities(userId)).toHaveLength(1);
  });

  it('is opened by its identity even when the address there is no longer verified', async () => {
    const { person, userId } = await newLinked();
    issuer.person = { ...person, email_verified: false };
    const browser = newBrowser();
    await browser.signIn();
    expect(await browser.session()).toMatchObject({ userId });
  });

  it('asks for a code again once its user has removed the identity, and devices are no longer of the issuer', async () => {
    const { person, userId, browser } = await newLinked();
    const [identity] = await listIdentities(userId);
    expect(await removeIdentity({ userId: 'usr_other', email: '' }, identity?.identityId ?? '')).toBe(false);
    expect(await removeIdentity({ userId, email: person.email }, identity?.identityId ?? '')).toBe(true);
    expect(mailbox.mails.at(-1)?.mail.subject).toContain('Sign-in removed');
    expect(await browser.session()).toMatchObject({ userId, isFromIssuer: false });
    const again = newBrowser();
    await again.signIn();
    expect(await again.session()).toBeNull();
    expect(again.pendingIdentity).not.toBeNull();
  });

  it('that is deleted takes its identity with it: the next sign-in opens a new account', async () => {
    const { person, userId } = await newLinked();
    await deleteAccount(userId);
    expect(await prisma().linkedIdentity.count({ where: { subject: person.sub } })).toBe(0);
    const browser = newBrowser();
    await browser.signIn();
    const session = await browser.session();
    expect(session?.email).toBe(person.email);
    expect(session?.userId).not.toBe(userId);
  });

  it('that undoes a change of its address loses the identities that were linked since, and keeps earlier ones @attack', async () => {
    const { person, userId } = await newLinked();
    const before = await listIdentities(userId);
    const id = newId('ech');
    const change = { id, userId, oldEmail: `old-${person.email}`, changedAt: new Date(now()) };
    await prisma().emailChange.create({ data: { ...change, undoUntil: new Date(now() + MINUTE_MS) } });
    arrive({ email: person.email });
    const thief = newBrowser();
    await thief.signIn();
    await enterCode(thief, person.email);
    expect(await listIdentities(userId)).toHaveLength(2);
    expect(await undoEmailChange(writeUndoToken(id))).toBe(true);
    expect(await listIdentities(userId)).toEqual(before);
    expect(await thief.session()).toBeNull();
  });

  it('is not joined by an address that it had until this week @attack', async () => {
    const { email } = arrive();
    const { id: userId } = await newAccount(`new-${email}`);
    await prisma().emailChange.create({
      data: {
        id: 'ech_tests',
        userId,
        oldEmail: email,
        changedAt: new Date(now()),
        undoUntil: new Date(now() + MINUTE_MS),
      },
    });
    const browser = newBrowser();
    expect(await browser.signIn()).toBe('/sign-in?failure=moved');
    expect(await browser.session()).toBeNull();
    expect(await countAccounts(email)).toBe(0);
  });
});

describe('a response of the issuer', () => {
  it('is refused in another browser, so that nobody is signed in to the account of a stranger @attack', async () => {
    arrive();
    const attacker = newBrowser();
    const response = await attacker.visit(await attacker.begin());
    const victim = newBrowser();
    expect(await victim.comeBack(response)).toBe('/sign-in?failure=failed');
    // Not even one that has begun a sign-in of its own.
    await victim.begin();
    expect(await victim.comeBack(response)).toBe('/sign-in?failure=failed');
    expect(await victim.session()).toBeNull();
  });

  it('works once in its own browser @attack', async () => {
    arrive();
    const browser = newBrowser();
    const response = await browser.visit(await browser.begin());
    const before = new Map(browser.cookies);
    await browser.comeBack(response);
    expect(await browser.session()).not.toBeNull();
    browser.cookies.delete('__Host-svc-session');
    expect(await browser.comeBack(response)).toBe('/sign-in?failure=failed');
    // Nor with the cookies of before: the issuer has used up the code.
    for (const [name, value] of before) browser.cookies.set(name, value);
    expect(await browser.comeBack(response)).toBe('/sign-in?failure=failed');
    expect(await browser.session()).toBeNull();
  });

  it.each([
    ['of another issuer', (url: URL) => url.searchParams.set('iss', 'https://other.example')],
    ['that does not name its issuer, although it always does', (url: URL) => url.searchParams.delete('iss')],
    ['with another state', (url: URL) => url.searchParams.set('state', 'x'.repeat(43))],
    ['without a state', (url: URL) => url.searchParams.delete('state')],
    ['with another code', (url: URL) => url.searchParams.set('code', 'x'.repeat(43))],
    ['without a code', (url: URL) => url.searchParams.delete('code')],
  ])('%s is refused @attack', async (_, change) => {
    const { email } = arrive();
    const browser = newBrowser();
    const response = new URL(await browser.visit(await browser.begin()));
    change(response);
    expect(await browser.comeBack(response.href)).toBe('/sign-in?failure=failed');
    expect(await countAccounts(email)).toBe(0);
  });

  it('for one issuer is refused at the callback of another, before a code is sent there @attack', async () => {
    arrive();
    const browser = newBrowser();
    const response = await browser.visit(await browser.begin());
    const { exchanges } = issuer;
    expect(await browser.comeBack(response, 'github')).toBe('/sign-in?failure=failed');
    expect(issuer.exchanges).toBe(exchanges);
    expect(await browser.session()).toBeNull();
  });

  it.each([
    ['for another client', { aud: 'another-client' }],
    ['for another client as well, without saying who asked', { aud: [CLIENT.id, 'another-client'] }],
    ['of another issuer', { iss: 'https://other.example' }],
    ['for another sign-in', { nonce: 'x'.repeat(43) }],
    ['that has expired', { exp: 1_000_000_000 }],
    ['without a subject', { sub: undefined }],
  ])('with an ID token %s is refused @attack', async (_, changed) => {
    const { email } = arrive();
    issuer.tamper = (claims) => ({ ...claims, ...changed });
    const browser = newBrowser();
    expect(await browser.signIn()).toBe('/sign-in?failure=failed');
    expect(await browser.session()).toBeNull();
    expect(await countAccounts(email)).toBe(0);
  });
});

describe('a sign-in', () => {
  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/sign-in/../api/auth/session',
    '/account',
    'javascript:alert(1)',
    '/sign-in\n//evil.example',
  ])('that asks to return to %j returns to the sign-in page @attack', async (start) => {
    arrive();
    const browser = newBrowser();
    expect(await browser.signIn(start)).toBe('/sign-in');
    // A planted cookie changes nothing either.
    await browser.begin();
    browser.cookies.set('__Host-svc-sign-in-start', encodeURIComponent(start));
    expect(await browser.comeBack(`${SERVICE}/api/auth/callback/oidc?error=x`)).toBe(
      '/sign-in?failure=failed',
    );
  });

  it('begins only from a page of the service @attack', async () => {
    const begin = (headers: Record<string, string>) =>
      startIssuerSignIn(new Request(`${SERVICE}/api/auth/signin/oidc`, { method: 'POST', headers }), 'oidc');
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin: SERVICE, 'sec-fetch-site': 'cross-site' },
    ])
      await expect(begin(headers as Record<string, string>)).rejects.toMatchObject({
        code: 'origin_not_allowed',
      });
  });

  it('asks the issuer with PKCE, a state and a nonce, and keeps them sealed in cookies of this host only', async () => {
    const browser = newBrowser();
    const { searchParams } = new URL(await browser.begin());
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: CLIENT.id,
      code_challenge_method: 'S256',
      redirect_uri: `${SERVICE}/api/auth/callback/oidc`,
      response_type: 'code',
      scope: 'openid email profile',
    });
    expect([...browser.cookies.keys()].every((name) => name.startsWith('__Host-'))).toBe(true);
    const kept = [...browser.cookies.values()].join();
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(kept).not.toContain(searchParams.get(name) ?? 'missing');
  });

  it('of another person in the same browser ends the session of the first', async () => {
    const { browser } = await newLinked();
    const before = browser.sessionToken ?? '';
    const { email } = arrive();
    browser.signOutOfIssuer();
    await browser.signIn();
    expect(await browser.session()).toMatchObject({ email });
    expect(await findSession(before)).toBeNull();
  });

  it('with an issuer that does not respond says so', async () => {
    const { OIDC_ISSUER } = settings();
    Object.assign(settings(), { OIDC_ISSUER: `http://127.0.0.1:${await freePort()}` });
    expect(await newBrowser().begin()).toBe('/sign-in?failure=failed');
    Object.assign(settings(), { OIDC_ISSUER });
  });

  it('is limited per network, so that nobody makes the service ask an issuer without end @attack', async () => {
    Object.assign(settings(), { LIMIT_CODES_PER_ADDRESS_PER_HOUR: 20 });
    const addresses: string[] = [];
    for (let n = 0; n < 61; n++) addresses.push(await newBrowser().begin());
    expect(addresses.at(-1)).toBe('/sign-in?failure=limited');
    expect(addresses[0]).toContain(issuer.url);
    Object.assign(settings(), { LIMIT_CODES_PER_ADDRESS_PER_HOUR: 0 });
  });
});

describe('a company', () => {
  it.each([
    [
      'a domain',
      { OIDC_DOMAINS: ['corp.example'] },
      { email: 'in@corp.example' },
      { email: 'x@corp.example.org' },
    ],
    ['a group', { OIDC_GROUPS: ['staff', 'admins'] }, { groups: ['staff'] }, { groups: ['staff-alumni'] }],
    [
      'a domain and a group',
      { OIDC_DOMAINS: ['corp.example'], OIDC_GROUPS: ['staff'] },
      { email: 'both@corp.example', groups: ['staff'] },
      { email: 'one@corp.example', groups: [] },
    ],
  ])('lets in %s, and nobody else @attack', async (_, set, insider, outsider) => {
    Object.assign(settings(), set);
    arrive(insider);
    const browser = newBrowser();
    expect(await browser.signIn()).toBe('/sign-in');
    expect(await browser.session()).not.toBeNull();
    for (const person of [outsider, { ...outsider, email_verified: false }]) {
      const { email } = arrive(person);
      const other = newBrowser();
      expect(await other.signIn()).toBe('/sign-in?failure=refused');
      expect(await countAccounts(email)).toBe(0);
    }
  });

  it('shuts out a linked person who has left the group @attack', async () => {
    const { person } = await newLinked({ groups: ['staff'] });
    Object.assign(settings(), { OIDC_GROUPS: ['staff'] });
    issuer.person = { ...person, groups: [] };
    const browser = newBrowser();
    expect(await browser.signIn()).toBe('/sign-in?failure=refused');
    expect(await browser.session()).toBeNull();
  });

  it('opens the operator’s pages to a device only after a sign-in with its issuer @attack', async () => {
    const email = 'operator@example.com';
    await newAccount(email);
    await sendServiceCode({ email, clientIp: '' });
    const browser = newBrowser();
    await enterCode(browser, email);
    const byCode = await browser.session();
    expect(byCode).toMatchObject({ isFromIssuer: false });
    expect(byCode && lacksIssuer(byCode)).toBe(true);

    arrive({ email });
    await browser.signIn();
    await enterCode(browser, email);
    const byIssuer = await browser.session();
    expect(byIssuer?.sessionId).toBe(byCode?.sessionId);
    expect(byIssuer && lacksIssuer(byIssuer)).toBe(false);

    // Another issuer takes its place: what the earlier one said no longer counts.
    const { OIDC_ISSUER } = settings();
    Object.assign(settings(), { OIDC_ISSUER: 'https://other.example' });
    const later = await browser.session();
    expect(later && lacksIssuer(later)).toBe(true);
    Object.assign(settings(), { OIDC_ISSUER, OIDC_OPERATORS: false });
    expect(byCode && lacksIssuer(byCode)).toBe(false);
    Object.assign(settings(), { OIDC_OPERATORS: true });
  });
});

describe('an address of a mailbox that the issuer does not run', () => {
  const google = { iss: 'https://accounts.google.com', sub: '1', email_verified: true };

  it.each([
    ['github', { iss: 'https://github.com', sub: '7', email_verified: true }],
    ['microsoft', { iss: 'https://login.microsoftonline.com/9188040d/v2.0', sub: '7', xms_edov: true }],
    ['google', google],
  ] as const)(
    'opens no new account by %s without a code: a former owner may have verified it @attack',
    async (provider, claims) => {
      const email = `recycled@${provider}.example`;
      const identity = readIdentity(provider, { ...claims, email });
      if (identity === null) throw new Error('expected an identity');
      const browser = newBrowser();
      const entry = { identity, userAgent: '', clientIp: '', browserCookie: null, currentToken: null };
      const outcome = await signInWithIssuer(entry);
      if (outcome.kind !== 'code_sent') throw new Error(`expected a code instead of ${outcome.kind}`);
      expect(await countAccounts(email)).toBe(0);
      browser.cookies.set('__Host-svc-identity', outcome.cookie);
      await enterCode(browser, email);
      expect(await browser.session()).toMatchObject({ email });
      expect(await signInWithIssuer(entry)).toMatchObject({ kind: 'signed_in' });
    },
  );

  it('is current at Google only in its own mail, also where Google is the company’s issuer @attack', () => {
    const { OIDC_ISSUER } = settings();
    const read = (provider: 'google' | 'oidc', claims: Claims) =>
      readIdentity(provider, { ...google, email: 'ada@corp.example', ...claims });
    expect(read('google', {})).toMatchObject({ isCurrent: false });
    expect(read('google', { hd: 'corp.example' })).toMatchObject({ isCurrent: true });
    expect(read('google', { email: 'Ada@Gmail.com' })).toMatchObject({
      email: 'ada@gmail.com',
      isCurrent: true,
    });
    Object.assign(settings(), { OIDC_ISSUER: google.iss, OIDC_DOMAINS: ['corp.example'] });
    expect(read('oidc', {})).toBeNull();
    expect(read('oidc', { hd: 'corp.example' })).toMatchObject({ isCurrent: true });
    Object.assign(settings(), { OIDC_ISSUER });
  });
});

describe('an address counts as verified', () => {
  const email = 'ada@example.com';
  const verifiedBy = (provider: 'google' | 'microsoft' | 'github', claims: Claims) =>
    readIdentity(provider, { sub: '1', email, ...claims })?.email ?? null;

  it('at Google only with the claim itself, not a text of it @attack', () => {
    const google = { iss: 'https://accounts.google.com', hd: 'example.com' };
    expect(verifiedBy('google', { ...google, email_verified: true })).toBe(email);
    expect(verifiedBy('google', { ...google, email_verified: 'true' })).toBeNull();
  });

  it('at Microsoft only if it is marked, whatever else is claimed @attack', () => {
    const microsoft = { iss: 'https://login.microsoftonline.com/9188040d/v2.0', email_verified: true };
    expect(verifiedBy('microsoft', microsoft)).toBeNull();
    expect(verifiedBy('microsoft', { ...microsoft, xms_edov: false })).toBeNull();
    expect(verifiedBy('microsoft', { ...microsoft, xms_edov: true })).toBe(email);
    expect(verifiedBy('microsoft', { ...microsoft, xms_edov: '1' })).toBe(email);
  });

  it('at GitHub only if it is the primary one and verified, not one that the profile shows @attack', async () => {
    const bodies: Record<string, unknown> = {
      '/user': { id: 7, email: 'shown@example.com' },
      '/user/emails': [
        { email: 'second@example.com', primary: false, verified: true },
        { email, primary: true, verified: false },
      ],
    };
    const server = createServer(({ url = '', headers }, response) => {
      expect(headers.authorization).toBe('Bearer gho_token');
      response.setHeader('content-type', 'application/json').end(JSON.stringify(bodies[url]));
    });
    const port = await freePort();
    await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
    const read = () => readGitHubClaims('gho_token', `http://127.0.0.1:${port}`);
    expect(readIdentity('github', await read())).toEqual({
      provider: 'github',
      issuer: 'https://github.com',
      subject: '7',
      email: null,
      isCurrent: false,
    });
    bodies['/user/emails'] = [{ email, primary: true, verified: true }];
    expect(readIdentity('github', await read())).toMatchObject({ email });
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
});
