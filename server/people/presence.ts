import { MINUTE_MS, now } from '../base/clock';
import { inTransaction } from '../base/db';
import { ApiError } from '../base/errors';
import {
  type CodePlace,
  consumeChallenge,
  invalidCode,
  type SentCode,
  sendLoginCode,
  verifyLoginCode,
} from './login-codes';
import { readPasskeyUse } from './passkeys';
import { type LiveSession, lockLiveSession, renewSession } from './sessions';

/**
 * The user of a signed-in device confirms that they are present, before a change that matters. The code
 * works on that device only and does not sign in.
 */

/** How long a confirmation counts; signing in is one. */
const CONFIRMED_MS = 10 * MINUTE_MS;

export function isRecent({ confirmedAt }: Pick<LiveSession, 'confirmedAt'>): boolean {
  return now() - confirmedAt.getTime() < CONFIRMED_MS;
}

/** Who is present, and how and when they last confirmed it. */
export type Present = Pick<LiveSession, 'userId' | 'email' | 'confirmedAt' | 'confirmedBy'>;

/** Whether a change that matters may go ahead. */
export async function isConfirmed(session: Present): Promise<boolean> {
  return isRecent(session) && !(await lacksPasskey(session));
}

/** For some users, a code is not enough: they have to have used their passkey. */
export async function lacksPasskey(session: Present): Promise<boolean> {
  return session.confirmedBy === 'code' && (await readPasskeyUse(session)) === 'required';
}

export function sendConfirmationCode(session: LiveSession, clientIp: string): Promise<SentCode> {
  return sendLoginCode({
    ...placeOf(session),
    email: session.email,
    locale: session.mailLanguage,
    appName: null,
    clientIp,
  });
}

export type ConfirmationEntry = { challengeId: string; code: string; clientIp: string };

/** Keeps the device but replaces its token: a stolen copy of the old one is not confirmed along. */
export async function confirmPresence(
  session: LiveSession,
  entry: ConfirmationEntry,
): Promise<{ token: string }> {
  await verifyLoginCode({ ...placeOf(session), ...entry, email: session.email });
  return inTransaction(async (tx) => {
    if (!(await consumeChallenge(tx, entry.challengeId))) throw invalidCode();
    if ((await lockLiveSession(tx, session.sessionId)) === null)
      throw new ApiError('invalid_request', 'You were signed out. Please sign in again.');
    return renewSession(tx, session.sessionId);
  });
}

const placeOf = ({ sessionId }: LiveSession): CodePlace => ({
  partnerId: null,
  visitId: null,
  origin: null,
  sessionId,
});
