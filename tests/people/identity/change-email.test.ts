import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS, now, setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { createPartner } from '@/server/partners/partner';
import { moveToOwner } from '@/server/partners/teams';
import { openAppUser } from '@/server/people/app-users';
import {
  changeEmail,
  findUndoableChange,
  sendEmailChangeCodes,
  undoEmailChange,
} from '@/server/people/change-email';
import { deleteAccount } from '@/server/people/delete-account';
import { logOutDevice } from '@/server/people/devices';
import { mintUserKey } from '@/server/people/keys/mint';
import { confirmPresence, sendConfirmationCode } from '@/server/people/presence';
import { findSession, type LiveSession, openSession } from '@/server/people/sessions';
import { sendServiceCode, signInToService } from '@/server/people/sign-in-to-service';
import { sweepSignIns } from '@/server/people/sweep-sign-ins';
import { openUser } from '@/server/people/users';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../../harness';
import { type Mailbox, openMailbox, wrongCode } from './mailbox';

process.env.OPERATOR_EMAILS = 'operator@example.com,second-operator@example.com';
await newDatabase();
let mailbox: Mailbox;
let made = 0;

beforeAll(async () => {
  mailbox = await openMailbox();
});
afterEach(() => setClock());

const newAddress = (name: string) => `${name}-${++made}@example.com`;

async function signedIn(email: string): Promise<LiveSession> {
  const { token } = await inTransaction(async (tx) => {
    const { id: userId } = await openUser(tx, email);
    return openSession(tx, { userId, userAgent: 'test' });
  });
  return live(token);
}

async function live(token: string): Promise<LiveSession> {
  const session = await findSession(token);
  if (session === null) throw new Error('The device is signed out');
  return session;
}

function codeTo(email: string): string {
  const isTo = (recipient: string) => recipient.toLowerCase() === email;
  const { mail } = mailbox.mails.findLast(({ recipients }) => recipients.some(isTo)) ?? {};
  return /^\d{6}/.exec(mail?.subject ?? '')?.[0] ?? '';
}

async function askFor(session: LiveSession, typed: string) {
  const sent = await sendEmailChangeCodes(session, { typed, clientIp: '' });
  const codes = { oldCode: codeTo(session.email), newCode: codeTo(sent.email) };
  return { ...sent, ...codes, clientIp: '', browserCookie: null };
}

async function change(session: LiveSession, typed: string): Promise<LiveSession> {
  return live((await changeEmail(session, await askFor(session, typed))).token);
}

const emailOf = async (userId: string) =>
  (await prisma().user.findUniqueOrThrow({ where: { id: userId } })).email;

async function undoToken(email: string): Promise<string> {
  await sendMails('email_change');
  const { mail } = mailbox.mails.findLast(({ recipients }) => recipients.includes(email)) ?? {};
  return new URL(/http\S+undo-email\S+/.exec(mail?.text ?? '')?.[0] ?? '').searchParams.get('token') ?? '';
}

async function keyOf(userId: string): Promise<string> {
  const { id: partnerId } = await createPartner({ name: `App ${++made}`, rateBp: 0, origins: [] });
  return inTransaction(async (tx) => {
    await openAppUser(tx, { userId, partnerId });
    return (await mintUserKey(tx, { userId, partnerId, session: null })).keyId;
  });
}

const isLiveKey = async (id: string) =>
  (await prisma().userKey.findUniqueOrThrow({ where: { id } })).revokedAt === null;

const INVALID = { code: 'invalid_code' };

describe('the change of an e-mail address', () => {
  it('needs the codes of both mailboxes, ends all other sessions, and keeps keys and partners uninformed @attack', async () => {
    const [old, next] = [newAddress('old'), newAddress('next')];
    const [session, elsewhere] = [await signedIn(old), await signedIn(old)];
    const key = await keyOf(session.userId);
    const events = await prisma().event.count();
    const entry = await askFor(session, ` ${next.toUpperCase()} `);
    for (const [field, code] of [
      ['oldCode', { oldCode: wrongCode(entry.oldCode) }],
      ['newCode', { newCode: wrongCode(entry.newCode) }],
      ['oldCode', { oldCode: entry.newCode, oldId: entry.newId }],
      ['newCode', { newCode: entry.oldCode, newId: entry.oldId }],
    ] as const)
      await expect(changeEmail(session, { ...entry, ...code })).rejects.toMatchObject({
        ...INVALID,
        param: field,
      });
    expect(await emailOf(session.userId)).toBe(old);
    const { token } = await changeEmail(session, entry);
    expect(await live(token)).toMatchObject({ sessionId: session.sessionId, email: next });
    const others = await prisma().session.findMany({ where: { userId: session.userId, revokedAt: null } });
    expect(others.map(({ id }) => id)).toEqual([session.sessionId]);
    expect(others.map(({ id }) => id)).not.toContain(elsewhere.sessionId);
    expect(await isLiveKey(key)).toBe(true);
    expect(await prisma().event.count()).toBe(events);
  });

  it('takes no code of a confirmation, a sign-in, another device or another new address @attack', async () => {
    const old = newAddress('bound');
    const [session, elsewhere] = [await signedIn(old), await signedIn(old)];
    const presence = await sendConfirmationCode(session, '');
    const presenceCode = codeTo(old);
    await confirmPresence(session, { challengeId: presence.challengeId, code: presenceCode, clientIp: '' });
    const entry = await askFor(session, newAddress('bound-next'));
    const other = await sendServiceCode({ email: old, clientIp: '' });
    const misuses = [
      { ...entry, oldId: presence.challengeId, oldCode: presenceCode },
      { ...entry, oldId: other.challengeId, oldCode: codeTo(old) },
      { ...entry, email: newAddress('another') },
    ];
    for (const misuse of misuses) await expect(changeEmail(session, misuse)).rejects.toMatchObject(INVALID);
    await expect(changeEmail(elsewhere, entry)).rejects.toMatchObject(INVALID);
    const asSignIn = { challengeId: entry.newId, code: entry.newCode, email: entry.email };
    await expect(
      signInToService({ ...asSignIn, clientIp: '', userAgent: '', currentToken: null }),
    ).rejects.toMatchObject(INVALID);
    await changeEmail(session, entry);
  });

  it('happens once if it is sent twice at once', async () => {
    const session = await signedIn(newAddress('twice'));
    const entry = await askFor(session, newAddress('twice-next'));
    const results = await Promise.allSettled([changeEmail(session, entry), changeEmail(session, entry)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(changeEmail(session, entry)).rejects.toMatchObject(INVALID);
    expect(await prisma().emailChange.count({ where: { userId: session.userId } })).toBe(1);
  });

  it('gives an address to one of two accounts that take it at once @attack', async () => {
    const wanted = newAddress('wanted');
    const sessions = [await signedIn(newAddress('one')), await signedIn(newAddress('two'))];
    const entries = [];
    for (const [index, session] of sessions.entries()) {
      // From two networks, so that neither code ends the other.
      const clientIp = `192.0.2.${index + 1}`;
      const sent = await sendEmailChangeCodes(session, { typed: wanted, clientIp });
      const codes = { oldCode: codeTo(session.email), newCode: codeTo(wanted) };
      entries.push({ session, entry: { ...sent, ...codes, clientIp, browserCookie: null } });
    }
    const results = await Promise.allSettled(
      entries.map(({ session, entry }) => changeEmail(session, entry)),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { param: 'email' } });
    expect(await prisma().user.count({ where: { email: wanted } })).toBe(1);
  });

  it('is refused when the new address got an account meanwhile, and says so only to its mailbox @attack', async () => {
    const taken = newAddress('taken');
    const session = await signedIn(newAddress('late'));
    const entry = await askFor(session, taken);
    await signedIn(taken);
    await expect(changeEmail(session, { ...entry, newCode: wrongCode(entry.newCode) })).rejects.toMatchObject(
      INVALID,
    );
    const refusal = { code: 'invalid_request', param: 'email', message: expect.stringContaining('Another') };
    await expect(changeEmail(session, entry)).rejects.toMatchObject(refusal);
    expect(await emailOf(session.userId)).toBe(session.email);
  });

  it('survives two accounts that exchange addresses at once', async () => {
    const [a, b] = [await signedIn(newAddress('swap')), await signedIn(newAddress('swap'))];
    const [toB, toA] = [await askFor(a, b.email), await askFor(b, a.email)];
    const results = await Promise.allSettled([changeEmail(a, toB), changeEmail(b, toA)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect([await emailOf(a.userId), await emailOf(b.userId)]).toEqual([a.email, b.email]);
  });

  it('allows five attempts per code, and mails a stranger’s mailbox as rarely as any sign-in @attack', async () => {
    const session = await signedIn(newAddress('guess'));
    const entry = await askFor(session, newAddress('guess-next'));
    for (let attempt = 0; attempt < 5; attempt++)
      await expect(
        changeEmail(session, { ...entry, newCode: wrongCode(entry.newCode) }),
      ).rejects.toMatchObject(INVALID);
    await expect(changeEmail(session, entry)).rejects.toMatchObject({ ...INVALID, param: 'oldCode' });
    const victim = newAddress('victim');
    await askFor(await signedIn(newAddress('bomber')), victim);
    await expect(askFor(await signedIn(newAddress('bomber')), victim)).rejects.toMatchObject({
      code: 'rate_limited',
    });
  });

  it('is refused to a device that was signed out, to operators, and for the address itself @attack', async () => {
    const session = await signedIn(newAddress('out'));
    const entry = await askFor(session, newAddress('out-next'));
    await logOutDevice(session.userId, session.sessionId);
    await expect(changeEmail(session, entry)).rejects.toMatchObject({ code: 'invalid_request' });
    const operator = await signedIn('operator@example.com');
    const refused = { code: 'invalid_request', param: 'email' };
    await expect(askFor(operator, newAddress('out-next'))).rejects.toMatchObject(refused);
    await expect(askFor(session, session.email)).rejects.toMatchObject(refused);
    await expect(askFor(session, 'a@b, c@d.example')).rejects.toMatchObject(refused);
  });

  it('makes no account an operator’s, even with the code of that mailbox @attack', async () => {
    const session = await signedIn(newAddress('climber'));
    const entry = await askFor(session, 'second-operator@example.com');
    const wrong = { ...entry, newCode: wrongCode(entry.newCode) };
    await expect(changeEmail(session, wrong)).rejects.toMatchObject(INVALID);
    await expect(changeEmail(session, entry)).rejects.toMatchObject({ param: 'email' });
    expect(await emailOf(session.userId)).toBe(session.email);
  });

  it('moves the memberships of teams, and leaves their log without addresses', async () => {
    const session = await signedIn(newAddress('owner'));
    const { id: partnerId } = await createPartner({ name: 'Owned app', rateBp: 0, origins: [] });
    await moveToOwner(partnerId, session.email);
    const { email } = await change(session, newAddress('owner-next'));
    const members = await prisma().teamMember.findMany({
      where: { team: { partners: { some: { id: partnerId } } } },
    });
    expect(members).toMatchObject([{ email, role: 'owner' }]);
    const [logged] = await prisma().auditEntry.findMany({ where: { what: 'team.email' } });
    expect(logged).toMatchObject({ actor: session.userId, subject: session.userId });
    expect(JSON.stringify(logged)).not.toContain('@');
  });
});

describe('for a week after the change, the old address', () => {
  it('gets a mail, and the account is told nowhere else', async () => {
    const [old, next] = [newAddress('mailed'), newAddress('mailed-next')];
    await sendMails('email_change');
    await change(await signedIn(old), next);
    const before = mailbox.mails.length;
    await sendMails('email_change');
    const sent = mailbox.mails.slice(before);
    expect(sent.map(({ recipients }) => recipients)).toEqual([[old]]);
    for (const text of [sent[0]?.mail.text, sent[0]?.mail.html]) {
      expect(text).toContain('/stop?token=');
      expect(text).not.toMatch(/usr_|ses_/);
      expect(text).not.toContain(next);
    }
  });

  it('opens no second account and is taken by none; then both are possible @attack', async () => {
    const old = newAddress('kept');
    const { userId } = await change(await signedIn(old), newAddress('kept-next'));
    const start = now();
    await expect(signedIn(old)).rejects.toThrow('Your account has a new e-mail address.');
    const stranger = await signedIn(newAddress('stranger'));
    await expect(change(stranger, old)).rejects.toMatchObject({ param: 'email' });
    setClock(() => start + 7 * DAY_MS);
    await sweepSignIns();
    expect(await prisma().emailChange.count({ where: { userId } })).toBe(0);
    expect((await signedIn(old)).userId).not.toBe(userId);
  });

  it('undoes the change with the mailed link, once, along with what was opened since @attack', async () => {
    const [old, thief] = [newAddress('victim'), newAddress('thief')];
    const session = await signedIn(old);
    const ownKey = await keyOf(session.userId);
    const stolen = await change(session, thief);
    const token = await undoToken(old);
    const thiefKey = await keyOf(stolen.userId);
    const start = now();
    setClock(() => start + 5 * MINUTE_MS);
    await change(stolen, newAddress('thief'));
    const thiefToken = await undoToken(thief);
    expect(await findUndoableChange(token)).toEqual({ email: 'v•••@example.com' });
    expect(await Promise.all([undoEmailChange(token), undoEmailChange(token)])).toContain(false);
    expect(await emailOf(session.userId)).toBe(old);
    expect(await prisma().session.count({ where: { userId: session.userId, revokedAt: null } })).toBe(0);
    expect([await isLiveKey(ownKey), await isLiveKey(thiefKey)]).toEqual([true, false]);
    expect(await undoEmailChange(thiefToken)).toBe(false);
    expect((await signedIn(old)).userId).toBe(session.userId);
  });

  it('undoes nothing with a forged or expired link, or once the account is deleted @attack', async () => {
    const old = newAddress('expired');
    const { userId } = await change(await signedIn(old), newAddress('expired-next'));
    const token = await undoToken(old);
    const start = now();
    for (const forged of ['', `${token}A`, token.replace(/.$/, (end) => (end === 'A' ? 'E' : 'A'))])
      expect(await undoEmailChange(forged)).toBe(false);
    setClock(() => start + 7 * DAY_MS);
    expect([await findUndoableChange(token), await undoEmailChange(token)]).toEqual([null, false]);
    setClock();
    await deleteAccount(userId);
    expect([await findUndoableChange(token), await undoEmailChange(token)]).toEqual([null, false]);
    expect((await signedIn(old)).userId).not.toBe(userId);
  });
});
