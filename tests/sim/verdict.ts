import { pool } from '@/server/base/db';
import { checkLedger, sweepHolds } from '@/server/ledger';
import { auditRecent } from '@/server/ledger/audit';
import { sweepPayments } from '@/server/payments/checkout/sweep';
import type { Tally } from './tally';

/** After the run: checks every invariant and every reported outcome in the database. */
export async function judge(tally: Tally): Promise<{ abandoned: number }> {
  const abandoned = await resolveAbandoned();
  await sweepPayments();
  await auditRecent(0);
  for (const difference of (await checkLedger()).differences) tally.violation(difference);
  for (const difference of await auditedDifferences()) tally.violation(`audited: ${difference}`);
  await findNegative(tally);
  await findHolds(tally);
  await compareReceipts(tally);
  await comparePurchases(tally);
  await compareRefunds(tally);
  return { abandoned };
}

/** Expires the leases of dead instances, which would otherwise take 90 seconds. */
export async function resolveAbandoned(): Promise<number> {
  await pool().query("UPDATE hold SET lease_until = clock_timestamp() - interval '1 second'");
  return sweepHolds();
}

async function auditedDifferences(): Promise<string[]> {
  const { rows } = await pool().query<{ difference: string }>(
    'SELECT unnest(differences) AS difference FROM audit_run',
  );
  return rows.map(({ difference }) => difference);
}

/** Only refunded credits that were already spent are a debt. Checked continuously. */
export async function findNegative(tally: Tally): Promise<void> {
  const { rows } = await pool().query<{ subject: string }>(
    `WITH refunded AS (SELECT DISTINCT user_id FROM ledger_transaction WHERE kind = 'refund')
     SELECT 'money ' || money || ', held ' || held AS subject FROM wallet
     WHERE held < 0 OR (money < held AND user_id NOT IN (SELECT user_id FROM refunded))
     UNION ALL SELECT 'pocket ' || own || ', held ' || own_held FROM user_app
     WHERE own_held < 0 OR (own < 0 AND user_id NOT IN (SELECT user_id FROM refunded))`,
  );
  for (const { subject } of rows) tally.violation(`below zero: ${subject}`);
}

async function findHolds(tally: Tally): Promise<void> {
  const { rows } = await pool().query<{ request_id: string }>('SELECT request_id FROM hold');
  for (const { request_id } of rows) tally.violation(`a hold is left: ${request_id}`);
}

async function compareReceipts(tally: Tally): Promise<void> {
  const { rows } = await pool().query<{ request_id: string; charge: bigint }>(
    'SELECT request_id, charge FROM usage',
  );
  const receipts = new Map(rows.map((row) => [row.request_id, row]));
  const lost = await readLost();
  if (receipts.size !== rows.length) tally.violation('a request was booked twice');
  for (const [requestId, charge] of tally.charged) {
    const booked = receipts.get(requestId)?.charge ?? (lost.has(requestId) ? 0n : null);
    if (booked !== charge)
      tally.violation(`${requestId} reported a charge of ${charge}, and ${booked} is booked`);
  }
  for (const requestId of tally.streamed)
    if (!receipts.has(requestId) && !lost.has(requestId))
      tally.violation(`${requestId} was answered whole, and is neither charged nor a loss`);
  for (const requestId of tally.refused)
    if (receipts.has(requestId)) tally.violation(`${requestId} was refused and is charged`);
}

/** Requests that nothing could be charged for. */
async function readLost(): Promise<Set<string>> {
  const { rows } = await pool().query<{ request_id: string }>('SELECT request_id FROM provider_loss');
  return new Set(rows.map(({ request_id }) => request_id));
}

async function comparePurchases(tally: Tally): Promise<void> {
  const { rows } = await pool().query<{ session_id: string; times: bigint }>(
    `SELECT p.session_id, count(*) AS times FROM purchase p
     JOIN ledger_transaction t ON t.user_id = p.user_id AND t.kind = 'purchase' AND t.cause_id = p.session_id GROUP BY 1`,
  );
  const credited = new Map(rows.map((row) => [row.session_id, row.times]));
  for (const session of tally.paid)
    if (credited.get(session) !== 1n)
      tally.violation(`${session} was paid and credited ${credited.get(session) ?? 0} times`);
  for (const session of tally.unpaid)
    if (credited.has(session)) tally.violation(`${session} was not paid and is credited`);
}

async function compareRefunds(tally: Tally): Promise<void> {
  const { rows } = await pool().query<{ session_id: string; credits: bigint; due: bigint; taken: bigint }>(
    `SELECT p.session_id, p.credits, p.credits / p.amount_minor AS due, coalesce(-sum(t.credits), 0)::bigint AS taken
     FROM purchase p LEFT JOIN ledger_transaction t
       ON t.user_id = p.user_id AND t.kind = 'refund' AND t.related_id = p.session_id
     GROUP BY p.session_id, p.credits, p.amount_minor`,
  );
  for (const { session_id, credits, due, taken } of rows) {
    const isDisputed = tally.disputed.has(session_id);
    const reversed = isDisputed ? credits : due * BigInt(tally.refundedMinor.get(session_id) ?? 0);
    if (taken !== reversed)
      tally.violation(`${session_id}: ${reversed} were refunded or disputed and ${taken} taken back`);
  }
}
