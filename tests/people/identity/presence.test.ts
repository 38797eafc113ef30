import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, now, setClock } from '@/server/base/clock';
import { inTransaction } from '@/server/base/db';
import { listDevices } from '@/server/people/devices';
import { confirmPresence, isRecent, sendConfirmationCode } from '@/server/people/presence';
import { findSession, type LiveSession, openSession } from '@/server/people/sessions';
import { sendServiceCode, signInToService } from '@/server/people/sign-in-to-service';
import { openUser } from '@/server/people/users';
import { newDatabase } from '../../harness';
import { confirmedMinutesAgo } from '../../harness/confirmations';
import { type Mailbox, openMailbox, wrongCode } from './mailbox';

const OPERATOR = 'operator@example.com';
process.env.OPERATOR_EMAILS = OPERATOR;
await newDatabase();
let mailbox: Mailbox;

beforeAll(async () => {
  mailbox = await openMailbox();
});
afterEach(() => setClock());

/** A device whose user last confirmed their presence an hour ago. */
async function oldDevice(email: string): Promise<{ token: string; session: LiveSession }> {
  const { token } = await inTransaction(async (tx) => {
    const { id: userId } = await openUser(tx, email);
    return openSession(tx, { userId, userAgent: 'test' });
  });
  await confirmedMinutesAgo(token, 60);
  return { token, session: await readSession(token) };
}

async function readSession(token: string): Promise<LiveSession> {
  const session = await findSession(token);
  if (session === null) throw new Error('The device is signed out');
  return session;
}

async function confirm(session: LiveSession): Promise<LiveSession> {
  const { challengeId } = await sendConfirmationCode(session, '');
  const entry = { challengeId, code: mailbox.lastCode(), clientIp: '' };
  return readSession((await confirmPresence(session, entry)).token);
}

describe('a confirmation', () => {
  it('counts for ten minutes, keeps the device and replaces its token @attack', async () => {
    const { token, session } = await oldDevice('here@example.com');
    expect(isRecent(session)).toBe(false);
    const start = now();
    setClock(() => start);
    const confirmed = await confirm(session);
    expect(confirmed.sessionId).toBe(session.sessionId);
    expect(await findSession(token)).toBeNull();
    setClock(() => start + 10 * MINUTE_MS - 1);
    expect(isRecent(confirmed)).toBe(true);
    setClock(() => start + 10 * MINUTE_MS);
    expect(isRecent(confirmed)).toBe(false);
  });

  it('takes the code of this device, once, and no other @attack', async () => {
    const { session } = await oldDevice('two@example.com');
    const { session: other } = await oldDevice('two@example.com');
    const { challengeId } = await sendConfirmationCode(session, '');
    const entry = { challengeId, code: mailbox.lastCode(), clientIp: '' };
    const refused = { code: 'invalid_code' };
    await expect(confirmPresence(other, entry)).rejects.toMatchObject(refused);
    await expect(confirmPresence(session, { ...entry, code: wrongCode(entry.code) })).rejects.toMatchObject(
      refused,
    );
    await confirmPresence(session, entry);
    await expect(confirmPresence(session, entry)).rejects.toMatchObject(refused);
  });

  it('is no sign-in, and a code for signing in is no confirmation @attack', async () => {
    const email = 'apart@example.com';
    const { session } = await oldDevice(email);
    const sent = await sendConfirmationCode(session, '');
    const asSignIn = { challengeId: sent.challengeId, code: mailbox.lastCode(), clientIp: '' };
    const refused = { code: 'invalid_code' };
    await expect(
      signInToService({ ...asSignIn, email, userAgent: '', currentToken: null }),
    ).rejects.toMatchObject(refused);
    const { challengeId } = await sendServiceCode({ email, clientIp: '' });
    const signIn = { challengeId, code: mailbox.lastCode(), clientIp: '' };
    await expect(confirmPresence(session, signIn)).rejects.toMatchObject(refused);
    await confirmPresence(session, asSignIn);
  });

  it('is possible every ten minutes, for hours, and uses up none of the codes for signing in @attack', async () => {
    const email = 'busy@example.com';
    let { session } = await oldDevice(email);
    const start = now();
    for (let minute = 0; minute < 3 * 60; minute += 10) {
      setClock(() => start + minute * MINUTE_MS);
      session = await confirm(session);
    }
    expect((await sendServiceCode({ email, clientIp: '' })).resendInSeconds).toBe(30);
  });

  it('cannot flood the mailbox: codes left unused are limited per hour @attack', async () => {
    const { session } = await oldDevice('flooded@example.com');
    const start = now();
    const ask = (minute: number) => {
      setClock(() => start + minute * MINUTE_MS);
      return sendConfirmationCode(session, '');
    };
    await ask(0);
    await expect(sendConfirmationCode(session, '')).rejects.toMatchObject({ code: 'rate_limited' });
    for (const minute of [5, 10, 15, 20]) await ask(minute);
    await expect(ask(25)).rejects.toMatchObject({ code: 'rate_limited' });
    await ask(61);
  });

  it('is asked for in a mail that names the service, and says that it is no sign-in @attack', async () => {
    const { session } = await oldDevice('reader@example.com');
    await sendConfirmationCode(session, '');
    const { mail, recipients } = mailbox.mails.at(-1) ?? {};
    expect(recipients).toEqual(['reader@example.com']);
    expect(mail?.subject).toMatch(/^\d{6} confirms a change in your svc account$/);
    for (const text of [mail?.text, mail?.html]) {
      expect(text).toContain('confirms that change; it does not sign in');
      expect(text).not.toMatch(/reader@|https?:|ses_|usr_/);
    }
  });
});

describe('a session of an operator', () => {
  const lives = async (email: string, agesMs: number[]) => {
    const { token, session } = await oldDevice(email);
    const start = now();
    const alive: boolean[] = [];
    for (const ageMs of agesMs) {
      setClock(() => start + ageMs);
      alive.push((await listDevices(session.userId)).length > 0);
      expect((await findSession(token)) !== null).toBe(alive.at(-1));
    }
    setClock();
    return alive;
  };

  it('ends after eight hours without use, where others last a month @attack', async () => {
    const idle = [8 * HOUR_MS - MINUTE_MS, 16 * HOUR_MS];
    expect(await lives(OPERATOR, idle)).toEqual([true, false]);
    expect(await lives('user@example.com', idle)).toEqual([true, true]);
  });

  it('ends after seven days however much it is used @attack', async () => {
    const used = Array.from({ length: 24 }, (_, index) => (index + 1) * 7 * HOUR_MS);
    const [last, before] = [await lives(OPERATOR, used), await lives('other@example.com', used)];
    expect(last).toEqual([...Array(23).fill(true), false]);
    expect(before).toEqual(Array(24).fill(true));
    expect(24 * 7 * HOUR_MS).toBe(7 * DAY_MS);
  });
});
