import { DAY_MS, HOUR_MS, now, SECOND_MS } from '../clock';
import type { Tx } from '../db';
import { settings } from '../env';
import { ApiError } from '../errors';
import { countAttempt } from '../rate-limit/attempts';

/**
 * Limits how many codes can be requested and how often they can be guessed. Codes are counted in the
 * challenge rows, so the limits hold across instances. Users who are already signed in are not
 * affected.
 */

/** Multiples of an e-mail address's hourly code limit: codes per day, and wrong attempts per day. */
const CODES_PER_DAY = 2;
const WRONG_ATTEMPTS_PER_DAY = 3;
/** The wait doubles with each unused code: 30 s, 60 s, 120 s. */
const MAX_WAIT = 4;
const ATTEMPTS_PER_IP_PER_MINUTE = 60;
const MAX_RETRY_AFTER_SECONDS = 60;
/** Namespaces of PostgreSQL's advisory locks, so that a client IP never collides with an e-mail address. */
const EMAIL_LOCK = 3_704_301;
const CLIENT_IP_LOCK = 3_704_302;

type CodeRequest = {
  email: string;
  /** '' when unknown, which is not limited. */
  clientIp: string;
  /** Null on the service's own pages. */
  partnerId: string | null;
};

/** Throws when a limit is reached. Returns how long to wait before the next code. */
export async function requireRoomForCode(
  tx: Tx,
  { email, clientIp, partnerId }: CodeRequest,
): Promise<{ nextInSeconds: number }> {
  const limits = settings();
  // Requests for the same e-mail or client IP are counted one at a time, always locking in this order.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${EMAIL_LOCK}::int, hashtext(${email}))`;
  if (clientIp !== '')
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${CLIENT_IP_LOCK}::int, hashtext(${clientIp}))`;

  const unused = await requireWait(tx, email);
  const perEmail = limits.LIMIT_CODES_PER_EMAIL_PER_HOUR;
  await requireBelow(tx, { email }, perEmail, HOUR_MS);
  await requireBelow(tx, { email }, CODES_PER_DAY * perEmail, DAY_MS);
  if (clientIp !== '') await requireBelow(tx, { clientIp }, limits.LIMIT_CODES_PER_ADDRESS_PER_HOUR, HOUR_MS);
  if (partnerId !== null) await requireBelow(tx, { partnerId }, limits.LIMIT_CODES_PER_APP_PER_HOUR, HOUR_MS);
  return { nextInSeconds: waitSeconds(unused + 1) };
}

/** Returns the number of unused codes in the last hour. */
async function requireWait(tx: Tx, email: string): Promise<number> {
  const sent = await tx.loginChallenge.findMany({
    where: { email, createdAt: { gt: new Date(now() - HOUR_MS) } },
    orderBy: { createdAt: 'desc' },
    take: settings().LIMIT_CODES_PER_EMAIL_PER_HOUR || MAX_WAIT,
    select: { createdAt: true, consumedAt: true },
  });
  const unused = sent.filter(({ consumedAt }) => consumedAt === null).length;
  const [last] = sent;
  if (last) {
    const until = last.createdAt.getTime() + waitSeconds(unused) * SECOND_MS;
    if (until > now())
      throw tooMany('A code was just sent. Wait a moment before you request another one.', until);
  }
  return unused;
}

function waitSeconds(unused: number): number {
  return settings().LIMIT_CODE_RESEND_SECONDS * Math.min(MAX_WAIT, 2 ** Math.max(0, unused - 1));
}

async function requireBelow(
  tx: Tx,
  of: { email: string } | { clientIp: string } | { partnerId: string },
  limit: number,
  periodMs: number,
): Promise<void> {
  if (limit === 0) return;
  const oldest = await tx.loginChallenge.findFirst({
    where: { ...of, createdAt: { gt: new Date(now() - periodMs) } },
    orderBy: { createdAt: 'desc' },
    skip: limit - 1,
    select: { createdAt: true },
  });
  if (oldest)
    throw tooMany('Too many codes requested. Try again later.', oldest.createdAt.getTime() + periodMs);
}

/** Limits attempts per client IP, over all codes. An unknown client IP is not limited. */
export async function requireRoomForAttempt(clientIp: string): Promise<void> {
  if (clientIp === '' || settings().LIMIT_CODES_PER_ADDRESS_PER_HOUR === 0) return;
  const waitMs = await countAttempt('login-try', clientIp, ATTEMPTS_PER_IP_PER_MINUTE);
  if (waitMs > 0) throw tooManyAttempts(now() + waitMs);
}

/** Limits wrong attempts per e-mail address over all its codes, so that new codes do not allow unlimited guesses. */
export async function requireFewWrongAttempts(tx: Tx, challengeId: string): Promise<void> {
  const limit = WRONG_ATTEMPTS_PER_DAY * settings().LIMIT_CODES_PER_EMAIL_PER_HOUR;
  if (limit === 0) return;
  const [counted] = await tx.$queryRaw<{ wrong: number }[]>`
    SELECT coalesce(sum(c.attempts - (c.consumed_at IS NOT NULL)::int), 0)::int AS wrong
    FROM login_challenge tried JOIN login_challenge c ON c.email = tried.email
    WHERE tried.id = ${challengeId} AND c.created_at > ${new Date(now() - DAY_MS)}`;
  if (counted && counted.wrong >= limit) throw tooManyAttempts(now() + HOUR_MS);
}

const tooManyAttempts = (untilMs: number): ApiError =>
  tooMany('Too many attempts. Try again later.', untilMs);

function tooMany(message: string, untilMs: number): ApiError {
  const seconds = Math.ceil((untilMs - now()) / SECOND_MS);
  return new ApiError('rate_limited', message, {
    retryAfterSeconds: Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(1, seconds)),
  });
}
