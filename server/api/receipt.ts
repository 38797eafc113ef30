import { z } from 'zod';
import { creditsToJson } from '../base/credits';
import { DATA_RULES, NO_RULES, readRules } from '../base/data-rules';
import { ApiError } from '../base/errors';
import { findReceipt, type ReceiptCorrection, readCorrections, type StoredReceipt } from '../ledger';
import type { Caller } from '../people/access/authenticate';
import { readBranch } from '../people/keys/run-keys';
import { findReceiptProof, type ReceiptProof } from '../reports/statements/read-statements';
import { receiptProofSchema } from './statements';

export const receiptSchema = z
  .object({
    request_id: z.string(),
    created_at: z.iso.datetime(),
    key_id: z.string().nullable().meta({ description: 'The run key; null for an ordinary key.' }),
    label: z.string().nullable().meta({ description: 'The label of the run key.' }),
    model: z.string(),
    provider: z.string().meta({
      description: 'The provider that served the request. Differs from the requested one after a failover.',
    }),
    price_version: z.string().meta({ description: 'The price version in force when the request started.' }),
    outcome: z.enum(['completed', 'aborted', 'failed', 'refused']).meta({
      description:
        'Whether the response was ended by the model, by the client, or by a failure after output had started; or that the provider refused the content, and charged for that.',
    }),
    attempts: z
      .array(
        z.object({
          provider: z.string(),
          model: z.string(),
          at: z.iso.datetime(),
          outcome: z.enum(['responded', 'refused', 'failed', 'no_response', 'interrupted']),
        }),
      )
      .nullable()
      .meta({
        description:
          'Every provider that the request was sent to, in order: `refused` the content, `failed` with another error, gave `no_response`, or was `interrupted`. Null if only the provider of the requested model was called, once.',
      }),
    data_rules: z.array(z.enum(DATA_RULES)).meta({
      description: 'What the user, the app and the operator required of the provider. Empty without rules.',
    }),
    estimated: z
      .boolean()
      .meta({ description: 'True when the provider reported no usage and it was estimated.' }),
    input_tokens: z.int(),
    cached_input_tokens: z.int(),
    cache_write_tokens: z.int(),
    cache_write_1h_tokens: z.int(),
    output_tokens: z.int(),
    reasoning_tokens: z.int(),
    web_searches: z
      .int()
      .meta({ description: 'Web searches that the provider ran. Each has a price of its own.' }),
    input_units: z.int().meta({
      description:
        'What the price of the model counts in the input besides text tokens, such as seconds of audio; `pricing.input_unit` of the model names it.',
    }),
    output_units: z.int().meta({
      description: 'The same of the output, such as image tokens; `pricing.output_unit` names it.',
    }),
    held_credits: z
      .number()
      .meta({ description: 'Reserved before the request was sent to the provider: the most it could cost.' }),
    provider_credits: z.number(),
    commission_credits: z.number(),
    overrun_credits: z.number().meta({ description: 'Cost beyond the hold, paid by the service.' }),
    charged_credits: z.number().meta({ description: 'What the user was charged.' }),
    corrections: z
      .array(
        z.object({
          id: z.string().meta({ description: 'The booking, as in the history and in the daily statement.' }),
          created_at: z.iso.datetime(),
          credits: z.number().meta({ description: 'What the user got back.' }),
          reason: z.string(),
        }),
      )
      .meta({
        description: 'Refunds of overcharges, oldest first. The receipt itself does not change.',
      }),
    proof: receiptProofSchema,
  })
  .meta({ description: 'What was metered and charged for one request.' });

type ReceiptBody = z.output<typeof receiptSchema>;

export async function requireReceipt(caller: Caller, requestId: string): Promise<ReceiptBody> {
  const { userId, partnerId } = caller;
  const receipt = await findReceipt({ userId, partnerId, requestId, keyIds: await readBranch(caller) });
  const proof = receipt && (await findReceiptProof(userId, receipt.requestId));
  if (receipt === null || proof === null)
    throw new ApiError('not_found', 'No request with this id exists for this user in this app.');
  return writeReceiptBody(receipt, await readCorrections(userId, receipt.requestId), proof);
}

/** A receipt in the API's field names. */
function writeReceiptBody(
  receipt: StoredReceipt,
  corrections: readonly ReceiptCorrection[],
  proof: ReceiptProof,
): ReceiptBody {
  const overrun = receipt.charge - receipt.providerCost - receipt.partnerShare;
  return {
    request_id: receipt.requestId,
    created_at: receipt.createdAt.toISOString(),
    key_id: receipt.runKeyId,
    label: receipt.runKeyLabel,
    model: receipt.model,
    provider: receipt.provider,
    price_version: receipt.priceVersion,
    outcome: receipt.outcome,
    attempts: receipt.attempts && [...receipt.attempts],
    data_rules: readRules(receipt.dataRules ?? NO_RULES),
    estimated: receipt.estimated,
    input_tokens: receipt.inputTokens,
    cached_input_tokens: receipt.cacheReadTokens,
    cache_write_tokens: receipt.cacheWriteTokens,
    cache_write_1h_tokens: receipt.cacheWrite1hTokens,
    output_tokens: receipt.outputTokens,
    reasoning_tokens: receipt.reasoningTokens,
    web_searches: receipt.webSearches ?? 0,
    input_units: receipt.inputUnits ?? 0,
    output_units: receipt.outputUnits ?? 0,
    held_credits: creditsToJson(receipt.held),
    provider_credits: creditsToJson(receipt.providerCost),
    commission_credits: creditsToJson(receipt.partnerShare),
    overrun_credits: creditsToJson(-overrun),
    charged_credits: creditsToJson(receipt.charge),
    corrections: corrections.map(({ transactionId, bookedAt, credits, reason }) => ({
      id: transactionId,
      created_at: bookedAt.toISOString(),
      credits: creditsToJson(credits),
      reason,
    })),
    proof,
  };
}
