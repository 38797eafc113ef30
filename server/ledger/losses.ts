import type pg from 'pg';
import { type Microcredits, wholeCredits } from '../base/credits';
import { pool } from '../base/db';
import { settings } from '../base/env';
import { describeError, log } from '../base/log';
import type { Hold } from './admission';

/**
 * Why nobody was charged for a call that its provider billed, or may have billed. `timeout`: a stream did not begin in
 * time. `connection_lost`: the connection broke before the provider reported its usage. `instance_died`: an instance
 * ended without settling its requests. `unreadable_response`: a successful response that is not in the provider's
 * format. `failed_response`: a response with an error after billable work. `failed_job`: a job that its provider did not
 * complete, without saying what it bills. `settled_late`: the hold was settled by
 * another instance while this one was paused.
 */
export type LossReason =
  | 'timeout'
  | 'connection_lost'
  | 'instance_died'
  | 'unreadable_response'
  | 'failed_response'
  | 'failed_job'
  | 'settled_late';

export type Loss = {
  /** Counts the calls of the request from 1; 0 is the request as a whole. */
  call: number;
  /** Null if it is not known. */
  model: string | null;
  provider: string | null;
  reason: LossReason;
  /** What the provider billed; if estimated, the most that it may have billed. */
  cost: Microcredits;
  isEstimated: boolean;
};

export type LossOf = Pick<Hold, 'userId' | 'requestId' | 'partnerId'>;

/** Records a loss once, and counts it like an overrun unless it is due to an outage. */
export async function recordLoss(
  { userId, requestId, partnerId }: LossOf,
  { call, model, provider, reason, cost, isEstimated }: Loss,
  database: Pick<pg.Pool | pg.PoolClient, 'query'> = pool(),
): Promise<void> {
  const { LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY: ofUser, LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY: ofApp } =
    settings();
  const values = [userId, requestId, call, partnerId, model, provider, reason, cost, isEstimated];
  const { rows } = await database.query<{ pauses: string | null }>(
    'SELECT ledger_record_loss($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS pauses',
    [...values, wholeCredits(ofUser), wholeCredits(ofApp)],
  );
  logPause(requestId, rows[0]?.pauses ?? null);
}

/** `pauses`: whom overruns and losses passed their limit for, as the ledger returns it. */
export function logPause(requestId: string, pauses: string | null): void {
  if (pauses === null) return;
  log().error(
    { request_id: requestId, paused: pauses },
    'paused for review, because overruns passed their limit',
  );
}

const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 5_000;

/** Repeats work of the ledger that must not fail, until it is committed. */
export async function untilCommitted<T>(requestId: string, what: string, work: () => Promise<T>): Promise<T> {
  for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, MAX_RETRY_MS)) {
    try {
      return await work();
    } catch (error) {
      log().error({ request_id: requestId, error: describeError(error) }, `${what} failed, retrying`);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
