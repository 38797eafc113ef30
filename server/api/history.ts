import { z } from 'zod';
import { creditsToJson } from '../base/credits';
import { type HistoryEntry, type HistoryPage, readHistory } from '../ledger';
import type { Caller } from '../people/access/authenticate';
import { readBranch } from '../people/keys/run-keys';
import { wholeNumber } from './whole-number';

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

export const historyQuerySchema = z.object({
  limit: wholeNumber
    .refine((limit) => limit >= 1, { error: 'must be at least 1' })
    .transform((limit) => Math.min(limit, MAX_LIMIT))
    .default(DEFAULT_LIMIT)
    .meta({
      description: `Number of entries to return, from 1 to ${MAX_LIMIT}. Larger values are treated as ${MAX_LIMIT}.`,
      default: DEFAULT_LIMIT,
      minimum: 1,
    }),
  offset: wholeNumber.default(0).meta({ description: 'Number of entries to skip.', default: 0 }),
});

const entrySchema = z
  .object({
    id: z.string(),
    type: z.enum(['purchase', 'usage', 'permission', 'refund', 'adjustment']),
    created_at: z.iso.datetime(),
    credits: z.number().meta({
      description:
        'Signed amount: positive when credits were added, negative when they were spent or removed.',
    }),
    balance_after: z.number().meta({ description: 'What this app could spend after this entry.' }),
    request_id: z
      .string()
      .optional()
      .meta({ description: 'usage, correction: the request id. Use it to read the receipt.' }),
    key_id: z.string().optional().meta({ description: 'usage: the run key; absent for an ordinary key' }),
    label: z.string().nullable().optional().meta({ description: 'usage: the label of the run key' }),
    model: z.string().optional().meta({ description: 'usage' }),
    input_tokens: z
      .int()
      .optional()
      .meta({ description: 'usage: uncached prompt tokens, billed at the input price' }),
    cached_input_tokens: z
      .int()
      .optional()
      .meta({ description: 'usage: prompt tokens read from the provider’s cache' }),
    cache_write_tokens: z
      .int()
      .optional()
      .meta({ description: 'usage: prompt tokens written to the provider’s cache' }),
    output_tokens: z.int().optional().meta({ description: 'usage: output tokens, including reasoning' }),
    reasoning_tokens: z
      .int()
      .optional()
      .meta({ description: 'usage: the reasoning tokens within the output' }),
    web_searches: z
      .int()
      .optional()
      .meta({ description: 'usage: web searches that the provider ran; absent without any' }),
    input_units: z.int().optional().meta({ description: 'usage: as on the receipt; absent without any' }),
    output_units: z.int().optional().meta({ description: 'usage: as on the receipt; absent without any' }),
    provider_credits: z.number().optional().meta({ description: 'usage: the provider cost' }),
    commission_credits: z.number().optional().meta({ description: 'usage: the app’s commission' }),
    estimated: z
      .boolean()
      .optional()
      .meta({ description: 'usage: true when the provider reported no usage and it was estimated' }),
    session_id: z.string().optional().meta({ description: 'purchase: the checkout session id' }),
    amount: z.number().optional().meta({ description: 'purchase: the amount paid' }),
    currency: z.string().optional().meta({ description: 'purchase: `usd` or `eur`' }),
    granted_credits: z
      .number()
      .optional()
      .meta({ description: 'permission: the allowance that the user set' }),
    reason: z.enum(['operator', 'promotion', 'correction']).optional().meta({
      description:
        'adjustment: `operator` for credits given or taken by the operator, `promotion` for bonus credits, negative when a refund took them back, `correction` for what was given back because a request was charged too much',
    }),
    correction_reason: z
      .string()
      .optional()
      .meta({ description: 'correction: why the request was overcharged' }),
  })
  .meta({ description: 'A request, purchase or other change. The optional fields depend on `type`.' });

export const historyPageSchema = z.object({
  data: z.array(entrySchema).meta({ description: 'Newest first. Only entries of this app.' }),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
  has_more: z.boolean(),
});

type Place = { limit: number; offset: number };

export const readHistoryPage = async (caller: Caller, place: Place): Promise<HistoryBody> =>
  writeHistoryPage(await readHistory(caller, place, await readBranch(caller)), place);

type HistoryBody = z.output<typeof historyPageSchema>;

/** The history in the API's field names. */
function writeHistoryPage(page: HistoryPage, { limit, offset }: Place): HistoryBody {
  return {
    data: page.entries.map(writeEntry),
    total: page.total,
    limit,
    offset,
    has_more: offset + page.entries.length < page.total,
  };
}

function writeEntry(entry: HistoryEntry): z.output<typeof entrySchema> {
  const { usage, purchase, allowanceSaved, reason, correction, runKey } = entry;
  return {
    id: entry.id,
    type: entry.type,
    created_at: entry.createdAt.toISOString(),
    credits: creditsToJson(entry.credits),
    balance_after: creditsToJson(entry.balanceAfter),
    ...(usage && {
      request_id: usage.requestId,
      ...(runKey && { key_id: runKey.keyId, label: runKey.label }),
      model: usage.model,
      input_tokens: usage.inputTokens,
      cached_input_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      output_tokens: usage.outputTokens,
      reasoning_tokens: usage.reasoningTokens,
      ...(usage.webSearches !== null && { web_searches: usage.webSearches }),
      ...(usage.inputUnits !== null && { input_units: usage.inputUnits }),
      ...(usage.outputUnits !== null && { output_units: usage.outputUnits }),
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
    ...(allowanceSaved !== undefined && { granted_credits: creditsToJson(allowanceSaved) }),
    ...(reason !== undefined && { reason }),
    ...(correction && { request_id: correction.requestId, correction_reason: correction.reason }),
  };
}
