import { setTimeout as pause } from 'node:timers/promises';
import { Prisma } from '../../../prisma/client/client';
import { DAY_MS, MINUTE_MS, now, nowDate, SECOND_MS } from '../../base/clock';
import { prisma } from '../../base/db';
import { ApiError } from '../../base/errors';
import { sha256 } from '../../base/ids';

/** Runs a repeated request only once: repeats get the stored response. */

const KEPT_MS = DAY_MS;
/** Longer than any request takes. A request without a response after this time was abandoned. */
const ABANDONED_MS = 2 * MINUTE_MS;
const TIMEOUT_MS = 20 * SECOND_MS;
const POLL_EVERY_MS = 25;

export type Owner = { userId: string; partnerId: string };
type Name = Owner & { key: string };

/** Runs `work` once per key. The same key with a different request is a conflict. A failure does not use up the key. */
export async function runOnce<Result extends object>(
  name: Name,
  request: unknown,
  work: () => Promise<Result>,
): Promise<Result> {
  const requestHash = new Uint8Array(sha256(JSON.stringify(request)));
  for (let waitedMs = 0; waitedMs < TIMEOUT_MS; waitedMs += POLL_EVERY_MS) {
    if (await claim(name, requestHash)) return storeResponse(name, work);
    const first = await prisma().idempotencyKey.findUnique({ where: { userId_partnerId_key: name } });
    if (first && !Buffer.from(first.requestHash).equals(requestHash)) throw conflict();
    if (first?.response) return first.response as Result;
    await pause(POLL_EVERY_MS);
  }
  throw new ApiError('rate_limited', 'The first request with this Idempotency-Key is still in progress.', {
    retryAfterSeconds: 1,
  });
}

async function claim(name: Name, requestHash: Uint8Array<ArrayBuffer>): Promise<boolean> {
  await prisma().idempotencyKey.deleteMany({ where: { ...name, OR: isOver() } });
  const { count } = await prisma().idempotencyKey.createMany({
    data: { ...name, requestHash, createdAt: nowDate() },
    skipDuplicates: true,
  });
  return count === 1;
}

const isOver = () => [
  { createdAt: { lt: new Date(now() - KEPT_MS) } },
  // Prisma distinguishes an SQL NULL from a JSON null.
  { createdAt: { lt: new Date(now() - ABANDONED_MS) }, response: { equals: Prisma.DbNull } },
];

async function storeResponse<Result extends object>(
  name: Name,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work();
    await prisma().idempotencyKey.update({
      where: { userId_partnerId_key: name },
      data: { response: result },
    });
    return result;
  } catch (error) {
    await prisma().idempotencyKey.deleteMany({ where: name });
    throw error;
  }
}

/** Deletes responses that are past their retention. */
export async function forgetOldResponses(): Promise<void> {
  await prisma().idempotencyKey.deleteMany({ where: { OR: isOver() } });
}

export function conflict(): ApiError {
  return new ApiError(
    'idempotency_conflict',
    'This Idempotency-Key was already used with a different request. Use a new key for each purchase.',
  );
}
