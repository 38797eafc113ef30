import type { Language } from '../../texts/languages';
import { DAY_MS, HOUR_MS, MINUTE_MS, now, nowDate } from '../base/clock';
import { prisma, type Tx } from '../base/db';
import { settings } from '../base/env';
import { newId, randomBase62, sha256 } from '../base/ids';
import { isOfCompany } from './issuers';
import type { LockedSession } from './keys/mint';
import { mailLanguageOf } from './language';

/** Device sessions, opened by signing in with an e-mailed code. The token is stored as a hash. */

export const SESSION_IDLE_MS = 30 * DAY_MS;
export const SESSION_LIFETIME_MS = 180 * DAY_MS;
/** Operators can change everyone's credits, so a device they leave behind is signed out sooner. */
const OPERATOR_IDLE_MS = 8 * HOUR_MS;
const OPERATOR_LIFETIME_MS = 7 * DAY_MS;
const LAST_SEEN_STEP_MS = 5 * MINUTE_MS;
/** 256 random bits in base62. */
const TOKEN_CHARACTERS = 43;
const MAX_USER_AGENT_CHARACTERS = 300;

/** How a user last confirmed their identity: with an e-mailed code or with a passkey. */
export type Confirmation = 'code' | 'passkey';

type NewSession = { userId: string; userAgent: string; confirmedBy?: Confirmation | undefined };

export async function openSession(
  tx: Tx,
  { userId, userAgent, confirmedBy = 'code' }: NewSession,
): Promise<LockedSession & { token: string }> {
  const token = randomBase62(TOKEN_CHARACTERS);
  const session = await tx.session.create({
    data: {
      id: newId('ses'),
      userId,
      tokenHash: hashOf(token),
      userAgent: userAgent.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_USER_AGENT_CHARACTERS),
      createdAt: nowDate(),
      lastSeenAt: nowDate(),
      confirmedAt: nowDate(),
      confirmedBy,
      expiresAt: new Date(now() + SESSION_LIFETIME_MS),
    },
    select: { id: true },
  });
  return { sessionId: session.id, locked: true, token };
}

/** The user has confirmed their presence again: keeps the device but replaces its token. */
export async function renewSession(
  tx: Tx,
  sessionId: string,
  confirmedBy: Confirmation = 'code',
): Promise<{ token: string }> {
  const token = randomBase62(TOKEN_CHARACTERS);
  await tx.session.update({
    where: { id: sessionId },
    data: { tokenHash: hashOf(token), confirmedAt: nowDate(), confirmedBy, lastSeenAt: nowDate() },
  });
  return { token };
}

export type LiveSession = {
  sessionId: string;
  userId: string;
  email: string;
  /** In which pages show times; null for that of the browser. */
  timeZone: string | null;
  /** Of pages; null for that of the browser. */
  language: string | null;
  /** Of mails to the user. */
  mailLanguage: Language;
  createdAt: Date;
  /** When the user last confirmed their presence. */
  confirmedAt: Date;
  confirmedBy: Confirmation;
  /** Whether its user signed in to this device with the issuer of OIDC_ISSUER. */
  isFromIssuer: boolean;
  expiresAt: Date;
};

/** The live session of a token. Looking it up updates when it was last seen. */
export async function findSession(token: string): Promise<LiveSession | null> {
  const session = await prisma().session.findUnique({
    where: { tokenHash: hashOf(token) },
    include: { user: true, identity: true },
  });
  if (session === null || !isLive(session)) return null;
  if (now() - session.lastSeenAt.getTime() >= LAST_SEEN_STEP_MS) {
    await prisma().session.updateMany({
      where: { id: session.id, revokedAt: null },
      data: { lastSeenAt: nowDate() },
    });
  }
  return {
    sessionId: session.id,
    userId: session.userId,
    email: session.user.email,
    timeZone: session.user.timeZone,
    language: session.user.language,
    mailLanguage: mailLanguageOf(session.user),
    createdAt: session.createdAt,
    confirmedAt: session.confirmedAt,
    confirmedBy: readConfirmation(session),
    isFromIssuer: session.identity !== null && isOfCompany(session.identity),
    expiresAt: new Date(endOf(session)),
  };
}

export const readConfirmation = ({ confirmedBy }: { confirmedBy: string }): Confirmation =>
  confirmedBy === 'passkey' ? 'passkey' : 'code';

type StoredSession = {
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
  user: { email: string };
};

/** Decided at each look-up, so that naming an operator also shortens the sessions they already have. */
export function isLive(session: StoredSession): boolean {
  const maxIdleMs = isOperator(session.user) ? OPERATOR_IDLE_MS : SESSION_IDLE_MS;
  const isIdle = now() - session.lastSeenAt.getTime() >= maxIdleMs;
  return session.revokedAt === null && !isIdle && now() < endOf(session);
}

function endOf({ createdAt, expiresAt, user }: StoredSession): number {
  const lifetimeMs = isOperator(user) ? OPERATOR_LIFETIME_MS : SESSION_LIFETIME_MS;
  return Math.min(expiresAt.getTime(), createdAt.getTime() + lifetimeMs);
}

export function isOperator({ email }: { email: string }): boolean {
  return settings().OPERATOR_EMAILS.includes(email);
}

/** Whether an operator still has to sign in with the issuer of OIDC_ISSUER: a mailbox alone is not enough. */
export const lacksIssuer = ({ isFromIssuer }: LiveSession): boolean =>
  settings().OIDC_OPERATORS && !isFromIssuer;

/**
 * Keeps a signed-in device signed in for the rest of the transaction: a log-out already in progress
 * finishes first, a later one waits. Null when the device is signed out.
 */
export async function lockLiveSession(tx: Tx, sessionId: string): Promise<LockedSession | null> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM session WHERE id = ${sessionId} AND revoked_at IS NULL FOR SHARE`;
  return rows.length > 0 ? { sessionId, locked: true } : null;
}

const hashOf = (token: string): Uint8Array<ArrayBuffer> => new Uint8Array(sha256(token));
