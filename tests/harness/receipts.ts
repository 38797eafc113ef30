import { pool } from '@/server/base/db';
import type { StoredReceipt } from '@/server/ledger';

/** The receipts of a user, oldest first. */
export async function readReceipts(
  userId: string,
): Promise<Omit<StoredReceipt, 'requestId' | 'createdAt' | 'runKeyId' | 'runKeyLabel'>[]> {
  const { rows } = await pool().query(
    `SELECT model, provider, price_version AS "priceVersion", input_tokens AS "inputTokens",
            cache_read_tokens AS "cacheReadTokens", cache_write_tokens AS "cacheWriteTokens",
            cache_write_1h_tokens AS "cacheWrite1hTokens", output_tokens AS "outputTokens",
            reasoning_tokens AS "reasoningTokens", web_searches AS "webSearches", input_units AS "inputUnits", output_units AS "outputUnits", held, provider_cost AS "providerCost",
            partner_share AS "partnerShare", charge, estimated, outcome, attempts
     FROM usage WHERE user_id = $1 ORDER BY created_at`,
    [userId],
  );
  return rows;
}
