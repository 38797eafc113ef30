import { creditsToJson } from '../credits';
import type { StoredReceipt } from '../ledger';

/** A receipt in the API's own words. */
export function writeReceiptBody(receipt: StoredReceipt): object {
  const overrun = receipt.charge - receipt.providerCost - receipt.partnerShare;
  return {
    request_id: receipt.requestId,
    created_at: receipt.createdAt.toISOString(),
    model: receipt.model,
    provider: receipt.provider,
    price_version: receipt.priceVersion,
    outcome: receipt.outcome,
    estimated: receipt.estimated,
    input_tokens: receipt.inputTokens,
    cached_input_tokens: receipt.cacheReadTokens,
    cache_write_tokens: receipt.cacheWriteTokens,
    cache_write_1h_tokens: receipt.cacheWrite1hTokens,
    output_tokens: receipt.outputTokens,
    reasoning_tokens: receipt.reasoningTokens,
    held_credits: creditsToJson(receipt.held),
    provider_credits: creditsToJson(receipt.providerCost),
    commission_credits: creditsToJson(receipt.partnerShare),
    /** What the request cost beyond its hold: borne by the service. */
    overrun_credits: creditsToJson(-overrun),
    charged_credits: creditsToJson(receipt.charge),
  };
}
