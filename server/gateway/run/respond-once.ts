import { now, SECOND_MS } from '../../base/clock';
import { settings } from '../../base/env';
import { ApiError, stopping } from '../../base/errors';
import { type ApiRequest, watchClient } from '../../base/http/api-request';
import { requireUserKeyHash } from '../../base/http/credentials';
import type { Reply } from '../../base/http/reply';
import { requireUserKey } from '../../people/access/authenticate';
import { Abort } from './abort';
import { Claim, claim, type First, findFirst, type Idempotent, openReplay } from './idempotent-requests';
import type { Caller } from './read-request';
import { alreadyCharged } from './refusals';

/** The pause between two looks at the first request doubles from one to the other. */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = SECOND_MS;
/** Waiting requests cost a connection and a lookup per second each, but no credits and no place at a provider. */
const MAX_WAITING = 200;

type Repeated = Pick<Idempotent, 'key' | 'requestId' | 'format' | 'bodyHash'>;

/**
 * Runs a request unless one with the same `Idempotency-Key` has run: then the response is that one's, or the error
 * names its receipt. While it runs, waits for it.
 */
export async function respondOnce(
  request: ApiRequest,
  repeated: Repeated,
  caller: Caller,
  run: (claim: Claim) => Promise<Reply>,
): Promise<Reply> {
  const { userId, partnerId, keyId, lineage } = await requireUserKey(request);
  caller.partnerId = partnerId;
  const key = lineage.length === 0 ? repeated.key : nameWithin(keyId, repeated.key);
  const idempotent = { ...repeated, userId, partnerId, key };
  const result = (await claim(idempotent)) ?? (await followFirst(idempotent, request));
  return result instanceof Claim ? runClaimed(result, run) : result;
}

/** A run key repeats its own requests only. No client can send a key with the separator. */
const nameWithin = (keyId: string, key: string): string => `${keyId}\n${key}`;

async function runClaimed(claimed: Claim, run: (claim: Claim) => Promise<Reply>): Promise<Reply> {
  try {
    return await run(claimed);
  } catch (error) {
    await claimed.end();
    throw error;
  }
}

/** Ends with the response of the first request, or with its claim if it ended without a charge. */
async function followFirst(idempotent: Idempotent, request: ApiRequest): Promise<Reply | Claim> {
  let first = await findFirst(idempotent);
  if (first.state === 'running') first = await waitForFirst(idempotent, request);
  switch (first.state) {
    case 'kept':
      return openReplay(first, { request, keyHash: requireUserKeyHash(request) });
    case 'charged':
      throw alreadyCharged(first.requestId);
    case 'different':
      throw new ApiError(
        'idempotency_conflict',
        'This Idempotency-Key was already used with a different request. Use a new key for each request.',
      );
    case 'released':
    case 'unknown': {
      const released = first.state === 'released' ? first.requestId : null;
      return (await claim(idempotent, released)) ?? followFirst(idempotent, request);
    }
    default:
      throw stillRunning();
  }
}

const stillRunning = (): ApiError =>
  new ApiError('rate_limited', 'The first request with this Idempotency-Key is still in progress.', {
    retryAfterSeconds: 1,
  });

type Waiting = { userId: string; abort: Abort };
const waiting = new Set<Waiting>();

/** Waits until the first request is no longer running, for as long as a response may take to begin. */
async function waitForFirst(idempotent: Idempotent, request: ApiRequest): Promise<First> {
  const { abort, end } = beginToWait(idempotent.userId, request);
  const untilMs = now() + settings().UPSTREAM_FIRST_BYTE_SECONDS * SECOND_MS;
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      await abort.waitFor(pauseMs);
      if (abort.aborted) throw stopping();
      const first = await findFirst(idempotent);
      if (first.state !== 'running' || now() >= untilMs) return first;
    }
  } finally {
    end();
  }
}

function beginToWait(userId: string, request: ApiRequest): { abort: Abort; end: () => void } {
  const ofUser = [...waiting].filter((other) => other.userId === userId).length;
  if (waiting.size >= MAX_WAITING || ofUser >= settings().LIMIT_RUNNING_PER_USER) throw stillRunning();
  const entry = { userId, abort: new Abort() };
  waiting.add(entry);
  const stopWatching = watchClient(request, () => entry.abort.abort());
  const end = () => {
    stopWatching();
    waiting.delete(entry);
  };
  return { abort: entry.abort, end };
}

/** Ends all waits, because the instance stops. Returns how many. */
export function cutOffWaiting(): number {
  const { size } = waiting;
  for (const { abort } of waiting) abort.abort();
  return size;
}
