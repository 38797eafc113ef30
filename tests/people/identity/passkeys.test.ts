import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE_MS, now, setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { readStopToken } from '@/server/base/stop-link';
import { createPartner } from '@/server/partners/partner';
import { addPasskey, beginPasskey } from '@/server/people/add-passkey';
import { deleteAccount } from '@/server/people/delete-account';
import { logOutDevice } from '@/server/people/devices';
import { listPasskeys, readPasskeyUse, removePasskey } from '@/server/people/passkeys';
import { isConfirmed } from '@/server/people/presence';
import { findSession, type LiveSession } from '@/server/people/sessions';
import { sendServiceCode, signInToService } from '@/server/people/sign-in-to-service';
import { askForPasskey, signInWithPasskey } from '@/server/people/sign-in-with-passkey';
import { sweepSignIns } from '@/server/people/sweep-sign-ins';
import { openUser } from '@/server/people/users';
import { newDatabase } from '../../harness';
import { Authenticator, type Deviation } from '../../harness/authenticator';
import { newDevice } from './app-world';
import { type Mailbox, openMailbox } from './mailbox';

/** Passkeys with real signatures, made by an authenticator in software. */

const SERVICE = 'https://svc.example';
const OPERATOR = 'operator@example.com';
process.env.BASE_URL = SERVICE;
process.env.OPERATOR_EMAILS = OPERATOR;
process.env.LIMIT_CODES_PER_EMAIL_PER_HOUR = '0';
process.env.LIMIT_CODE_RESEND_SECONDS = '0';
await newDatabase();
let mailbox: Mailbox;

beforeAll(async () => {
  mailbox = await openMailbox();
});
afterEach(() => setClock());

let userCount = 0;

async function newSession(
  email = `passkey-${++userCount}@example.com`,
): Promise<LiveSession & { token: string }> {
  const { id } = await inTransaction((tx) => openUser(tx, email));
  const { token } = await newDevice(id);
  return { ...(await live(token)), token };
}

async function live(token: string): Promise<LiveSession> {
  const session = await findSession(token);
  if (session === null) throw new Error('The session has ended');
  return session;
}

/** A user with one passkey. */
async function newHolder(authenticator = new Authenticator(SERVICE), email?: string) {
  const session = await newSession(email);
  await add(session, authenticator);
  return { session, authenticator };
}

async function add(session: LiveSession, authenticator: Authenticator, other?: Deviation): Promise<void> {
  const response = authenticator.create(await beginPasskey(session), other);
  await addPasskey(session, { name: 'Laptop', response });
}

type Signed = ReturnType<Authenticator['get']>;

const enter = (response: Signed, currentToken: string | null = null) =>
  signInWithPasskey({ response, userAgent: 'test', clientIp: '', currentToken });

async function signIn(authenticator: Authenticator, other?: Deviation): Promise<LiveSession> {
  const { token } = await enter(authenticator.get(await askForPasskey(null), other));
  return live(token);
}

const TOO_LATE = { message: expect.stringContaining('expired or was already used') };
const UNKNOWN = { message: expect.stringContaining('not known here') };
const UNVERIFIABLE = { message: expect.stringContaining('could not be verified') };

describe('a passkey', () => {
  it('signs in without a code, opens a session of its user and records its use', async () => {
    const { session, authenticator } = await newHolder();
    expect(await listPasskeys(session.userId)).toMatchObject([{ name: 'Laptop', lastUsedAt: null }]);
    const opened = await signIn(authenticator);
    expect(opened).toMatchObject({ userId: session.userId, confirmedBy: 'passkey' });
    expect(opened.sessionId).not.toBe(session.sessionId);
    expect((await listPasskeys(session.userId))[0]?.lastUsedAt).not.toBeNull();
  });

  it('is created for this site only, verified and discoverable, under a handle that names nobody', async () => {
    const session = await newSession();
    const options = await beginPasskey(session);
    expect(options).toMatchObject({
      rp: { id: 'svc.example' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const handle = Buffer.from(options.user.id, 'base64url').toString('latin1');
    expect(handle).toHaveLength(32);
    for (const secret of [session.userId, session.email]) expect(handle).not.toContain(secret);
    expect(await askForPasskey(null)).toMatchObject({
      rpId: 'svc.example',
      userVerification: 'required',
      allowCredentials: [],
    });
  });

  it('mails its owner when it is added and when it is removed', async () => {
    const { session } = await newHolder();
    const [passkey] = await listPasskeys(session.userId);
    expect(await removePasskey(session, passkey?.passkeyId ?? '')).toBe(true);
    const subjects = mailbox.mails
      .filter(({ recipients }) => recipients.includes(session.email))
      .map(({ mail }) => mail.subject);
    expect(subjects).toEqual([
      expect.stringContaining('Passkey added'),
      expect.stringContaining('Passkey removed'),
    ]);
  });

  it('mails a link that stops all apps when passkeys change', async () => {
    const { session } = await newHolder();
    const { mail } = mailbox.mails.findLast(({ recipients }) => recipients.includes(session.email)) ?? {};
    const token = /\/stop\?token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
    expect(readStopToken(token)).toEqual({ userId: session.userId });
    expect(`${mail?.text} ${mail?.html}`).not.toContain(session.userId);
  });

  it('no longer signs in once it was removed or its account deleted', async () => {
    const { session, authenticator } = await newHolder();
    const [passkey] = await listPasskeys(session.userId);
    await removePasskey(session, passkey?.passkeyId ?? '');
    await expect(signIn(authenticator)).rejects.toMatchObject(UNKNOWN);

    const deleted = await newHolder();
    await deleteAccount(deleted.session.userId);
    await expect(signIn(deleted.authenticator)).rejects.toMatchObject(UNKNOWN);
    expect(await prisma().passkey.count({ where: { userId: deleted.session.userId } })).toBe(0);
  });

  it('cannot be removed by another user @attack', async () => {
    const { session, authenticator } = await newHolder();
    const [passkey] = await listPasskeys(session.userId);
    expect(await removePasskey(await newSession(), passkey?.passkeyId ?? '')).toBe(false);
    await signIn(authenticator);
  });
});

describe('signing in with a passkey is refused @attack', () => {
  it.each<[string, Deviation]>([
    ['for another site', { rpId: 'evil.example' }],
    ['without verification of the user', { isVerified: false }],
    ['under the handle of another user', { userHandle: 'b3RoZXI' }],
  ])('%s', async (_, other) => {
    const { authenticator } = await newHolder();
    await expect(signIn(authenticator, other)).rejects.toMatchObject(UNKNOWN);
    await signIn(authenticator);
  });

  it.each([
    'http://svc.example',
    'https://evil.example',
    'https://svc.example:8443',
    'https://a.svc.example',
  ])('on a page of %s', async (origin) => {
    const { session, authenticator } = await newHolder();
    Object.assign(authenticator, { origin });
    await expect(signIn(authenticator)).rejects.toMatchObject(UNKNOWN);
    expect((await listPasskeys(session.userId))[0]?.lastUsedAt).toBeNull();
  });

  it('when it was never added', async () => {
    await newHolder();
    await expect(signIn(new Authenticator(SERVICE))).rejects.toMatchObject(UNKNOWN);
  });

  it('when another key signed', async () => {
    const { authenticator } = await newHolder();
    const options = await askForPasskey(null);
    const { userHandle = '' } = authenticator.get(options).response;
    const forged = new Authenticator(SERVICE).get(options, { userHandle });
    await expect(enter({ ...forged, id: authenticator.id, rawId: authenticator.id })).rejects.toMatchObject(
      UNKNOWN,
    );
  });

  it('a second time with the same signature, in whatever spelling', async () => {
    const { authenticator } = await newHolder();
    const signed = authenticator.get(await askForPasskey(null));
    await enter(signed);
    await expect(enter(signed)).rejects.toMatchObject(TOO_LATE);
    const options = await askForPasskey(null);
    await enter(authenticator.get(options));
    const padded = { ...options, challenge: `${options.challenge}=` };
    await expect(enter(authenticator.get(padded))).rejects.toMatchObject(TOO_LATE);
  });

  it('twice at once with the same signature', async () => {
    const { authenticator } = await newHolder();
    const signed = authenticator.get(await askForPasskey(null));
    const outcomes = await Promise.allSettled([enter(signed), enter(signed), enter(signed)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('after five minutes', async () => {
    const { authenticator } = await newHolder();
    const signed = authenticator.get(await askForPasskey(null));
    const start = now();
    setClock(() => start + 5 * MINUTE_MS);
    await expect(enter(signed)).rejects.toMatchObject(TOO_LATE);
  });

  it('with a challenge that we did not issue, or issued for something else', async () => {
    const { session, authenticator } = await newHolder();
    const own = await askForPasskey(null);
    const invented = Buffer.alloc(56, 255).toString('base64url');
    const { challenge: forAdding } = await beginPasskey(session);
    for (const challenge of ['', 'AA', invented, forAdding]) {
      await expect(enter(authenticator.get({ ...own, challenge }))).rejects.toMatchObject(TOO_LATE);
    }
  });

  it('when its counter went back: the key was cloned', async () => {
    const authenticator = new Authenticator(SERVICE, 5);
    await newHolder(authenticator);
    await signIn(authenticator);
    for (const counter of [0, 1, 6]) {
      await expect(signIn(authenticator, { counter })).rejects.toMatchObject(UNKNOWN);
    }
    await signIn(authenticator, { counter: 60 });
  });

  it('above the attempts that one IP address may make', async () => {
    process.env.LIMIT_CODES_PER_ADDRESS_PER_HOUR = '20';
    const { authenticator } = await newHolder();
    const attempt = async () =>
      signInWithPasskey({
        response: authenticator.get(await askForPasskey(null)),
        userAgent: '',
        clientIp: '203.0.113.9',
        currentToken: null,
      });
    for (let n = 0; n < 60; n++) await attempt();
    await expect(attempt()).rejects.toMatchObject({ code: 'rate_limited' });
  });
});

describe('confirming with a passkey', () => {
  it('renews the session of the signed-in user and replaces its token', async () => {
    const { session, authenticator } = await newHolder();
    const options = await askForPasskey(session);
    expect(options.allowCredentials).toMatchObject([{ id: authenticator.id }]);
    const { token } = await enter(authenticator.get(options), session.token);
    expect(await findSession(session.token)).toBeNull();
    expect(await live(token)).toMatchObject({ sessionId: session.sessionId, confirmedBy: 'passkey' });
  });

  it('refuses the passkey of another user, and a challenge of another session @attack', async () => {
    const { session } = await newHolder();
    const other = await newHolder();
    const options = await askForPasskey(session);
    await expect(enter(other.authenticator.get(options), session.token)).rejects.toMatchObject({
      message: 'This passkey belongs to another account.',
    });
    const signed = other.authenticator.get(options);
    for (const token of [null, other.session.token])
      await expect(enter(signed, token)).rejects.toMatchObject(TOO_LATE);
    expect((await live(session.token)).confirmedBy).toBe('code');
  });

  it('is undone by a later code: the session says how it was confirmed last', async () => {
    const { session, authenticator } = await newHolder();
    const { token } = await enter(authenticator.get(await askForPasskey(session)), session.token);
    const { challengeId } = await sendServiceCode({ email: session.email, clientIp: '' });
    const entry = { challengeId, email: session.email, code: mailbox.lastCode() };
    const renewed = await signInToService({ ...entry, userAgent: '', clientIp: '', currentToken: token });
    expect(await live(renewed.token)).toMatchObject({ sessionId: session.sessionId, confirmedBy: 'code' });
  });
});

describe('adding a passkey is refused', () => {
  it.each<[string, Deviation]>([
    ['for another site', { rpId: 'evil.example' }],
    ['without verification of the user', { isVerified: false }],
  ])('%s', async (_, other) => {
    const session = await newSession();
    await expect(add(session, new Authenticator(SERVICE), other)).rejects.toMatchObject(UNVERIFIABLE);
    expect(await listPasskeys(session.userId)).toEqual([]);
  });

  it('with certificates, before any is read: checking them can fetch what they name @attack', async () => {
    const refused = add(await newSession(), new Authenticator(SERVICE), { certificate: Buffer.from('any') });
    // A failed verification would be the cause.
    await expect(refused).rejects.toMatchObject({ ...UNVERIFIABLE, cause: undefined });
  });

  it('on a page of another site', async () => {
    const session = await newSession();
    await expect(add(session, new Authenticator('https://evil.example'))).rejects.toMatchObject(UNVERIFIABLE);
  });

  it('for another session, after five minutes, and a second time', async () => {
    const [session, other] = [await newSession(), await newSession()];
    const response = new Authenticator(SERVICE).create(await beginPasskey(session));
    await expect(addPasskey(other, { name: 'Laptop', response })).rejects.toMatchObject(TOO_LATE);
    const start = now();
    setClock(() => start + 5 * MINUTE_MS);
    await expect(addPasskey(session, { name: 'Laptop', response })).rejects.toMatchObject(TOO_LATE);
    setClock();
    await addPasskey(session, { name: 'Laptop', response });
    const [added] = await listPasskeys(session.userId);
    await removePasskey(session, added?.passkeyId ?? '');
    await expect(addPasskey(session, { name: 'Laptop', response })).rejects.toMatchObject(TOO_LATE);
  });

  it('on a device that was signed out while it was added @attack', async () => {
    const session = await newSession();
    const response = new Authenticator(SERVICE).create(await beginPasskey(session));
    await logOutDevice(session.userId, session.sessionId);
    await expect(addPasskey(session, { name: 'Laptop', response })).rejects.toThrow('You were signed out');
    expect(await listPasskeys(session.userId)).toEqual([]);
  });

  it('when another account has it @attack', async () => {
    const { session, authenticator } = await newHolder();
    const other = await newSession();
    await expect(add(other, authenticator)).rejects.toMatchObject({
      message: 'This passkey was already added.',
    });
    expect(await listPasskeys(other.userId)).toEqual([]);
    expect(await listPasskeys(session.userId)).toHaveLength(1);
  });

  it('from the eleventh on, even when many are added at once', async () => {
    const session = await newSession();
    const responses = [];
    for (let n = 0; n < 12; n++)
      responses.push(new Authenticator(SERVICE).create(await beginPasskey(session)));
    await Promise.allSettled(responses.map((response) => addPasskey(session, { name: 'Laptop', response })));
    expect(await listPasskeys(session.userId)).toHaveLength(10);
    await expect(beginPasskey(session)).rejects.toMatchObject({
      message: expect.stringContaining('10 passkeys'),
    });
  });
});

describe('a code of the last minutes confirms', () => {
  const useOf = async (session: LiveSession) => [await isConfirmed(session), await readPasskeyUse(session)];

  it('everyone but an operator or the owner of an app who has a passkey; for them, only the passkey does', async () => {
    const { session: user } = await newHolder();
    const [operator, owner] = [await newSession(OPERATOR), await newSession()];
    await createPartner({ name: 'Harbour', rateBp: 0, origins: [], ownerEmail: owner.email });
    expect(await useOf(user)).toEqual([true, 'optional']);
    for (const session of [operator, owner]) {
      const authenticator = new Authenticator(SERVICE);
      expect(await useOf(session)).toEqual([true, 'none']);
      await add(session, authenticator);
      expect(await useOf(session)).toEqual([false, 'required']);
      const { token } = await enter(authenticator.get(await askForPasskey(session)), session.token);
      expect(await useOf(await live(token))).toEqual([true, 'required']);
      const start = now();
      setClock(() => start + 10 * MINUTE_MS);
      expect(await useOf(await live(token))).toEqual([false, 'required']);
      setClock();
    }
  });
});

it('used challenges are kept until they have expired', async () => {
  const { authenticator } = await newHolder();
  await signIn(authenticator);
  await sweepSignIns();
  expect(await prisma().usedPasskeyChallenge.count()).toBeGreaterThan(0);
  const start = now();
  setClock(() => start + 66 * MINUTE_MS);
  await sweepSignIns();
  expect(await prisma().usedPasskeyChallenge.count()).toBe(0);
});
