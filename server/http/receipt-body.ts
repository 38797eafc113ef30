import { z } from 'zod';
import { creditsToJson } from '../credits';
import type { StoredReceipt } from '../ledger';

export const receiptSchema = z
  .object({
    request_id: z.string(),
    created_at: z.iso.datetime(),
    model: z.string(),
    provider: z.string().meta({ description: 'Who answered: another than asked for when that one failed.' }),
    price_version: z.string().meta({ description: 'The prices that held when the request came in.' }),
    outcome: z
      .enum(['completed', 'aborted', 'failed'])
      .meta({ description: 'Ended by the model, by the client, or by a failure after output had begun.' }),
    estimated: z.boolean().meta({ description: 'The provider reported no usage, so it was estimated.' }),
    input_tokens: z.int(),
    cached_input_tokens: z.int(),
    cache_write_tokens: z.int(),
    cache_write_1h_tokens: z.int(),
    output_tokens: z.int(),
    reasoning_tokens: z.int(),
    held_credits: z
      .number()
      .meta({ description: 'Set aside before the provider was asked: the most it could cost.' }),
    provider_credits: z.number(),
    commission_credits: z.number(),
    overrun_credits: z.number().meta({ description: 'Beyond the hold: borne by the service.' }),
    charged_credits: z.number().meta({ description: 'What the user paid.' }),
  })
  .meta({ description: 'Everything that was metered, priced and taken for one request.' });

/** A receipt in the API's own words. */
export function writeReceiptBody(receipt: StoredReceipt): z.output<typeof receiptSchema> {
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
    overrun_credits: creditsToJson(-overrun),
    charged_credits: creditsToJson(receipt.charge),
  };
}
