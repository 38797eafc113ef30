import { now, SECOND_MS } from '../../../base/clock';
import { takeSettledUsers } from '../../../ledger';
import { advanceTopUps, beginTopUps } from './advance';
import { noteLowBalances } from './low-balance';

/** Refunds, other instances and what a crash lost also lower balances. */
const READ_ALL_EVERY_MS = 30 * SECOND_MS;

let allReadAt = Number.NEGATIVE_INFINITY;

/**
 * Looks at the users whose requests this instance settled since the last pass, so a top-up begins within a second
 * of the settlement without any work on the path of a request. Every 30 seconds, looks at all.
 */
export async function watchBalances(): Promise<void> {
  const settled = takeSettledUsers('balances');
  await advanceTopUps();
  const isForAll = now() - allReadAt >= READ_ALL_EVERY_MS;
  if (isForAll) allReadAt = now();
  if (!isForAll && settled.length === 0) return;
  const users = isForAll ? null : settled;
  await beginTopUps(users);
  await noteLowBalances(users);
}
