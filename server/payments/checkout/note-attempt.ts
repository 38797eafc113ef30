import { now } from '../../base/clock';
import { deleteInSteps, pool } from '../../base/db';
import { TRACES_KEPT_MS, traceOfCard } from '../../base/traces';
import type { Payment } from './payment';
import type { ProcessorPayment } from './payment-processor';

/**
 * Notes the latest charge of a payment, and if it was made, that its card belongs to the account. Repetitions change
 * nothing. Of several charges that are declined before the payment is read, only the last is noted.
 */
export async function noteAttempt({ userId }: Payment, { attempt }: ProcessorPayment): Promise<void> {
  if (attempt === null) return;
  const { chargeId, cardFingerprint, isDeclined, at } = attempt;
  const card = cardFingerprint === null ? null : traceOfCard(cardFingerprint);
  await pool().query(
    `WITH attempt AS (
       INSERT INTO payment_attempt (id, user_id, card, is_declined, at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (id) DO NOTHING RETURNING *)
     INSERT INTO account_trace AS t (kind, hash, user_id, seen_at)
     SELECT 'card', card, user_id, date_trunc('hour', at) FROM attempt WHERE card IS NOT NULL AND NOT is_declined
     ON CONFLICT (kind, hash, user_id) DO UPDATE SET seen_at = excluded.seen_at WHERE t.seen_at < excluded.seen_at`,
    [chargeId, userId, card, isDeclined, at],
  );
}

export async function forgetOldAttempts(): Promise<void> {
  await deleteInSteps(
    'DELETE FROM payment_attempt WHERE id IN (SELECT id FROM payment_attempt WHERE at < $1 LIMIT $2)',
    new Date(now() - TRACES_KEPT_MS),
  );
}
