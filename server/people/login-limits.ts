import type { Prisma } from '../../prisma/client/client';
import { networkOf } from '../base/client-network';
import { DAY_MS, HOUR_MS, now, SECOND_MS } from '../base/clock';
import type { Tx } from '../base/db';
import { describeWait } from '../base/describe-wait';
import { settings } from '../base/env';
import { ApiError } from '../base/errors';
import { countAttempt } from '../base/rate-limit/attempts';

/**
 * Limits how many codes can be requested. Since a code allows five attempts, this also limits how often
 * codes can be guessed; docs/sign-in.md has the arithmetic. Codes are counted in the challenge rows, so
 * the limits hold across instances. A known browser has a budget of its own, and what it requests does
 * not count against anyone else's, so that strangers never stop a user there.
 */

/** Multiples of the hourly limit per e-mail address and caller. */
const CODES_PER_CALLER_PER_DAY = 2;
const CODES_PER_MAILBOX_PER_DAY = 20;
/** Multiple of an app's hourly limit, up to which each network may still request its first code of the hour. */
const FIRST_CODES_PER_APP = 10;
/** One IPv6 /48 holds many subscribers. */
const NETWORKS_PER_SITE = 10;
/** The wait doubles with each unused code: 30 s, 60 s, 120 s. */
const MAX_WAIT = 4;
const ATTEMPTS_PER_CALLER_PER_MINUTE = 60;
/** Namespaces of PostgreSQL's advisory locks, so that values of different kinds never collide. */
const MAILBOX_LOCK = 3_704_301;
const CLIENT_SITE_LOCK = 3_704_302;
const APP_LOCK = 3_704_303;

/** What counts against the limits: the place on the internet and the app, or a known browser. */
export type CodeCaller = {
  /** Null on the service's own pages. */
  partnerId: string | null;
  /** '' when unknown: such callers share one network. */
  clientIp: string;
  /** The id of a browser that signed in to the account before, or of the device that confirms a change. */
  knownBrowser: string | null;
  confirms?: boolean;
};

type Counted = Prisma.LoginChallengeWhereInput;
type CodeLimit = { of: Counted; limit: number; periodMs: number };

/** The codes that the same caller requested for the same mailbox. */
export function codesOfCaller(mailbox: string, caller: CodeCaller): Counted {
  const { knownBrowser, partnerId, clientIp } = caller;
  return knownBrowser === null
    ? { mailbox, partnerId, clientSite: networkOf(clientIp).site, knownBrowser: '' }
    : { mailbox, knownBrowser };
}

/** Throws when a limit is reached. Returns how long to wait before the next code. */
export async function requireRoomForCode(
  tx: Tx,
  mailbox: string,
  caller: CodeCaller,
): Promise<{ nextInSeconds: number }> {
  // A known browser counts only its own codes, so it never waits for strangers.
  await lock(tx, MAILBOX_LOCK, caller.knownBrowser ?? mailbox);
  if (caller.knownBrowser === null) await lock(tx, CLIENT_SITE_LOCK, networkOf(caller.clientIp).site);
  const { untilMs: waitUntilMs, nextInSeconds } = await findWait(tx, codesOfCaller(mailbox, caller));
  let limitedUntilMs = caller.knownBrowser === null ? await findFreeInApp(tx, caller) : 0;
  for (const limit of limitsFor(mailbox, caller))
    limitedUntilMs = Math.max(limitedUntilMs, await findFreeAt(tx, limit));
  if (limitedUntilMs > now())
    throw tooMany('Too many codes requested.', Math.max(limitedUntilMs, waitUntilMs));
  if (waitUntilMs > now()) throw tooMany('A code was just sent.', waitUntilMs);
  if (caller.knownBrowser === null) await requireRoomInApp(tx, caller);
  return { nextInSeconds };
}

/** Requests with a count in common are counted one at a time. The order is always mailbox, network, app. */
async function lock(tx: Tx, kind: number, of: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${kind}::int, hashtext(${of}))`;
}

/** Counts once more under the app's lock, which refused requests never take: they would keep others waiting. */
async function requireRoomInApp(tx: Tx, caller: CodeCaller): Promise<void> {
  await lock(tx, APP_LOCK, caller.partnerId ?? '');
  const untilMs = await findFreeInApp(tx, caller);
  if (untilMs > now()) throw tooMany('Too many codes requested.', untilMs);
}

/**
 * When the app, or the service's own pages, admits another code. Above its limit, a network still gets its first
 * code of the hour, so that a few networks cannot use up the limit for all others.
 */
async function findFreeInApp(tx: Tx, { partnerId, clientIp }: CodeCaller): Promise<number> {
  const limit = settings().LIMIT_CODES_PER_APP_PER_HOUR;
  const ofApp = { of: { partnerId, knownBrowser: '' }, limit, periodMs: HOUR_MS };
  const freeMs = await findFreeAt(tx, ofApp);
  if (freeMs <= now()) return freeMs;
  const ofNetwork = { ...ofApp, of: { ...ofApp.of, clientSite: networkOf(clientIp).site }, limit: 1 };
  const ofFirstCodes = { ...ofApp, limit: FIRST_CODES_PER_APP * limit };
  return Math.min(freeMs, Math.max(await findFreeAt(tx, ofNetwork), await findFreeAt(tx, ofFirstCodes)));
}

function limitsFor(mailbox: string, caller: CodeCaller): CodeLimit[] {
  const perEmail = settings().LIMIT_CODES_PER_EMAIL_PER_HOUR;
  const own = codesOfCaller(mailbox, caller);
  const hourly = { of: own, limit: perEmail, periodMs: HOUR_MS };
  // Users confirm changes as often as they work: only codes left unused count.
  if (caller.confirms) return [{ ...hourly, of: { ...own, consumedAt: null } }];
  const daily = { of: own, limit: CODES_PER_CALLER_PER_DAY * perEmail, periodMs: DAY_MS };
  return caller.knownBrowser === null ? [hourly, ...limitsForStrangers(mailbox, caller)] : [hourly, daily];
}

function limitsForStrangers(mailbox: string, { clientIp }: CodeCaller): CodeLimit[] {
  const limits = settings();
  const perEmail = limits.LIMIT_CODES_PER_EMAIL_PER_HOUR;
  const perNetwork = limits.LIMIT_CODES_PER_ADDRESS_PER_HOUR;
  const { network: clientNetwork, site: clientSite } = networkOf(clientIp);
  const knownBrowser = '';
  const perDay: CodeLimit[] = [
    {
      of: { mailbox, clientSite, knownBrowser },
      limit: CODES_PER_CALLER_PER_DAY * perEmail,
      periodMs: DAY_MS,
    },
    { of: { mailbox, knownBrowser }, limit: CODES_PER_MAILBOX_PER_DAY * perEmail, periodMs: DAY_MS },
  ];
  const perHour: CodeLimit[] = [
    { of: { clientSite, clientNetwork, knownBrowser }, limit: perNetwork, periodMs: HOUR_MS },
  ];
  if (clientSite !== clientNetwork)
    perHour.push({
      of: { clientSite, knownBrowser },
      limit: NETWORKS_PER_SITE * perNetwork,
      periodMs: HOUR_MS,
    });
  return [...perDay, ...perHour];
}

/** When a limit admits another code. In the past when it does already. */
async function findFreeAt(tx: Tx, { of, limit, periodMs }: CodeLimit): Promise<number> {
  if (limit === 0) return 0;
  const oldest = await tx.loginChallenge.findFirst({
    where: { ...of, createdAt: { gt: new Date(now() - periodMs) } },
    orderBy: { createdAt: 'desc' },
    skip: limit - 1,
    select: { createdAt: true },
  });
  return oldest ? oldest.createdAt.getTime() + periodMs : 0;
}

/** When the wait after the latest code ends, and how long it will be after the next one. */
async function findWait(tx: Tx, of: Counted): Promise<{ untilMs: number; nextInSeconds: number }> {
  const sent = await tx.loginChallenge.findMany({
    where: of,
    orderBy: { createdAt: 'desc' },
    take: settings().LIMIT_CODES_PER_EMAIL_PER_HOUR || MAX_WAIT,
    select: { createdAt: true, consumedAt: true },
  });
  const unused = sent.filter(({ consumedAt }) => consumedAt === null).map((code) => code.createdAt.getTime());
  const countInHourUpTo = (timeMs: number) => unused.filter((sentAt) => sentAt > timeMs - HOUR_MS).length;
  const [latest] = sent;
  const latestMs = latest?.createdAt.getTime() ?? 0;
  // Once a code was entered, the next one is for another purpose, such as a confirmation after a sign-in.
  const waits = latest?.consumedAt === null;
  return {
    untilMs: waits ? latestMs + waitSeconds(countInHourUpTo(latestMs)) * SECOND_MS : 0,
    nextInSeconds: waitSeconds(countInHourUpTo(now()) + 1),
  };
}

function waitSeconds(unused: number): number {
  return settings().LIMIT_CODE_RESEND_SECONDS * Math.min(MAX_WAIT, 2 ** Math.max(0, unused - 1));
}

/** Limits attempts per caller, over all codes: each costs a write. */
export async function requireRoomForAttempt({
  knownBrowser,
  partnerId,
  clientIp,
}: CodeCaller): Promise<void> {
  if (settings().LIMIT_CODES_PER_ADDRESS_PER_HOUR === 0) return;
  if (knownBrowser !== null) return countOne(knownBrowser, ATTEMPTS_PER_CALLER_PER_MINUTE);
  const { network, site } = networkOf(clientIp);
  await countOne(`${partnerId} ${network}`, ATTEMPTS_PER_CALLER_PER_MINUTE);
  if (site !== network)
    await countOne(`${partnerId} ${site}`, NETWORKS_PER_SITE * ATTEMPTS_PER_CALLER_PER_MINUTE);
}

async function countOne(caller: string, perMinute: number): Promise<void> {
  const waitMs = await countAttempt('login-try', caller, perMinute);
  if (waitMs > 0) throw tooMany('Too many attempts.', now() + waitMs);
}

/** Refuses until a time when the same request succeeds. */
function tooMany(what: string, untilMs: number): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil((untilMs - now()) / SECOND_MS));
  return new ApiError('rate_limited', `${what} Try again in ${describeWait(retryAfterSeconds)}.`, {
    retryAfterSeconds,
  });
}
