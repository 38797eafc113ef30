import { MINUTE_MS, now, SECOND_MS } from '../clock';
import type { Tx } from '../db';
import { settings } from '../env';
import { ApiError } from '../errors';

/** How many codes may be asked for. Counted in the challenges themselves, so right on every instance. */

const HOUR_MS = 60 * MINUTE_MS;
const MAX_RETRY_AFTER_SECONDS = 60;
/** Name spaces of PostgreSQL's advisory locks, so that an address never meets an e-mail. */
const EMAIL_LOCK = 3_704_301;
const ADDRESS_LOCK = 3_704_302;

export async function requireRoomForCode(
  tx: Tx,
  { email, address }: { email: string; address: string },
): Promise<void> {
  const limits = settings();
  // Requests for the same e-mail or address count one after the other; always in this order.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${EMAIL_LOCK}::int, hashtext(${email}))`;
  if (address !== '')
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ADDRESS_LOCK}::int, hashtext(${address}))`;

  await requireWait(tx, email, limits.LIMIT_CODE_RESEND_SECONDS * SECOND_MS);
  await requireBelow(tx, { email }, limits.LIMIT_CODES_PER_EMAIL_PER_HOUR);
  if (address !== '') await requireBelow(tx, { address }, limits.LIMIT_CODES_PER_ADDRESS_PER_HOUR);
}

async function requireWait(tx: Tx, email: string, waitMs: number): Promise<void> {
  if (waitMs === 0) return;
  const last = await tx.loginChallenge.findFirst({
    where: { email, createdAt: { gt: new Date(now() - waitMs) } },
    orderBy: { createdAt: 'desc' },
    select: { createdAt: true },
  });
  if (last)
    throw tooMany(
      'A code was just sent. Wait a moment before you ask for another.',
      last.createdAt.getTime() + waitMs,
    );
}

async function requireBelow(
  tx: Tx,
  of: { email: string } | { address: string },
  limit: number,
): Promise<void> {
  if (limit === 0) return;
  const counted = await tx.loginChallenge.findMany({
    where: { ...of, createdAt: { gt: new Date(now() - HOUR_MS) } },
    orderBy: { createdAt: 'desc' },
    take: limit,
    select: { createdAt: true },
  });
  const oldest = counted[limit - 1];
  if (oldest)
    throw tooMany('Too many codes were asked for. Try again later.', oldest.createdAt.getTime() + HOUR_MS);
}

function tooMany(message: string, untilMs: number): ApiError {
  const seconds = Math.ceil((untilMs - now()) / SECOND_MS);
  return new ApiError('rate_limited', message, {
    retryAfterSeconds: Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(1, seconds)),
  });
}
