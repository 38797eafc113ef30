import { networkOf } from '../base/client-network';
import { MINUTE_MS, now, nowDate, SECOND_MS } from '../base/clock';
import { inTransaction, prisma, type Tx } from '../base/db';
import { ApiError } from '../base/errors';
import { randomBase62, sha256 } from '../base/ids';
import { keyedHash, keyedHashes } from '../base/keyed-hash';
import { countAttempt } from '../base/rate-limit/attempts';
import { requireAllowedOrigin } from '../partners/origins';
import { findPartner, partnerDisabled, requirePartner } from '../partners/partner';
import { nameOnPages } from '../partners/rename';
import { openAppUser } from './app-users';
import { type MintedKey, mintUserKey } from './keys/mint';
import { revokeUserKey } from './keys/revoke';
import { lockLiveSession, openSession } from './sessions';
import { invalidGrant } from './sign-in-tokens';
import { describeSignIn, type SignedIn } from './signed-in';
import { newUserCode, readUserCode } from './user-codes';

/**
 * Sign-in for programs without a browser, such as tools in a terminal (RFC 8628). The program shows a short code.
 * The user enters it in a browser, where they are signed in, and allows it. The program asks with its own long
 * code until then, and receives a user key.
 */

export const DEVICE_PATH = '/device';

const LIFETIME_MS = 10 * MINUTE_MS;
const INTERVAL_SECONDS = 5;
/** What the standard adds each time a program does not wait. */
const SLOW_DOWN_SECONDS = 5;
/** 256 random bits in base62. */
const DEVICE_CODE_CHARACTERS = 43;
const DEVICE_CODE_PREFIX = 'svc_dc_';
const USER_CODE_PURPOSE = 'user-code';

/** Anyone can begin, and each beginning is a row for an hour. */
const STARTS_PER_NETWORK_PER_MINUTE = 60;
/** A user code is one of 20⁸, so guessing among 1,000 open ones succeeds once in 25 million attempts. */
const ENTRIES_PER_USER = 20;
const ENTRIES_PER_NETWORK = 100;
const ENTRIES_PER_MS = 10 * MINUTE_MS;

export type StartedDevice = {
  deviceCode: string;
  userCode: string;
  expiresInSeconds: number;
  intervalSeconds: number;
};

export async function startDeviceAuthorization(request: {
  publishableKey: string;
  clientIp: string;
  /** The `Origin` header; null when the request did not come from a web page. */
  origin: string | null;
}): Promise<StartedDevice> {
  const { network } = networkOf(request.clientIp);
  await requireRoom('device-start', network, STARTS_PER_NETWORK_PER_MINUTE, MINUTE_MS);
  const partner = await requirePartner(request.publishableKey, 'client_id');
  if (request.origin !== null) await requireAllowedOrigin(partner.id, request.origin);
  const deviceCode = DEVICE_CODE_PREFIX + randomBase62(DEVICE_CODE_CHARACTERS);
  const userCode = newUserCode();
  await prisma().deviceAuthorization.create({
    data: {
      deviceCodeHash: new Uint8Array(sha256(deviceCode)),
      userCodeHash: new Uint8Array(keyedHash(USER_CODE_PURPOSE, userCode)),
      partnerId: partner.id,
      clientNetwork: network,
      createdAt: nowDate(),
      expiresAt: new Date(now() + LIFETIME_MS),
      intervalSeconds: INTERVAL_SECONDS,
    },
  });
  return {
    deviceCode,
    userCode,
    expiresInSeconds: LIFETIME_MS / SECOND_MS,
    intervalSeconds: INTERVAL_SECONDS,
  };
}

/** The signed-in user who enters a code, and where. */
export type CodeReader = { userId: string; sessionId: string; clientIp: string };

export type WaitingDevice = {
  userCode: string;
  appName: string;
  startedAt: Date;
  /** It was begun from another network than the browser's. */
  isElsewhere: boolean;
};

/** The program that waits for a code. Unknown, expired and decided codes are indistinguishable. */
export async function findWaitingDevice(typed: string, reader: CodeReader): Promise<WaitingDevice | null> {
  await countEntry(reader);
  const userCode = readUserCode(typed);
  if (userCode === null) return null;
  const waiting = await prisma().deviceAuthorization.findFirst({ where: ofWaiting(userCode) });
  const partner = waiting && (await findPartner(waiting.partnerId));
  if (waiting === null || partner === null) return null;
  if (partner.disabledAt !== null) throw partnerDisabled();
  return {
    userCode,
    appName: nameOnPages(partner, 'a name that nobody has checked'),
    startedAt: waiting.createdAt,
    isElsewhere: waiting.clientNetwork !== networkOf(reader.clientIp).network,
  };
}

/** False when no program waits for the code any more. */
export async function decideDevice(
  typed: string,
  reader: CodeReader,
  answer: 'allow' | 'refuse',
): Promise<boolean> {
  await countEntry(reader);
  const userCode = readUserCode(typed);
  if (userCode === null) return false;
  const { userId, sessionId } = reader;
  const { count } = await prisma().deviceAuthorization.updateMany({
    where: ofWaiting(userCode),
    data: { answeredAt: nowDate(), ...(answer === 'allow' && { userId, sessionId }) },
  });
  return count > 0;
}

function ofWaiting(userCode: string) {
  const hashes = keyedHashes(USER_CODE_PURPOSE, userCode).map((hash) => new Uint8Array(hash));
  return { userCodeHash: { in: hashes }, answeredAt: null, expiresAt: { gt: nowDate() } };
}

async function countEntry({ userId, clientIp }: CodeReader): Promise<void> {
  await requireRoom('device-entry', userId, ENTRIES_PER_USER, ENTRIES_PER_MS);
  const { network } = networkOf(clientIp);
  await requireRoom('device-entry-network', network, ENTRIES_PER_NETWORK, ENTRIES_PER_MS);
}

async function requireRoom(what: string, of: string, limit: number, perMs: number): Promise<void> {
  const waitMs = await countAttempt(what, of, limit, perMs);
  if (waitMs > 0)
    throw new ApiError('rate_limited', 'Too many attempts. Try again in a few minutes.', {
      retryAfterSeconds: Math.ceil(waitMs / SECOND_MS),
    });
}

/** Why a program gets no key now. */
export type DeviceWait = 'authorization_pending' | 'slow_down' | 'access_denied' | 'expired_token';

type Poll = { publishableKey: string; deviceCode: string; userAgent: string };

/** The user key once the user has allowed it. Codes that are unknown, used or of another app are invalid. */
export async function pollDeviceCode(poll: Poll): Promise<SignedIn | DeviceWait> {
  const { id: partnerId } = await requirePartner(poll.publishableKey, 'client_id');
  const outcome = await inTransaction((tx) => pollOnce(tx, partnerId, poll));
  if (outcome === 'invalid') throw invalidGrant('device code');
  if (typeof outcome === 'string') return outcome;
  return describeSignIn(outcome.key, outcome.userId, partnerId);
}

type Outcome = { key: MintedKey; userId: string } | DeviceWait | 'invalid';

/** Refusals are returned rather than thrown, because what they write has to be committed. */
async function pollOnce(tx: Tx, partnerId: string, { deviceCode, userAgent }: Poll): Promise<Outcome> {
  const device = await lockDevice(tx, deviceCode);
  if (device === null || device.partnerId !== partnerId) return 'invalid';
  if (device.usedAt !== null) {
    // The code leaked, or the response was lost: either way, the program does not have that key alone.
    if (device.mintedKeyId !== null)
      await revokeUserKey(tx, { keyId: device.mintedKeyId, reason: 'session_revoked' });
    return 'invalid';
  }
  if (device.expiresAt.getTime() <= now()) return 'expired_token';
  if (device.answeredAt === null) return noteEarlyPoll(tx, device);
  if (device.userId === null || device.sessionId === null) return 'access_denied';
  // The user signed out since, perhaps because they had second thoughts.
  if ((await lockLiveSession(tx, device.sessionId)) === null) return 'access_denied';
  const { userId } = device;
  await openAppUser(tx, { userId, partnerId });
  // A device of its own, which outlives the browser's session and can be logged out.
  const session = await openSession(tx, { userId, userAgent });
  const key = await mintUserKey(tx, { userId, partnerId, session });
  await tx.deviceAuthorization.update({
    where: { deviceCodeHash: device.deviceCodeHash },
    data: { usedAt: nowDate(), mintedKeyId: key.keyId },
  });
  return { key, userId };
}

type LockedDevice = {
  deviceCodeHash: Uint8Array<ArrayBuffer>;
  partnerId: string;
  expiresAt: Date;
  intervalSeconds: number;
  polledAt: Date | null;
  answeredAt: Date | null;
  userId: string | null;
  sessionId: string | null;
  usedAt: Date | null;
  mintedKeyId: string | null;
};

/** Serialises polls with the same code. */
async function lockDevice(tx: Tx, deviceCode: string): Promise<LockedDevice | null> {
  const [row] = await tx.$queryRaw<LockedDevice[]>`
    SELECT device_code_hash AS "deviceCodeHash", partner_id AS "partnerId", expires_at AS "expiresAt",
           interval_seconds AS "intervalSeconds", polled_at AS "polledAt", answered_at AS "answeredAt",
           user_id AS "userId", session_id AS "sessionId", used_at AS "usedAt", minted_key_id AS "mintedKeyId"
    FROM device_authorization WHERE device_code_hash = ${new Uint8Array(sha256(deviceCode))} FOR UPDATE`;
  return row ?? null;
}

async function noteEarlyPoll(
  tx: Tx,
  { deviceCodeHash, polledAt, intervalSeconds }: LockedDevice,
): Promise<DeviceWait> {
  const isEarly = polledAt !== null && now() - polledAt.getTime() < intervalSeconds * SECOND_MS;
  const longer = isEarly ? intervalSeconds + SLOW_DOWN_SECONDS : intervalSeconds;
  await tx.deviceAuthorization.update({
    where: { deviceCodeHash },
    data: { polledAt: nowDate(), intervalSeconds: longer },
  });
  return isEarly ? 'slow_down' : 'authorization_pending';
}
