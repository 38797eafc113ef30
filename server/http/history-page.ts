import { z } from 'zod';
import { creditsToJson } from '../credits';
import type { HistoryEntry, HistoryPage } from '../ledger';

const MAX_LIMIT = 200;
const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, { error: 'must be a whole number' })
  .transform(Number);

export const historyQuerySchema = z.object({
  limit: wholeNumber
    .refine((limit) => limit >= 1, { error: 'must be at least 1' })
    .transform((limit) => Math.min(limit, MAX_LIMIT))
    .default(50),
  offset: wholeNumber.default(0),
});

/** The history in the API's own words. */
export function writeHistoryPage(
  page: HistoryPage,
  { limit, offset }: { limit: number; offset: number },
): object {
  return {
    data: page.entries.map(writeEntry),
    total: page.total,
    limit,
    offset,
    has_more: offset + page.entries.length < page.total,
  };
}

function writeEntry(entry: HistoryEntry): object {
  const { usage, purchase, limitSaved } = entry;
  return {
    id: entry.id,
    type: entry.type,
    created_at: entry.createdAt.toISOString(),
    credits: creditsToJson(entry.credits),
    balance_after: creditsToJson(entry.balanceAfter),
    ...(usage && {
      request_id: usage.requestId,
      model: usage.model,
      input_tokens: usage.inputTokens,
      cached_input_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      output_tokens: usage.outputTokens,
      reasoning_tokens: usage.reasoningTokens,
      provider_credits: creditsToJson(usage.providerCost),
      commission_credits: creditsToJson(
        usage.charge > usage.providerCost ? usage.charge - usage.providerCost : 0n,
      ),
      estimated: usage.estimated,
    }),
    ...(purchase && {
      session_id: purchase.sessionId,
      amount: purchase.amountMinor / 100,
      currency: purchase.currency,
    }),
    ...(limitSaved !== undefined && { granted_credits: creditsToJson(limitSaved) }),
  };
}
