import { type Microcredits, parseCredits } from '../../base/credits';
import { prisma } from '../../base/db';
import { ApiError } from '../../base/errors';
import { nameInMails } from '../../partners/rename';
import {
  consumeChallenge,
  invalidCode,
  type SentCode,
  sendLoginCode,
  verifyLoginCode,
} from '../../people/login-codes';
import { readPasskeyUse } from '../../people/passkeys';
import { isRecent } from '../../people/presence';
import { type SavedAllowance, setConfirmedAllowance } from './allowance';
import { requireEnabledPartner } from './visit-partner';
import { type Device, isFirstParty, requireOwnSignIn } from './visit-sign-in';
import type { Visit } from './visits';

/**
 * The allowance of the partner that a checkout window belongs to. A page can trick a user into clicks in a
 * frame that it covers, so a click in a frame never raises an allowance: that takes a code, which is mailed with
 * the app and the amount it permits. In a window of its own, a confirmation of the last minutes is enough.
 */

export type AllowanceRequest = {
  credits: number | null;
  /** Chosen by the page. A save that is sent again is booked once. */
  saveId: string;
  /** The code that permits this amount; null until it has been sent. */
  entry: { challengeId: string; code: string } | null;
  locale?: string | undefined;
};

/** The saved allowance, or the code that was mailed because the user has to confirm it. */
export type AllowanceOutcome = { saved: SavedAllowance } | { sent: SentCode };

export async function setAllowanceInVisit(
  visit: Visit,
  request: AllowanceRequest,
  device: Device,
): Promise<AllowanceOutcome> {
  const { userId, sessionId, ...signIn } = await requireOwnSignIn(visit);
  const appName = nameInMails(await requireEnabledPartner(visit));
  const { entry, saveId, locale } = request;
  const allowance = request.credits === null ? null : requireAllowance(request.credits);
  const { email } = await prisma().user.findUniqueOrThrow({ where: { id: userId }, select: { email: true } });
  const place = {
    partnerId: visit.partnerId,
    visitId: visit.id,
    origin: visit.origin,
    ...device,
    email,
    sessionId,
    allowance: allowance ?? undefined,
  };
  if (entry !== null) await verifyLoginCode({ ...place, ...entry });
  const needsPasskey = (await readPasskeyUse({ userId, email })) === 'required';
  const isPresent =
    isFirstParty(visit) && isRecent(signIn) && (!needsPasskey || signIn.confirmedBy === 'passkey');
  const saved = await setConfirmedAllowance(
    // The visit id in front of the page's save id prevents a collision with other windows.
    { userId, partnerId: visit.partnerId, saveId: `${visit.id}:${saveId}` },
    allowance,
    async (tx) =>
      isPresent || (!needsPasskey && entry !== null && (await consumeChallenge(tx, entry.challengeId))),
  );
  if (saved !== null) return { saved };
  if (needsPasskey) throw passkeyRequired();
  if (entry !== null) throw invalidCode();
  return { sent: await sendLoginCode({ ...place, appName, locale }) };
}

function requireAllowance(credits: number): Microcredits {
  const allowance = parseCredits(String(credits));
  if (allowance === null || allowance < 0n) {
    throw new ApiError('invalid_request', 'credits: must be zero or more, with at most six decimals', {
      param: 'credits',
    });
  }
  return allowance;
}

export const passkeyRequired = (): ApiError =>
  new ApiError(
    'passkey_required',
    'Set this allowance in your account, where you confirm with your passkey.',
  );
