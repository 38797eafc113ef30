import { pool } from '../db';
import { type Receipt, transactionIdOf } from './settlement';

/** Everything that was metered and charged for one request. Amounts are microcredits. */
export type StoredReceipt = Omit<Receipt, 'costReported'> & {
  requestId: string;
  createdAt: Date;
  held: bigint;
  providerCost: bigint;
  partnerShare: bigint;
  charge: bigint;
};

/** The receipt of a request for the partner that sent it. It does not identify the user. */
export async function findReceipt({
  userId,
  partnerId,
  requestId,
}: {
  userId: string;
  partnerId: string;
  requestId: string;
}): Promise<StoredReceipt | null> {
  const { rows } = await pool().query<StoredReceipt>(
    `SELECT request_id AS "requestId", created_at AS "createdAt", model, provider, price_version AS "priceVersion",
            input_tokens AS "inputTokens", cache_read_tokens AS "cacheReadTokens", cache_write_tokens AS "cacheWriteTokens",
            cache_write_1h_tokens AS "cacheWrite1hTokens", output_tokens AS "outputTokens",
            reasoning_tokens AS "reasoningTokens", web_searches AS "webSearches", held, provider_cost AS "providerCost",
            partner_share AS "partnerShare", charge, estimated, outcome, attempts
     FROM usage WHERE user_id = $1 AND transaction_id = $3 AND partner_id = $2`,
    [userId, partnerId, transactionIdOf(requestId)],
  );
  return rows[0] ?? null;
}
