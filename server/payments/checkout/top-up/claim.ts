import { MINUTE_MS, now, nowDate } from '../../../base/clock';
import { pool, querySlowly } from '../../../base/db';
import { cardPaymentId } from '../pay-with-card';
import { isBlockedSql } from '../purchase-block';

/** If a charge takes longer, another instance repeats it, and the card is charged once. */
export const LEASE_MS = MINUTE_MS;
/** Between the beginnings of two top-ups of one user. */
const SPACING_MS = MINUTE_MS;

/**
 * The condition for a top-up. `t` is the auto top-up, `w` the wallet, `u` the user. A top-up in progress, the spacing and the
 * month are in the row that the claim changes, so two claims at once cannot both pass.
 */
const IS_DUE = `
  t.state = 'on' AND t.session_id IS NULL AND u.deleted_at IS NULL AND w.paused_at IS NULL AND w.money - w.held < t.threshold
  AND NOT ${isBlockedSql('u')}
  AND (t.started_at IS NULL OR t.started_at <= $2) AND SPENT + t.amount_minor <= t.ceiling_minor`.replace(
  'SPENT',
  // The clock of another instance may already be in the next month.
  '(CASE WHEN t.month >= $1 THEN t.month_minor ELSE 0 END)',
);

/** Of these users, or of all, those whose balance is below their threshold. */
export async function findDue(users: string[] | null): Promise<string[]> {
  const whose = users === null ? '' : 'AND t.user_id = ANY($3)';
  const rows = await querySlowly<{ user_id: string }>(
    `SELECT t.user_id FROM auto_top_up t JOIN wallet w ON w.user_id = t.user_id
     JOIN "user" u ON u.id = t.user_id WHERE ${IS_DUE} ${whose}`,
    [...limits(), ...(users === null ? [] : [users])],
  );
  return rows.map((row) => row.user_id);
}

/** One top-up of a user; the spacing makes the time of its beginning unique. */
export const keyOf = (startedAt: Date): string => `auto top-up ${startedAt.toISOString()}`;

/** Begins a top-up, in one statement that also counts it towards the month's ceiling. False if none is due. */
export async function claimTopUp(userId: string): Promise<boolean> {
  const startedAt = nowDate();
  const sessionId = cardPaymentId({ userId, idempotencyKey: keyOf(startedAt) });
  const { rowCount } = await pool().query(
    `UPDATE auto_top_up t
     SET session_id = $4, started_at = $5, updated_at = $5, lease_until = $6, month = greatest(t.month, $1),
         month_minor = (CASE WHEN t.month >= $1 THEN t.month_minor ELSE 0 END) + t.amount_minor
     FROM wallet w JOIN "user" u ON u.id = w.user_id WHERE w.user_id = t.user_id AND t.user_id = $3 AND ${IS_DUE}`,
    [...limits(), userId, sessionId, startedAt, new Date(startedAt.getTime() + LEASE_MS)],
  );
  return rowCount === 1;
}

/** A top-up in progress belongs to the caller until the lease ends. False if it belongs to another. */
export async function takeLease(userId: string, sessionId: string): Promise<boolean> {
  const { rowCount } = await pool().query(
    `UPDATE auto_top_up SET lease_until = $4
     WHERE user_id = $1 AND session_id = $2 AND lease_until <= $3`,
    [userId, sessionId, nowDate(), new Date(now() + LEASE_MS)],
  );
  return rowCount === 1;
}

/** Top-ups that were decided, or that nobody works on. */
export async function findUnconcluded(): Promise<string[]> {
  const { rows } = await pool().query<{ user_id: string }>(
    `SELECT t.user_id FROM auto_top_up t LEFT JOIN checkout_session s ON s.id = t.session_id
     WHERE t.session_id IS NOT NULL AND (t.lease_until <= $1 OR s.status IN ('completed', 'failed', 'expired'))`,
    [nowDate()],
  );
  return rows.map((row) => row.user_id);
}

function limits(): unknown[] {
  const month = `${nowDate().toISOString().slice(0, 7)}-01`;
  return [month, new Date(now() - SPACING_MS)];
}
