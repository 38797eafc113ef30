import { Prisma } from '../../prisma/client/client';
import { DAY_MS, now, nowDate } from '../base/clock';
import { inTransaction, prisma, type Tx } from '../base/db';
import { makeMailDue } from '../base/due-mails';
import { ApiError } from '../base/errors';
import { newId } from '../base/ids';
import { lockAccount } from '../base/lock-account';
import { moveMemberships } from '../partners/members';
import { maskEmail, normaliseEmail } from './email';
import { readUndoToken } from './email-change-link';
import { revokeUserKey } from './keys/revoke';
import { rememberBrowser } from './known-browser';
import { type CodePlace, consumeChallenge, invalidCode, sendLoginCode, verifyLoginCode } from './login-codes';
import { isOperator, type LiveSession, lockLiveSession, renewSession } from './sessions';

/**
 * The change of an account's e-mail address. Its user is present and enters a code from each of the two mailboxes.
 * For a week, nobody else gets the old address, and a link that is mailed there undoes the change.
 */

export const UNDO_MS = 7 * DAY_MS;
/** Changes are made one at a time, so that two that exchange addresses do not wait for each other. */
const CHANGE_LOCK = 3_704_304;

type Browser = { clientIp: string };

export type SentCodes = { email: string; oldId: string; newId: string };

/** Sends a code to each mailbox. Says nothing about whether the new address has an account. */
export async function sendEmailChangeCodes(
  session: LiveSession,
  { typed, clientIp }: Browser & { typed: string },
): Promise<SentCodes> {
  const { email, display } = requireOtherEmail(session, typed);
  const request = { ...placeOf(session, email), clientIp, appName: null, locale: session.mailLanguage };
  // The limits of the new mailbox are those of strangers, so this one is refused more often.
  const toNew = await sendLoginCode({ ...request, email: display });
  const toOld = await sendLoginCode({ ...request, email: session.email });
  return { email, oldId: toOld.challengeId, newId: toNew.challengeId };
}

type EmailChangeEntry = Browser & {
  email: string;
  oldId: string;
  oldCode: string;
  newId: string;
  newCode: string;
  browserCookie: string | null;
};

/** Keeps the device and the keys of apps. All other devices are signed out of the account. */
export async function changeEmail(
  session: LiveSession,
  entry: EmailChangeEntry,
): Promise<{ token: string; browserCookie: string }> {
  const { oldId, oldCode, newId, newCode, clientIp } = entry;
  const { email } = requireOtherEmail(session, entry.email);
  const place = { ...placeOf(session, email), clientIp };
  const old = { ...place, challengeId: oldId, email: session.email, code: oldCode };
  await inField('oldCode', verifyLoginCode(old));
  await inField('newCode', verifyLoginCode({ ...place, challengeId: newId, email, code: newCode }));
  const { token } = await unlessTaken(() =>
    inTransaction(async (tx) => {
      await lockChanges(tx);
      if ((await lockAccount(tx, session.userId)).email !== session.email) throw invalidCode();
      for (const id of [oldId, newId]) if (!(await consumeChallenge(tx, id))) throw invalidCode();
      if ((await lockLiveSession(tx, session.sessionId)) === null) throw signedOut();
      await takeEmail(tx, session, email);
      await endSessions(tx, session.userId, session.sessionId);
      return renewSession(tx, session.sessionId, session.confirmedBy);
    }),
  );
  return { token, browserCookie: rememberBrowser(entry.browserCookie, email) };
}

const signedOut = () => new ApiError('invalid_request', 'You were signed out. Please sign in again.');

async function takeEmail(tx: Tx, { userId, email: oldEmail }: LiveSession, email: string): Promise<void> {
  // An operator's account begins with a sign-in: this one may have passkeys and devices of others. Only that mailbox reads this.
  if (isOperator({ email })) throw ofOperators();
  const reserved = { oldEmail: email, undoUntil: { gt: nowDate() }, userId: { not: userId } };
  if ((await tx.emailChange.count({ where: reserved })) > 0) throw taken();
  await moveAccount(tx, { userId, from: oldEmail, to: email });
  const id = newId('ech');
  const undoUntil = new Date(now() + UNDO_MS);
  await tx.emailChange.create({ data: { id, userId, oldEmail, changedAt: nowDate(), undoUntil } });
  await makeMailDue(tx, 'email_change', { userId, to: oldEmail, changeId: id });
}

async function moveAccount(tx: Tx, { userId, ...change }: { userId: string; from: string; to: string }) {
  await tx.user.update({ where: { id: userId }, data: { email: change.to } });
  if (!(await moveMemberships(tx, { ...change, userId })))
    throw new ApiError(
      'invalid_request',
      'The new address is already a member of one of your teams. Remove it there first.',
      { param: 'email' },
    );
}

/** Keys stay, unlike when a device is signed out. */
async function endSessions(tx: Tx, userId: string, except: string | null): Promise<void> {
  const others = { userId, revokedAt: null, ...(except !== null && { id: { not: except } }) };
  await tx.session.updateMany({ where: others, data: { revokedAt: nowDate() } });
}

/** The masked address that the link of a mail would restore. Null when the link is not ours or has expired. */
export async function findUndoableChange(token: string): Promise<{ email: string } | null> {
  const change = await findChange(prisma(), token);
  return change && { email: maskEmail(change.oldEmail) };
}

/**
 * Restores the address of before a change, and ends what was opened since: devices, passkeys, linked
 * identities and keys. Undoes all later changes too. False when the link is not ours, has expired or was used.
 */
export async function undoEmailChange(token: string): Promise<boolean> {
  return inTransaction(async (tx) => {
    await lockChanges(tx);
    const change = await findChange(tx, token);
    if (change === null) return false;
    const { userId, oldEmail, changedAt } = change;
    const { email: replaced } = await lockAccount(tx, userId);
    const since = { userId, createdAt: { gte: changedAt } };
    await endSessions(tx, userId, null);
    await tx.passkey.deleteMany({ where: since });
    await tx.linkedIdentity.deleteMany({ where: since });
    const keys = await tx.userKey.findMany({ where: { ...since, revokedAt: null }, orderBy: { id: 'asc' } });
    for (const { id } of keys) await revokeUserKey(tx, { keyId: id, reason: 'session_revoked' });
    await moveAccount(tx, { userId, from: replaced, to: oldEmail });
    await tx.emailChange.deleteMany({ where: { userId, changedAt: { gte: changedAt } } });
    await makeMailDue(tx, 'email_change', { userId, to: replaced, changeId: null });
    return true;
  });
}

async function findChange(tx: Pick<Tx, 'emailChange'>, token: string) {
  const id = readUndoToken(token);
  return id === null ? null : tx.emailChange.findUnique({ where: { id, undoUntil: { gt: nowDate() } } });
}

async function lockChanges(tx: Tx): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${CHANGE_LOCK}::bigint)`;
}

function requireOtherEmail(session: LiveSession, typed: string): { email: string; display: string } {
  const given = normaliseEmail(typed);
  const refuse = (message: string) => new ApiError('invalid_request', message, { param: 'email' });
  if (isOperator(session)) throw ofOperators();
  if (!given.ok) throw refuse('Enter a valid e-mail address.');
  if (given.email === session.email) throw refuse('This is your e-mail address already.');
  return given;
}

const ofOperators = () =>
  new ApiError('invalid_request', 'The addresses of operators are in the settings of this service.', {
    param: 'email',
  });

const placeOf = ({ sessionId }: LiveSession, newEmail: string): CodePlace => ({
  partnerId: null,
  visitId: null,
  origin: null,
  sessionId,
  newEmail,
});

/** Two codes are entered at once: says which of them was refused. */
async function inField(param: string, verified: Promise<unknown>): Promise<void> {
  try {
    await verified;
  } catch (error) {
    if (error instanceof ApiError && error.param !== null)
      throw new ApiError(error.code, error.message, { param });
    throw error;
  }
}

/** The unique index decides between two accounts that take an address at once. */
async function unlessTaken<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    const isTaken = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
    throw isTaken ? taken() : error;
  }
}

/** Only the owner of the new mailbox reads this. */
const taken = () =>
  new ApiError(
    'invalid_request',
    'Another account has this e-mail address. Sign in there and delete or change that account first.',
    { param: 'email' },
  );
