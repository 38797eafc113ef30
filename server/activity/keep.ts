import { DAY_MS } from '../clock';
import { type Cooldown, forgetOldFailures, writeCooldowns, writeProviderFailures } from './provider-failures';
import { forgetOldRefusals, writeRefusalCounts } from './refusal-counts';
import { rollUpActivity } from './roll-up';

/** Counts are kept for a year and a month; sums by day and receipts for good. */
export const KEEP_COUNTS_MS = 396 * DAY_MS;

let wroteCooldowns = false;

/** What a process counted, written down. The rest of the keeping goes on when one part fails. */
export async function writeCounts(cooldowns: readonly Cooldown[]): Promise<void> {
  const writing = [writeRefusalCounts(), writeProviderFailures()];
  // Usually there is nothing to say, and nothing to take back.
  if (cooldowns.length > 0 || wroteCooldowns) writing.push(writeCooldowns(cooldowns));
  wroteCooldowns = cooldowns.length > 0;
  await allOrThrow(writing);
}

export async function keepActivity(cooldowns: readonly Cooldown[]): Promise<void> {
  await allOrThrow([writeCounts(cooldowns), rollUpActivity()]);
}

export async function forgetOldCounts(): Promise<void> {
  await allOrThrow([forgetOldRefusals(KEEP_COUNTS_MS), forgetOldFailures(KEEP_COUNTS_MS)]);
}

/** Every part is tried before a failure of one is told. */
async function allOrThrow(work: Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
