import type { ServerResponse } from 'node:http';
import { afterAll, expect } from 'vitest';
import { listenOnLoopback, readBody } from '@/sandbox/loopback-server';
import { baseUrlVariable, keyVariable } from '@/server/base/endpoints';
import { findCatalogModel } from '@/server/gateway/pricing/catalog';
import type { Json } from '@/server/gateway/protocols/neutral';
import { mayHideOutput } from '@/server/gateway/providers/hidden-output';
import {
  countInput,
  feesOf,
  mostSearches,
  priceOf,
  SEARCH_TOKENS,
  type TokenBill,
  type Vendor,
} from './bill';
import {
  messageEvents,
  responseEvents,
  writeChatChunks,
  writeCompletion,
  writeMessage,
  writeResponse,
} from './responses';

/** Providers that bill honestly: for what they received and produced, with or without a reader. */

export type Bill = {
  id: string;
  body: Json;
  /** The HTTP status; nothing but a fee is billed unless it is 200. */
  status: number;
  tokens: TokenBill;
  /** How often the visible output contains ` word`. */
  words: number;
  /** In picocredits. */
  exact: bigint;
};

/** What the next responses contain, within the limit of each request. */
export type Behaviour = {
  visibleTokens: number;
  /** Of a model that reasons for the request. */
  reasoningTokens: number;
  /** The share of the prompt that the provider finds in its cache. */
  cachedShare: number;
  /** The tokens that it finds there, in place of a share. */
  cachedTokens: number | null;
  /** Web searches, within the limit of the request. */
  searches: number;
  /** Refuses the request for its content, and bills what the vendor bills for that. */
  refuses: boolean;
  /** OpenRouter: the price of the endpoint, as a multiple of the list price. */
  priceFactor: bigint;
  /** Waits after the visible output, before the usage, until `proceed`. */
  pauses: boolean;
};

export type HonestUpstream = {
  bills: Bill[];
  behave: (behaviour: Partial<Behaviour>) => void;
  /** Ends the pause of running responses. */
  proceed: () => void;
};

const VENDORS: readonly Vendor[] = ['openai', 'anthropic', 'google', 'xai', 'openrouter', 'mistral'];
/** xAI: 0.05 dollars for a request that violates its usage policy. */
const XAI_REFUSAL_FEE = 5_000_000_000_000n;
const USUAL: Behaviour = {
  visibleTokens: 20,
  reasoningTokens: 0,
  cachedShare: 0,
  cachedTokens: null,
  searches: 0,
  refuses: false,
  priceFactor: 1n,
  pauses: false,
};

/** Call after `newDatabase()` and before anything reads the settings. */
export async function startHonestUpstream(): Promise<HonestUpstream> {
  let behaviour = USUAL;
  const paused: (() => void)[] = [];
  const pause = () => new Promise<void>((resolve) => paused.push(resolve));
  const bills: Bill[] = [];
  const server = await listenOnLoopback(async (request, response) => {
    const body = JSON.parse(await readBody(request)) as Json;
    const vendor = (request.url ?? '').split('/')[1] as Vendor;
    await answer(vendor, body, behaviour, { response, bills, pause });
  });
  afterAll(() => server.close());
  configureVendors(server.url);
  return {
    bills,
    behave: (changes) => {
      behaviour = { ...USUAL, ...changes };
    },
    proceed: () => {
      for (const resume of paused.splice(0)) resume();
    },
  };
}

/** Call before anything reads the settings. */
export function configureVendors(url: string): void {
  for (const vendor of VENDORS) {
    process.env[keyVariable(vendor)] = 'sk-honest';
    process.env[baseUrlVariable(vendor)] = `${url}/${vendor}`;
  }
}

type Call = { response: ServerResponse; bills: Bill[]; pause: () => Promise<void> };

async function answer(vendor: Vendor, body: Json, behaviour: Behaviour, call: Call): Promise<void> {
  const id = `${vendor}/${body.model}`;
  const model = findCatalogModel(id);
  const { tokens, fees } = countInput(vendor, String(body.model), body);
  const nothing = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };
  const refuse = (status: number, message: string, exact = 0n) => {
    call.bills.push({ id, body, status, tokens: nothing, words: 0, exact });
    const error = { message, type: 'invalid_request_error', code: status === 403 ? 'content_policy' : null };
    call.response.writeHead(status, { 'content-type': 'application/json' });
    call.response.end(JSON.stringify(vendor === 'xai' ? { code: 'x', error: message } : { error }));
  };
  if (model === null) return refuse(404, `no model ${id}`);
  if (tokens > model.contextWindow) return refuse(400, 'prompt is too long');
  if (behaviour.refuses)
    return refuse(403, 'Content violates usage guidelines.', vendor === 'xai' ? XAI_REFUSAL_FEE : 0n);
  const bill = billFor({ vendor, id, body, behaviour, input: tokens, fees });
  if (vendor === 'openrouter' && exceedsMaxPrice(body, id, behaviour.priceFactor))
    return refuse(404, 'No endpoints found that match the maximum price.');
  await send(vendor, { ...bill, body, behaviour, ...call });
}

type Billing = {
  vendor: Vendor;
  id: string;
  body: Json;
  behaviour: Behaviour;
  input: number;
  fees: bigint;
};
type Billed = {
  id: string;
  tokens: TokenBill;
  reasoning: number;
  visible: number;
  searches: number;
  exact: bigint;
};

function billFor({ vendor, id, body, behaviour, input, fees }: Billing): Billed {
  const asked = body.max_completion_tokens ?? body.max_tokens ?? body.max_output_tokens;
  const limit = Number(asked ?? Number.MAX_SAFE_INTEGER);
  const choices = Number(body.n ?? 1);
  const reasoning = reasons(vendor, id, body) ? Math.min(limit, behaviour.reasoningTokens) : 0;
  const visible = Math.min(limit - reasoning, behaviour.visibleTokens);
  const searches = Math.min(mostSearches(body), behaviour.searches);
  // Searches follow one another, and each makes the model read the prompt again.
  const read = input * (searches + 1) + (SEARCH_TOKENS * searches * (searches + 1)) / 2;
  const tokens: TokenBill = {
    ...splitInput(vendor, id, body, read, behaviour),
    output: choices * (reasoning + visible),
  };
  const factor = vendor === 'openrouter' ? behaviour.priceFactor : 1n;
  const exact = factor * priceOf(id, tokens) + fees + feesOf(vendor, searches);
  return { id, tokens, reasoning: choices * reasoning, visible, searches, exact };
}

function reasons(vendor: Vendor, id: string, body: Json): boolean {
  const { upstreamModel, capabilities } = findCatalogModel(id) ?? expect.fail();
  const format = formatOf(vendor, body) === 'messages' ? 'anthropic' : 'openai';
  return mayHideOutput(body, { provider: { format }, upstreamModel, reasoning: capabilities.reasoning });
}

/** What was read from the cache, and what the vendor writes to it. */
function splitInput(
  vendor: Vendor,
  id: string,
  body: Json,
  input: number,
  { cachedShare, cachedTokens }: Behaviour,
): Omit<TokenBill, 'output'> {
  const cacheRead = Math.min(input, cachedTokens ?? Math.floor(input * cachedShare));
  const rest = input - cacheRead;
  const none = { input: 0, cacheRead, cacheWrite5m: 0, cacheWrite1h: 0 };
  const text = JSON.stringify(body);
  if (vendor === 'anthropic' && text.includes('"cache_control"'))
    return text.includes('"ttl":"1h"') ? { ...none, cacheWrite1h: rest } : { ...none, cacheWrite5m: rest };
  const writes = vendor === 'openai' && findCatalogModel(id)?.prices.automaticCacheWrites;
  return writes ? { ...none, cacheWrite5m: rest } : { ...none, input: rest };
}

/** In dollars per million tokens: a dollar is 10¹⁴ picocredits. */
function exceedsMaxPrice(body: Json, id: string, factor: bigint): boolean {
  const { max_price } = (body.provider ?? {}) as { max_price?: { prompt?: number; completion?: number } };
  const prices = findCatalogModel(id)?.prices;
  if (max_price === undefined || prices === undefined) return false;
  const dollars = (price: bigint) => Number(price * factor) / 1e8;
  return (
    dollars(prices.input) > (max_price.prompt ?? Number.POSITIVE_INFINITY) ||
    dollars(prices.output) > (max_price.completion ?? Number.POSITIVE_INFINITY)
  );
}

type Sending = Billed & Call & { body: Json; behaviour: Behaviour };

async function send(vendor: Vendor, sending: Sending): Promise<void> {
  const { id, body, tokens, exact, response, bills, behaviour, pause } = sending;
  // Everything is billed as soon as it is produced, and reasoning is produced first.
  bills.push({ id, body, status: 200, tokens, words: tokens.output - sending.reasoning, exact });
  if (body.stream !== true) {
    if (behaviour.pauses) await pause();
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify(WRITE_WHOLE[formatOf(vendor, body)](vendor, sending)));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const { output, usage } = WRITE_STREAM[formatOf(vendor, body)](vendor, sending);
  response.write(output.join(''));
  if (behaviour.pauses) await pause();
  response.end(usage.join(''));
}

type Format = 'chat' | 'messages' | 'responses';

const formatOf = (vendor: Vendor, body: Json): Format =>
  vendor === 'anthropic' ? 'messages' : 'input' in body ? 'responses' : 'chat';

const WRITE_WHOLE = { chat: writeCompletion, messages: writeMessage, responses: writeResponse };
const WRITE_STREAM = { chat: writeChatChunks, messages: messageEvents, responses: responseEvents };
