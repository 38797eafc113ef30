import { beforeAll, expect, it } from 'vitest';
import { inTransaction, prisma } from '@/server/base/db';
import { mintUserKey } from '@/server/people/keys/mint';
import {
  clearedSessionCookie,
  readSessionToken,
  SESSION_COOKIE,
  sessionCookie,
} from '@/server/people/session-cookie';
import { findSession, lockLiveSession } from '@/server/people/sessions';
import { sendServiceCode, signInToService, signOutOfService } from '@/server/people/sign-in-to-service';
import { newDatabase } from '../../harness';
import { type AppUser, liveKeyIds, newAppUser, newPartner, recordedEvents } from './app-world';
import { type Mailbox, openMailbox } from './mailbox';

process.env.LIMIT_CODE_RESEND_SECONDS = '0';
process.env.LIMIT_CODES_PER_EMAIL_PER_HOUR = '0';
await newDatabase();
let mailbox: Mailbox;

beforeAll(async () => {
  mailbox = await openMailbox();
});

async function signIn(email: string, currentToken: string | null = null): Promise<string> {
  const { challengeId } = await sendServiceCode({ email, clientIp: '' });
  const entry = {
    challengeId,
    email,
    code: mailbox.lastCode(),
    userAgent: 'test',
    clientIp: '',
    currentToken,
  };
  return (await signInToService(entry)).token;
}

async function keyOn(token: string, user: AppUser): Promise<string> {
  const session = await findSession(token);
  const { keyId } = await inTransaction(async (tx) =>
    mintUserKey(tx, { ...user, session: session && (await lockLiveSession(tx, session.sessionId)) }),
  );
  return keyId;
}

it('a token planted before the sign-in is invalid after it', async () => {
  const planted = 'x'.repeat(43);
  const token = await signIn('fixation@example.com', planted);
  expect(token).not.toBe(planted);
  expect(await findSession(planted)).toBeNull();
  expect((await findSession(token))?.email).toBe('fixation@example.com');
});

it('signing in again keeps the device and its keys, and replaces the token', async () => {
  const user = await newAppUser((await newPartner()).id);
  const before = await signIn(user.email);
  const keyId = await keyOn(before, user);
  const first = await findSession(before);
  await prisma().session.updateMany({ data: { confirmedAt: new Date(0) } });

  const after = await signIn(user.email, before);
  const second = await findSession(after);
  expect(second?.sessionId).toBe(first?.sessionId);
  expect(second?.confirmedAt.getTime()).toBeGreaterThan(0);
  expect(await findSession(before)).toBeNull();
  expect(await liveKeyIds(user)).toEqual([keyId]);
});

it('another user’s sign-in on the same browser ends the first user’s device, including its keys', async () => {
  const user = await newAppUser((await newPartner()).id);
  const before = await signIn(user.email);
  await keyOn(before, user);
  const after = await signIn('second-person@example.com', before);
  expect(await findSession(before)).toBeNull();
  expect(await liveKeyIds(user)).toEqual([]);
  expect((await findSession(after))?.email).toBe('second-person@example.com');
});

it('signing out ends the device and notifies the apps of the revoked keys', async () => {
  const user = await newAppUser((await newPartner()).id);
  const [token, other] = [await signIn(user.email), await signIn(user.email)];
  const [ended, kept] = [await keyOn(token, user), await keyOn(other, user)];
  await signOutOfService(token);
  expect(await findSession(token)).toBeNull();
  expect(await findSession(other)).not.toBeNull();
  expect(await liveKeyIds(user)).toEqual([kept]);
  const revoked = (await recordedEvents(user.partnerId)).filter(({ type }) => type === 'user_key.revoked');
  expect(revoked.map(({ data }) => [data.key_id, data.reason])).toEqual([[ended, 'session_revoked']]);
});

it('a code for an app cannot sign in to the service', async () => {
  const { challengeId } = await sendServiceCode({ email: 'places@example.com', clientIp: '' });
  const entry = { challengeId, email: 'places@example.com', code: mailbox.lastCode() };
  await prisma().loginChallenge.update({ where: { id: challengeId }, data: { partnerId: 'prt_other' } });
  await expect(
    signInToService({ ...entry, userAgent: '', clientIp: '', currentToken: null }),
  ).rejects.toMatchObject({
    code: 'invalid_code',
  });
});

it('the cookie is restricted to this host and to HTTPS, and hidden from scripts', () => {
  expect(SESSION_COOKIE).toMatch(/^__Host-/);
  for (const cookie of [sessionCookie('token'), clearedSessionCookie()]) {
    expect(cookie).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(cookie).not.toContain('Domain');
  }
  const read = (cookie: string) => readSessionToken(new Request('http://svc/', { headers: { cookie } }));
  expect(read(`a=b; ${SESSION_COOKIE}=token; c=d`)).toBe('token');
  expect(read(`x${SESSION_COOKIE}=token; ${SESSION_COOKIE}=`)).toBeNull();
});
