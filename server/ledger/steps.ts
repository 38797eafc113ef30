import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { now, SECOND_MS } from '../base/clock';
import { inSlowTransaction } from '../base/db';

/**
 * A check of much data takes steps, each in a short snapshot of its own. While a snapshot lives, PostgreSQL removes no
 * dead row, and a minute of dead versions of the same few balances makes every request several times slower.
 */
export type Step = <T>(work: (client: PoolClient) => Promise<T>) => Promise<T>;

/** Waits between two steps. Rejects with an `AbortError` if the process stops. */
export type Pause = (ms: number) => Promise<void>;

const LONGEST_PAUSE_MS = 5 * SECOND_MS;

export const withoutPause: Pause = async () => {};

export const pauseUntilStopped =
  (stop: AbortSignal): Pause =>
  async (ms) => {
    await sleep(Math.min(ms, LONGEST_PAUSE_MS), undefined, { signal: stop });
  };

export const pauseInCommand: Pause = pauseUntilStopped(new AbortController().signal);

/** Between steps it pauses `pauses` times as long as the last one took, so that others get their share of the machine. */
export const takeSteps =
  (pause: Pause, pauses: number): Step =>
  async (work) => {
    const begunAt = now();
    const result = await inSnapshot(work);
    await pause((now() - begunAt) * pauses);
    return result;
  };

/** Runs `work` in one read snapshot. */
const inSnapshot: Step = (work) => inSlowTransaction({ isolation: 'REPEATABLE READ', timeout: '0' }, work);
