import { now, SECOND_MS } from '../base/clock';
import { chargeFor } from '../base/credits';
import type { AdmissionRequest, Hold, KeptHold } from './admission';
import { submitSettlement } from './batch';

/**
 * Holds that outlive their request, for the next one with the same key. A request that uses one writes nothing when it
 * is admitted, and its settlement leaves the hold as it is: see "Kept holds" in docs/ledger.md.
 */

/** Returning a kept hold costs a statement, so it must save more than one. */
const OFTEN = { times: 3, withinMs: SECOND_MS };
const MAX_IDLE_MS = SECOND_MS / 2;
/** Most of the lease is left when a request begins, so that its first renewal is not late. */
const MAX_AGE_MS = 15 * SECOND_MS;
const RETURN_EVERY_MS = SECOND_MS / 4;

/** Idle ones and those in use, by key. */
const keptHolds = new Map<string, Set<KeptHold>>();
const recentUses = new Map<string, number[]>();
let timer: NodeJS.Timeout | undefined;

const nameOf = (keyHash: Buffer): string => keyHash.toString('latin1');

export function noteUse(keyHash: Buffer): void {
  const uses = recentUses.get(nameOf(keyHash)) ?? [];
  recentUses.set(nameOf(keyHash), [...uses, now()].slice(1 - OFTEN.times));
  startTimer();
}

/** Whether another request makes it worth keeping the holds of this key. */
export function isUsedOften(keyHash: Buffer): boolean {
  const uses = recentUses.get(nameOf(keyHash)) ?? [];
  return uses.length === OFTEN.times - 1 && now() - (uses[0] ?? 0) <= OFTEN.withinMs;
}

/** The hold that a request has made, in use by it. */
export function keepHold(keyHash: Buffer, { requestId, userId, rateBp, amount }: Hold): KeptHold {
  const madeAtMs = now();
  const kept = {
    id: requestId,
    userId,
    keyHash,
    rateBp,
    amount,
    madeAtMs,
    usedBy: requestId,
    idleSinceMs: madeAtMs,
    isSettling: false,
    isMetered: false,
    returning: null,
  };
  const name = nameOf(keyHash);
  keptHolds.set(name, (keptHolds.get(name) ?? new Set()).add(kept));
  return kept;
}

/** An idle hold that covers the request. If there are only smaller ones, a larger one soon replaces one of them. */
export function takeKeptHold({ keyHash, want, ceiling, requestId }: AdmissionRequest): KeptHold | null {
  let tooSmall: KeptHold | undefined;
  for (const kept of keptHolds.get(nameOf(keyHash)) ?? []) {
    if (kept.usedBy !== null || !isReusable(kept)) continue;
    const isCovered = ceiling != null && kept.amount >= ceiling;
    if (isCovered || kept.amount >= chargeFor(want, kept.rateBp).charge) {
      kept.usedBy = requestId;
      return kept;
    }
    tooSmall = kept;
  }
  if (tooSmall) returnSoon(tooSmall);
  return null;
}

/** One that was metered for its lease is not: its row has the usage of that request. */
const isReusable = ({ madeAtMs, isMetered }: KeptHold): boolean =>
  !isMetered && now() - madeAtMs < MAX_AGE_MS;

/** Whether the request still has the kept hold: it has not been settled. */
export const isUsing = ({ kept, requestId }: Pick<Hold, 'kept' | 'requestId'>): boolean =>
  kept?.usedBy === requestId;

/** The request has ended, and its hold waits for the next one. */
export function giveBack(kept: KeptHold): void {
  kept.usedBy = null;
  kept.isSettling = false;
  kept.idleSinceMs = now();
  if (!isReusable(kept)) returnSoon(kept);
}

/** Its row no longer exists, or soon will not. */
export function forgetHold(kept: KeptHold): void {
  kept.usedBy = '';
  const name = nameOf(kept.keyHash);
  const holds = keptHolds.get(name);
  holds?.delete(kept);
  if (holds?.size === 0) keptHolds.delete(name);
}

/** Releases a kept hold. If that fails, it is idle again and due at once. */
export function returnHold(kept: KeptHold): Promise<void> {
  kept.returning ??= submitReturn(kept).finally(() => {
    kept.returning = null;
  });
  return kept.returning;
}

async function submitReturn(kept: KeptHold): Promise<void> {
  kept.usedBy = '';
  try {
    await submitSettlement({ userId: kept.userId, requestId: '', holdId: kept.id });
    forgetHold(kept);
  } catch (error) {
    Object.assign(kept, { usedBy: null, idleSinceMs: -Infinity });
    throw error;
  }
}

/** Nobody waits for it, and the timer repeats it until it succeeds. */
export const returnSoon = (kept: KeptHold): void => void returnHold(kept).catch(() => {});

/** Releases the idle holds of a user, or of all, and waits for those on their way. Returns how many. */
export async function returnIdleHolds(userId?: string): Promise<number> {
  const isDue = (kept: KeptHold) => kept.usedBy === null || kept.returning !== null;
  const due = allKept().filter((kept) => isDue(kept) && (userId ?? kept.userId) === kept.userId);
  await Promise.all(due.map(returnHold));
  return due.length;
}

export const countKept = (userId: string): number =>
  allKept().filter((kept) => kept.userId === userId).length;

const allKept = (): KeptHold[] => [...keptHolds.values()].flatMap((holds) => [...holds]);

/** Runs only while there is something to forget. */
function startTimer(): void {
  timer ??= setInterval(() => {
    for (const kept of allKept()) {
      const isDue = !isReusable(kept) || now() - kept.idleSinceMs >= MAX_IDLE_MS;
      if (kept.usedBy === null && isDue) returnSoon(kept);
    }
    for (const [name, uses] of recentUses)
      if (now() - (uses.at(-1) ?? 0) > OFTEN.withinMs) recentUses.delete(name);
    if (keptHolds.size > 0 || recentUses.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }, RETURN_EVERY_MS).unref();
}
