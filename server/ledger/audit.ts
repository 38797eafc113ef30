import type { PoolClient } from 'pg';
import { DAY_MS, now } from '../clock';
import { deleteInSteps } from '../db';
import { log } from '../log';
import { auditHistory, auditRecentEarnings } from './audit-history';
import { type AuditSpan, auditPockets } from './audit-pockets';
import { BOOKING_INVARIANTS } from './booking-invariants';
import { findDifferences, inSnapshot } from './check';
import { PRESENT_INVARIANTS, WALLET_INVARIANTS } from './invariants';
import { BONUS_INVARIANTS } from './promotion-invariants';
import { NEW_INVOICES_INVARIANT, OPEN_PAYMENT_INVARIANT, PURCHASE_INVARIANTS } from './purchase-invariants';

/** The interval of audits. */
export const AUDIT_EVERY_SECONDS = 60;
/**
 * An audit is claimed if the last one began at least this long ago. It is less than the interval, because a
 * timer that fires a millisecond early must not wait for the next one, and enough that several instances share
 * the audits between them.
 */
const CLAIM_AFTER_SECONDS = 45;
/** A transaction may commit this long after its timestamp, so the next audit checks younger ones again. */
const OVERLAP = '15 seconds';

export type Audit = { users: number; differences: string[] };

/**
 * Checks everything booked since the last audit, the affected wallets and the history of other users and of teams in turn,
 * and records the result. Returns null if another instance has just done so.
 */
export async function auditRecent(afterSeconds = CLAIM_AFTER_SECONDS): Promise<Audit | null> {
  const audit = await inSnapshot(async (client) => {
    const span = await claimTurn(client, afterSeconds);
    return span === null ? null : auditSpan(client, span);
  }).catch(nullWhenOvertaken);
  if (audit && audit.differences.length > 0)
    log().error({ differences: audit.differences }, 'the ledger has differences');
  return audit;
}

const SERIALIZATION_FAILURE = '40001';

/** Another instance claimed the audit after this one took its snapshot. */
function nullWhenOvertaken(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === SERIALIZATION_FAILURE) return null;
  throw error;
}

async function claimTurn(client: PoolClient, afterSeconds: number): Promise<AuditSpan | null> {
  const { rows } = await client.query<AuditSpan>(
    `WITH last AS (
       SELECT up_to FROM watermark
       WHERE name = 'audit' AND up_to <= clock_timestamp() - make_interval(secs => $1) FOR UPDATE SKIP LOCKED)
     UPDATE watermark w SET up_to = clock_timestamp() FROM last WHERE w.name = 'audit'
     RETURNING (last.up_to - $2::interval)::text AS since, (w.up_to - $2::interval)::text AS settled`,
    [afterSeconds, OVERLAP],
  );
  return rows[0] ?? null;
}

async function auditSpan(client: PoolClient, span: AuditSpan): Promise<Audit> {
  const { users, differences: ofPockets } = await auditPockets(client, span);
  const recent = [
    ...ofPockets,
    ...(await findDifferences(
      client,
      [...WALLET_INVARIANTS, ...PURCHASE_INVARIANTS, ...BONUS_INVARIANTS],
      [users],
    )),
    ...(await findDifferences(client, [BOOKING_INVARIANTS], [null, span.since])),
    ...(await findDifferences(client, [
      ...PRESENT_INVARIANTS,
      OPEN_PAYMENT_INVARIANT,
      NEW_INVOICES_INVARIANT,
    ])),
    ...(await auditRecentEarnings(client)),
  ];
  const history = await auditHistory(client);
  const differences = [...new Set([...recent, ...history.differences])];
  await client.query(
    'INSERT INTO audit_run (users, differences, scanned_to, teams_scanned_to) VALUES ($1, $2, $3, $4)',
    [users.length, differences, history.usersScannedTo, history.teamsScannedTo],
  );
  return { users: users.length, differences };
}

const RUN_KEPT_MS = 30 * DAY_MS;

/** Audits without differences are deleted after a month, except the newest, which shows when the last one ran. */
export async function forgetOldAudits(): Promise<void> {
  await deleteInSteps(
    `DELETE FROM audit_run WHERE id IN (
       SELECT id FROM audit_run WHERE at < $1 AND differences = '{}'
         AND id <> (SELECT max(id) FROM audit_run) LIMIT $2)`,
    new Date(now() - RUN_KEPT_MS),
  );
}
