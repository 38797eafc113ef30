import { now, SECOND_MS } from '../../base/clock';
import { prisma } from '../../base/db';
import { describeError, log } from '../../base/log';
import { fulfil } from './fulfil';
import { forgetOldResponses } from './idempotency';
import { UNFINISHED } from './payment';

const PAGE_SIZE = 200;
const CONCURRENCY = 4;
const FIRST_READ_MS = 30 * SECOND_MS;

let sweptUntil: number | undefined;

/**
 * Refreshes payments whose webhook may have been lost. A payment is read 30 seconds after it began,
 * then after one minute, two, four and so on, so that a busy shop does not poll every open form each
 * time. The first sweep of a process reads all payments.
 */
export async function sweepPayments(): Promise<{ read: number; failed: number }> {
  const since = sweptUntil;
  const until = now();
  const result = { read: 0, failed: 0 };
  for (let after = ''; ; ) {
    const page = await readPage(after);
    const due = page.filter(
      ({ createdAt }) => since === undefined || isDue(createdAt.getTime(), since, until),
    );
    for (let at = 0; at < due.length; at += CONCURRENCY) {
      const outcomes = await Promise.all(due.slice(at, at + CONCURRENCY).map(({ id }) => reread(id)));
      result.read += outcomes.length;
      result.failed += outcomes.filter((ok) => !ok).length;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) break;
    after = last.id;
  }
  sweptUntil = until;
  await forgetOldResponses();
  return result;
}

function readPage(after: string): Promise<{ id: string; createdAt: Date }[]> {
  return prisma().checkoutSession.findMany({
    where: { status: { in: UNFINISHED }, id: { gt: after } },
    select: { id: true, createdAt: true },
    orderBy: { id: 'asc' },
    take: PAGE_SIZE,
  });
}

/** Whether 30 s, 1 min, 2 min, 4 min … after the start falls within (since, until]. */
export function isDue(beganAt: number, since: number, until: number): boolean {
  return readsBy(until - beganAt) > readsBy(since - beganAt);
}

function readsBy(ageMs: number): number {
  return ageMs < FIRST_READ_MS ? 0 : Math.floor(Math.log2(ageMs / FIRST_READ_MS)) + 1;
}

async function reread(id: string): Promise<boolean> {
  try {
    await fulfil(id);
    return true;
  } catch (error) {
    log().warn({ checkout_session_id: id, error: describeError(error) }, 'could not refresh a payment');
    return false;
  }
}
