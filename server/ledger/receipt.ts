import { pool } from '../base/db';
import { type Receipt, transactionIdOf } from './settlement';

/** Everything that was metered and charged for one request. Amounts are microcredits. */
export type StoredReceipt = Omit<Receipt, 'costReported'> & {
  requestId: string;
  createdAt: Date;
  held: bigint;
  providerCost: bigint;
  partnerShare: bigint;
  charge: bigint;
  /** The run key that sent the request; null for an ordinary key. */
  runKeyId: string | null;
  runKeyLabel: string | null;
};

/** Adds the run key of a receipt. */
export const JOIN_RUN_KEY =
  "LEFT JOIN (SELECT id AS run_key_id, label FROM user_key WHERE lineage <> '{}') k ON k.run_key_id = key_id";

/** What the user got back of a charge that was too high. */
export type ReceiptCorrection = { transactionId: string; bookedAt: Date; credits: bigint; reason: string };

/** The corrections of a request of this user, oldest first. */
export async function readCorrections(userId: string, requestId: string): Promise<ReceiptCorrection[]> {
  const { rows } = await pool().query<ReceiptCorrection>(
    `SELECT t.id AS "transactionId", t.created_at AS "bookedAt", t.credits, b.reason
     FROM correction c
     JOIN correction_batch b ON b.id = c.batch_id
     JOIN ledger_transaction t ON t.user_id = c.user_id AND t.kind = 'correction' AND t.cause_id = c.transaction_id || ':' || c.batch_id
     WHERE c.transaction_id = $2 AND c.user_id = $1 ORDER BY t.created_at, t.id`,
    [userId, transactionIdOf(requestId)],
  );
  return rows;
}

/** The receipt of a request for the partner that sent it. It does not identify the user. */
export async function findReceipt({
  userId,
  partnerId,
  requestId,
  keyIds = null,
}: {
  userId: string;
  partnerId: string;
  requestId: string;
  /** The only keys whose requests may be read; null for all. */
  keyIds?: string[] | null;
}): Promise<StoredReceipt | null> {
  const { rows } = await pool().query<StoredReceipt>(
    `SELECT request_id AS "requestId", created_at AS "createdAt", model, provider, price_version AS "priceVersion",
            input_tokens AS "inputTokens", cache_read_tokens AS "cacheReadTokens", cache_write_tokens AS "cacheWriteTokens",
            cache_write_1h_tokens AS "cacheWrite1hTokens", output_tokens AS "outputTokens",
            reasoning_tokens AS "reasoningTokens", web_searches AS "webSearches", input_units AS "inputUnits", output_units AS "outputUnits", held, provider_cost AS "providerCost",
            partner_share AS "partnerShare", charge, estimated, outcome, attempts, data_rules AS "dataRules",
            run_key_id AS "runKeyId", label AS "runKeyLabel"
     FROM usage ${JOIN_RUN_KEY} WHERE user_id = $1 AND transaction_id = $3 AND partner_id = $2
       AND ($4::text[] IS NULL OR key_id = ANY ($4))`,
    [userId, partnerId, transactionIdOf(requestId), keyIds],
  );
  return rows[0] ?? null;
}
