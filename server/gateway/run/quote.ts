import { setImmediate as letOthersRun } from 'node:timers/promises';
import { z } from 'zod';
import { now } from '../../base/clock';
import { chargeFor, creditsToJson } from '../../base/credits';
import type { ApiRequest } from '../../base/http/api-request';
import { readRecentOutputs } from '../../ledger';
import { type Caller, requireUserKey } from '../../people/access/authenticate';
import { readBranch } from '../../people/keys/run-keys';
import { pricesAt } from '../pricing/catalog';
import { costOf, promptTokens } from '../pricing/cost';
import { CLIENT_PROTOCOLS, type ClientRequest } from '../protocols/client-protocols';
import { type Measure, measureDocuments } from '../protocols/measure-size';
import { type Json, NO_TOKENS, NO_UNITS, type TokenUsage, writeUnits } from '../protocols/neutral';
import { isObject, refuse } from '../protocols/read-fields';
import { findCounted, withMedia } from './counted-prompts';
import { readClientHeaders } from './generate';
import { resolveReferences } from './kept-responses';
import { findLimitRefusal } from './key-limit';
import { likelyInputTokens } from './likely-usage';
import { requireModelAccess } from './model-access';
import { type Plan, planRequest } from './plan';
import { writeQuoteId } from './quote-id';
import { readModelRequest, type Unwrap } from './read-request';

/**
 * The price of a request before it is sent: the most it can cost, which is what would be held for it, and what it will
 * probably cost.
 */

const FORMAT_OF = {
  '/v1/chat/completions': 'chat',
  '/v1/messages': 'messages',
  '/v1/responses': 'responses',
  '/v1/embeddings': 'embeddings',
  '/v1/moderations': 'moderations',
  '/v1/ocr': 'ocr',
  '/v1/rerank': 'rerank',
  '/v1/audio/speech': 'speech',
  '/v1/images/generations': 'images',
  '/v1/images/edits': 'image-edits',
  '/v1/videos': 'videos',
} as const satisfies Record<string, ClientRequest['format']>;

type Endpoint = keyof typeof FORMAT_OF;
const ENDPOINTS = Object.keys(FORMAT_OF) as Endpoint[];

export const quoteRequestSchema = z.object({
  endpoint: z.enum(ENDPOINTS).meta({ description: 'The endpoint that the request is for.' }),
  request: z.record(z.string(), z.unknown()).meta({ description: 'The exact body of the request.' }),
});

export const quoteSchema = z.object({
  id: z.string().meta({
    description: 'Sent as `x-svc-quote` with a request, it keeps its charge within the maximum.',
  }),
  model: z.string(),
  likely: z.number().meta({ description: 'What the request will probably cost, in credits.' }),
  maximum: z.number().meta({ description: 'The most that it can cost: what is held for it.' }),
  basis: z.object({
    method: z.enum(['recent_requests', 'typical_output']).meta({
      description:
        'Whether the output is the median of the last requests that the key may read, to this model, or a typical one.',
    }),
    requests: z.int().meta({ description: 'How many requests were compared, at most 20.' }),
    input_tokens: z.int(),
    cached_input_tokens: z.int().meta({
      description: 'Those of the input that the provider will probably read from its cache.',
    }),
    output_tokens: z.int(),
    input_units: z.int().optional().meta({ description: 'The most that the request may have.' }),
    output_units: z.int().optional(),
  }),
  price_version: z.string(),
  expires_at: z.iso.datetime(),
});

type Quote = z.output<typeof quoteSchema>;

/** Output that is assumed without a comparable request. */
const TYPICAL_OUTPUT = 500;

/** Nothing is held or charged. */
export async function quoteRequest(request: ApiRequest): Promise<Quote> {
  const read = await readModelRequest(request, unwrap);
  const { keyHash, waitMs, candidates, isSmall, isLarge } = read;
  const { model } = candidates[0];
  if (waitMs > 0) throw await findLimitRefusal(request, keyHash, waitMs, candidates);
  const caller = await requireUserKey(request);
  const [{ rateBp }, outputs] = await Promise.all([
    requireModelAccess(caller, candidates),
    readComparable(caller, model.id),
  ]);

  const protocol = CLIENT_PROTOCOLS[read.body.format];
  const client = await resolveClient(request, keyHash, read.body);
  const found = isLarge
    ? null
    : findCounted(keyHash, protocol, client, readClientHeaders(request), candidates);
  if (!isSmall) await letOthersRun();
  const measured = protocol.measure(client, found?.counted);
  const prompt = found && withMedia(found, measured.media);
  const measure = await measureDocuments(measured);
  const plan = planRequest(
    protocol,
    client,
    candidates,
    measure,
    prompt?.trustsCache ? prompt.cachedTokens : 0,
  );

  const estimateTokens = (of: Measure) => likelyInputTokens(of, candidates[0]);
  const counted = found !== null && measured.media === 'none' ? found.counted.tokens : 0;
  const inputTokens =
    counted === 0
      ? estimateTokens(measure)
      : likeCounted(counted, {
          added: estimateTokens(measure) - counted,
          whole: estimateTokens(await measureDocuments(protocol.measure(client))),
        });
  // Where the provider has read any of what it counted from its cache, it probably reads all of it next time.
  const cachedTokens = (prompt?.cachedTokens ?? 0) > 0 ? counted : 0;
  const usage = likelyUsage(plan, inputTokens, cachedTokens, median(outputs));
  const { prices, priceVersion } = pricesAt(model, now());
  const { charge: maximum } = chargeFor(plan.want, rateBp);
  const { charge: likely } = chargeFor(costOf(usage, prices), rateBp);
  return {
    ...writeQuoteId(maximum, keyHash),
    model: model.id,
    likely: creditsToJson(likely < maximum ? likely : maximum),
    maximum: creditsToJson(maximum),
    basis: {
      method: outputs.length > 0 ? 'recent_requests' : 'typical_output',
      requests: outputs.length,
      input_tokens: promptTokens(usage),
      cached_input_tokens: usage.cacheRead,
      output_tokens: usage.output,
      ...(usage.inputUnits !== undefined && { input_units: usage.inputUnits }),
      ...(usage.outputUnits !== undefined && { output_units: usage.outputUnits }),
    },
    price_version: priceVersion,
  };
}

/** Output tokens of the last requests to this model that the key may read. */
const readComparable = async (caller: Caller, model: string): Promise<number[]> =>
  readRecentOutputs(caller, model, await readBranch(caller));

const unwrap: Unwrap<ClientRequest> = ({ endpoint, request }) => {
  if (typeof endpoint !== 'string' || !Object.hasOwn(FORMAT_OF, endpoint))
    throw refuse('endpoint', `expected one of ${ENDPOINTS.join(', ')}`);
  if (!isObject(request)) throw refuse('request', 'expected the body of the request, a JSON object');
  const { modelType, validate, resolution } = CLIENT_PROTOCOLS[FORMAT_OF[endpoint as Endpoint]];
  return { modelType, validate, ...(resolution && { resolution }), json: request as Json };
};

/** Estimates are rather high: what is `added` is corrected by as much as the estimate of what was counted. */
function likeCounted(counted: number, { added, whole }: { added: number; whole: number }): number {
  return counted + Math.round(added * Math.min(1, counted / Math.max(1, whole - added)));
}

/** With what it refers to, as for the request itself. */
async function resolveClient(
  request: ApiRequest,
  keyHash: Buffer,
  client: ClientRequest,
): Promise<ClientRequest> {
  if (client.format !== 'responses') return client;
  return (await resolveReferences({ request, keyHash, admitCheaply: async () => {} }, client)).client;
}

/** Where the request has cache breakpoints, what is not read from the cache is written to it. */
function likelyUsage(
  { choices, outputCap, searches, bounds: [requested] }: Plan,
  inputTokens: number,
  cachedTokens: number,
  recentOutput: number | null,
): TokenUsage {
  const cacheRead = Math.min(inputTokens, cachedTokens);
  const rest = inputTokens - cacheRead;
  const lifetime = requested?.lifetime ?? 'none';
  const output = Math.min(choices * outputCap, recentOutput ?? choices * TYPICAL_OUTPUT);
  return {
    ...NO_TOKENS,
    [NEW_TOKENS[lifetime]]: rest,
    cacheRead,
    ...(requested?.candidate.profile.countsAudio ? { outputUnits: output } : { output }),
    searches: Math.min(1, searches),
    ...writeUnits(requested?.units ?? NO_UNITS),
  };
}

const NEW_TOKENS = { none: 'input', '5m': 'cacheWrite5m', '1h': 'cacheWrite1h' } as const;

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}
