import { DAY_MS } from '../../base/clock';
import {
  type Cooldown,
  forgetOldFailures,
  writeCooldowns,
  writeProviderFailures,
} from '../../gateway/counts/provider-failures';
import { forgetOldRefusals, writeRefusalCounts } from '../../gateway/counts/refusal-counts';
import { forgetOldStatus, writeStatusCounts } from '../../gateway/counts/status-counts';
import { forgetOldUnanswered, writeUnanswered } from '../../gateway/counts/unanswered-requests';
import { rollUpActivity } from './roll-up';

/** Counts are kept for 13 months; daily sums and receipts are kept permanently. */
export const KEEP_COUNTS_MS = 396 * DAY_MS;

let wroteCooldowns = false;

/** Writes this process's counts. If one part fails, the others are still written. */
export async function writeCounts(cooldowns: readonly Cooldown[]): Promise<void> {
  const writing = [writeRefusalCounts(), writeProviderFailures(), writeStatusCounts(), writeUnanswered()];
  // Usually there is nothing to write and nothing to remove.
  if (cooldowns.length > 0 || wroteCooldowns) writing.push(writeCooldowns(cooldowns));
  wroteCooldowns = cooldowns.length > 0;
  await allOrThrow(writing);
}

export async function keepActivity(cooldowns: readonly Cooldown[]): Promise<void> {
  await allOrThrow([writeCounts(cooldowns), rollUpActivity()]);
}

export async function forgetOldCounts(): Promise<void> {
  await allOrThrow([
    forgetOldRefusals(KEEP_COUNTS_MS),
    forgetOldFailures(KEEP_COUNTS_MS),
    forgetOldStatus(),
    forgetOldUnanswered(),
  ]);
}

/** Waits for all parts before it throws the first failure. */
async function allOrThrow(work: Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
