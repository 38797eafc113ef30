import { MINUTE_MS, now } from '../../base/clock';
import { prisma } from '../../base/db';
import { openSealed, seal } from '../../base/seal';
import { isLive } from '../../people/sessions';
import { invalidGrant } from '../../people/sign-in-tokens';

/**
 * Brings a sign-in from a window of the service into the checkout that opened it. The window gives the token to that
 * checkout alone, through the browser: the id of a visit, which a link can carry, signs nobody in.
 */

const LIFETIME_MS = MINUTE_MS;
const TOKEN = /^[\w-]{40,400}$/;

const purposeOf = (visitId: string): string => `hand-over:${visitId}`;

export const writeHandOver = (visitId: string, { sessionId }: { sessionId: string }): string =>
  Buffer.from(seal(`${sessionId}.${now() + LIFETIME_MS}`, purposeOf(visitId))).toString('base64url');

export type HandedOver = { userId: string; sessionId: string; email: string };

/** The live session of a token for this visit. */
export async function readHandOver(visitId: string, token: string): Promise<HandedOver> {
  const sessionId = openToken(visitId, token);
  const session =
    sessionId === null
      ? null
      : await prisma().session.findUnique({ where: { id: sessionId }, include: { user: true } });
  if (session === null || !isLive(session)) throw invalidGrant('sign-in');
  return { userId: session.userId, sessionId: session.id, email: session.user.email };
}

function openToken(visitId: string, token: string): string | null {
  if (!TOKEN.test(token)) return null;
  try {
    const [sessionId = '', expiry] = openSealed(Buffer.from(token, 'base64url'), purposeOf(visitId)).split(
      '.',
    );
    return Number(expiry) > now() ? sessionId : null;
  } catch {
    return null;
  }
}
