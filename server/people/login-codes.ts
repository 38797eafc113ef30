import { randomInt } from 'node:crypto';
import type { Prisma } from '../../prisma/client/client';
import { findFirstLanguage } from '../../texts/languages';
import { networkOf } from '../base/client-network';
import { MINUTE_MS, now, nowDate, SECOND_MS } from '../base/clock';
import { type Microcredits, ZERO } from '../base/credits';
import { inTransaction, prisma, type Tx } from '../base/db';
import { ApiError } from '../base/errors';
import { newId } from '../base/ids';
import { isKeyedHash, keyedHash } from '../base/keyed-hash';
import { mailboxOf, normaliseEmail } from './email';
import { findKnownBrowser } from './known-browser';
import { type CodeCaller, codesOfCaller, requireRoomForAttempt, requireRoomForCode } from './login-limits';
import { sendLoginMail } from './login-mail';
import { readTypedCode } from './typed-code';

/** Sign-in with an e-mailed six-digit code, valid for ten minutes, five attempts and one use. */

const CODE_LIFETIME_MS = 10 * MINUTE_MS;
const MAX_ATTEMPTS = 5;
const DIGITS = 6;

/** The place where a code was requested. The code is invalid anywhere else. */
export type CodePlace = {
  /** Null on the service's own pages. */
  partnerId: string | null;
  visitId: string | null;
  /** The web origin that requested it through the API. */
  origin: string | null;
  /** The signed-in device whose user confirms a change. Absent when the code signs in. */
  sessionId?: string | undefined;
  /** The change is an allowance of this many credits. The code permits nothing else. */
  allowance?: Microcredits | undefined;
  /** The change is that of the account's e-mail address to this one. The code permits nothing else. */
  newEmail?: string | undefined;
};

/** Who requests or enters a code. */
export type CodeBrowser = {
  /** '' when unknown. */
  clientIp: string;
  /** The cookie of a known browser. Absent in the API, whose callers send none. */
  browserCookie?: string | null | undefined;
};

export type CodeRequest = CodePlace &
  CodeBrowser & {
    /** As typed or normalised. */
    email: string;
    /** The name of the app in the e-mail: `nameInMails`. */
    appName: string | null;
    /** Of the mail: a language tag. */
    locale?: string | undefined;
  };

export type SentCode = { challengeId: string; expiresInSeconds: number; resendInSeconds: number };

/**
 * Sends a code without reading the accounts, so that known and unknown e-mail addresses get the same
 * response in the same time.
 */
export async function sendLoginCode(request: CodeRequest): Promise<SentCode> {
  const { email, display } = requireEmail(request.email);
  const code = randomInt(10 ** DIGITS)
    .toString()
    .padStart(DIGITS, '0');
  const challengeId = newId('ch');
  const mailbox = mailboxOf(email);
  const caller = callerOf(email, request);
  const { network: clientNetwork, site: clientSite } = networkOf(request.clientIp);
  const { nextInSeconds } = await inTransaction(async (tx) => {
    const room = await requireRoomForCode(tx, mailbox, caller);
    await retireOlderCodes(tx, { ...codesOfCaller(mailbox, caller), email, partnerId: request.partnerId });
    await tx.loginChallenge.create({
      data: {
        id: challengeId,
        email,
        mailbox,
        codeHash: new Uint8Array(keyedHash('login-code', signedBy({ ...request, challengeId, email, code }))),
        partnerId: request.partnerId,
        visitId: request.visitId,
        origin: request.origin,
        clientNetwork,
        clientSite,
        knownBrowser: caller.knownBrowser ?? '',
        createdAt: nowDate(),
        expiresAt: new Date(now() + CODE_LIFETIME_MS),
      },
    });
    return room;
  });
  const { appName, locale, sessionId, allowance, newEmail } = request;
  const purpose = sessionId === undefined ? 'sign-in' : 'change';
  const language = findFirstLanguage(locale) ?? undefined;
  await sendLoginMail({ to: display, code, purpose, appName, language, allowance, newEmail });
  return {
    challengeId,
    expiresInSeconds: CODE_LIFETIME_MS / SECOND_MS,
    resendInSeconds: nextInSeconds,
  };
}

function callerOf(email: string, place: CodePlace & CodeBrowser): CodeCaller {
  const { partnerId, clientIp, sessionId, browserCookie, newEmail } = place;
  // A mailbox that is not the account's yet: the device proves nothing about it.
  if (newEmail === email) return { partnerId, clientIp, knownBrowser: null };
  const knownBrowser = sessionId ?? findKnownBrowser(browserCookie, email);
  return { partnerId, clientIp, knownBrowser, confirms: sessionId !== undefined };
}

/**
 * Invalidates older codes: a caller has one live code per e-mail address and purpose, namely signing in
 * to one app or to the service itself, or confirming a change. Others cannot invalidate it.
 */
async function retireOlderCodes(tx: Tx, of: Prisma.LoginChallengeWhereInput): Promise<void> {
  await tx.loginChallenge.updateMany({
    where: { ...of, consumedAt: null, expiresAt: { gt: nowDate() } },
    data: { expiresAt: nowDate() },
  });
}

export type CodeAttempt = CodePlace &
  CodeBrowser & {
    /** Known only to the browser that requested the code, so a code phished elsewhere is useless. */
    challengeId: string;
    email: string;
    code: string;
  };

/**
 * Counts the attempt, then compares. A correct code is not used up here: `consumeChallenge` does
 * that in the transaction that the code is for.
 */
export async function verifyLoginCode(attempt: CodeAttempt): Promise<{ ok: true; email: string }> {
  const { email } = requireEmail(attempt.email);
  await requireRoomForAttempt(callerOf(email, attempt));
  const challenge = await recordAttempt(attempt.challengeId);
  if (challenge === null) throw await refusalOf(attempt.challengeId);
  const code = readTypedCode(attempt.code);
  const isRight =
    isKeyedHash(challenge.code_hash, 'login-code', signedBy({ ...attempt, email, code })) &&
    challenge.partner_id === attempt.partnerId &&
    challenge.visit_id === attempt.visitId &&
    challenge.origin === attempt.origin;
  if (!isRight) throw invalidCode();
  return { ok: true, email };
}

/** Uses up the code. False when another request was faster or a newer code was sent. */
export async function consumeChallenge(tx: Tx, challengeId: string): Promise<boolean> {
  const changed = await tx.$executeRaw`
    UPDATE login_challenge SET consumed_at = ${nowDate()}
    WHERE id = ${challengeId} AND consumed_at IS NULL AND expires_at > ${nowDate()}`;
  return changed === 1;
}

export function invalidCode(): ApiError {
  return new ApiError('invalid_code', 'The code is incorrect. Check it, or request a new one.', {
    param: 'code',
  });
}

type CountedAttempt = {
  code_hash: Uint8Array;
  partner_id: string | null;
  visit_id: string | null;
  origin: string | null;
};

/** Counts the attempt in a separate statement, so that it counts whatever happens next. */
async function recordAttempt(challengeId: string): Promise<CountedAttempt | null> {
  const [challenge] = await prisma().$queryRaw<CountedAttempt[]>`
    UPDATE login_challenge SET attempts = attempts + 1
    WHERE id = ${challengeId} AND attempts < ${MAX_ATTEMPTS} AND consumed_at IS NULL AND expires_at > ${nowDate()}
    RETURNING code_hash, partner_id, visit_id, origin`;
  return challenge ?? null;
}

async function refusalOf(challengeId: string): Promise<ApiError> {
  const challenge = await prisma().loginChallenge.findUnique({ where: { id: challengeId } });
  const isOver = challenge !== null && challenge.consumedAt === null && challenge.attempts < MAX_ATTEMPTS;
  return isOver ? codeExpired() : invalidCode();
}

export const codeExpired = (): ApiError =>
  new ApiError('code_expired', 'The code has expired. Request a new one.', { param: 'code' });

function requireEmail(text: string): { email: string; display: string } {
  const normalised = normaliseEmail(text);
  if (!normalised.ok)
    throw new ApiError('invalid_request', 'email: must be a valid e-mail address', { param: 'email' });
  return normalised;
}

type Hashed = CodePlace & { challengeId: string; email: string; code: string };

/** Covers what the code is for, so that it is good for nothing else. */
const signedBy = (hashed: Hashed): string => {
  const { challengeId, email, code, sessionId = '', allowance = ZERO, newEmail } = hashed;
  const parts = [challengeId, email, code, sessionId, allowance];
  return (newEmail === undefined ? parts : [...parts, newEmail]).join('\n');
};
