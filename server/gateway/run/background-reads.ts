import { now, SECOND_MS } from '../../base/clock';
import { settings } from '../../base/env';
import type { Run, Working } from './run';

/**
 * Background reads: requests whose client disconnected while the provider is still read, because only the rest
 * of the response says what the provider bills. Each ends with its request, at the latest after
 * UPSTREAM_BACKGROUND_SECONDS. Its hold and lease are those of any running request.
 */
const reads = new Map<Run, { untilMs: number }>();

/** Since the start of the process. */
const ended = { finished: 0, cutOff: 0 };

export const countBackgroundReads = (): { running: number } & Readonly<typeof ended> => ({
  running: reads.size,
  ...ended,
});

/**
 * Returns false if the user has too many background reads. Only a call whose bill a cancel ends is cut off for
 * that: the others would be billed to the end unread. They are limited by LIMIT_RUNNING_PER_USER.
 */
export function startBackgroundRead(run: Run, { served }: Working): boolean {
  const { LIMIT_BACKGROUND_PER_USER: limit, UPSTREAM_BACKGROUND_SECONDS: seconds } = settings();
  const cancelEndsBill = served.profile.cancelEndsBill && run.wantsStream;
  if (cancelEndsBill && countReadsOf(run.hold.userId) >= limit) {
    ended.cutOff++;
    return false;
  }
  reads.set(run, { untilMs: now() + seconds * SECOND_MS });
  const { endLease } = run;
  run.endLease = () => {
    end(run, run.abort.aborted ? 'cutOff' : 'finished');
    endLease();
  };
  return true;
}

/** Cancels the provider, because the response has shown what it was read for. */
export function finishBackgroundRead(run: Run): void {
  end(run, 'finished');
  run.abort.abort();
}

function end(run: Run, how: keyof typeof ended): void {
  if (reads.delete(run)) ended[how]++;
}

function countReadsOf(userId: string): number {
  let count = 0;
  for (const { hold } of reads.keys()) if (hold.userId === userId) count++;
  return count;
}

/** Cuts off the reads that have reached their time limit. Their requests are then settled by an estimate. */
export async function endOverdueReads(): Promise<void> {
  for (const [run, { untilMs }] of reads) if (untilMs <= now()) run.abort.abort();
}

/** Cuts off all reads, because the process stops. */
export function endBackgroundReads(): void {
  for (const run of reads.keys()) run.abort.abort();
}
