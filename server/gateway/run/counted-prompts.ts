import { hash, randomBytes } from 'node:crypto';
import { MINUTE_MS, now, SECOND_MS } from '../../base/clock';
import type { Microcredits } from '../../base/credits';
import { settings } from '../../base/env';
import { expectedCacheReads } from '../../base/measures';
import { promptTokens } from '../pricing/cost';
import type { ClientProtocol } from '../protocols/client-protocol';
import type { ClientRequest } from '../protocols/client-protocols';
import { type CountedPart, type MediaSource, NOTHING_COUNTED } from '../protocols/measure-size';
import type { Json, TokenUsage } from '../protocols/neutral';
import { asArray, asObject, asText, isObject } from '../protocols/read-fields';
import type { ClientHeaders } from '../providers/exchange';
import { tokenKindOf } from '../providers/formats';
import type { Candidates } from './candidates';

/**
 * What providers have counted of the prompts of the last hour. An agent sends its whole conversation with each step,
 * so that the count of one step is that of the beginning of the next, and only what is new must be bounded.
 *
 * A prompt is a chain: the options that may change what the model reads, and then each message. Its keyed hashes
 * include the user key, so that nobody learns what others have sent. Kept are hashes and counts, per process: another
 * instance bounds the whole prompt.
 */

const SECRET = randomBytes(32).toString('base64');
const MAX_PROMPTS = 20_000;
/** Each has a hash of its own, which takes some 2 µs more than its bytes. */
const MAX_MESSAGES = 5_000;
const MAX_AGE_MS = 60 * MINUTE_MS;
/** Providers keep what was cached for five minutes at least, counted from its last use. */
const CACHED_MS = 5 * MINUTE_MS - 30 * SECOND_MS;

type Counted = { tokens: number; cachedTokens: number; charge: Microcredits; atMs: number };
/** By the hash of the whole prompt, the least recently used first. */
const counts = new Map<string, Counted>();

/** A prompt whose count may be kept, with what is known of its beginning. */
export type ChainedPrompt = {
  /** The hash of each of its beginnings, the shortest first. */
  chain: readonly string[];
  counted: CountedPart;
  /** The tokens of the beginning that the provider should read from its cache. */
  cachedTokens: number;
  /** Whether the hold relies on that. */
  trustsCache: boolean;
  /** What the request of that beginning was charged, as a likely charge of the next one; null if none is known. */
  lastCharge: Microcredits | null;
};

/** Null if the count of a part may differ from one request to the next. */
export function findCounted(
  keyHash: Buffer,
  protocol: ClientProtocol<ClientRequest>,
  client: ClientRequest,
  headers: ClientHeaders,
  candidates: Candidates,
): ChainedPrompt | null {
  const messages = protocol.messages(client);
  if (messages.length > MAX_MESSAGES || !isChained(protocol, client)) return null;
  const chain = hashChain(keyHash, client, headers, messages);
  const length = chain.findLastIndex((each) => isFresh(counts.get(each))) + 1;
  const newest = chain[length - 1] ?? '';
  const known = counts.get(newest);
  if (known === undefined)
    return { chain, counted: NOTHING_COUNTED, cachedTokens: 0, trustsCache: false, lastCharge: null };
  counts.delete(newest);
  counts.set(newest, known);
  const isCached =
    known.atMs > now() - CACHED_MS &&
    readsCache(client, messages.slice(Math.max(0, length - 2)), known, candidates);
  const cachedTokens = isCached ? known.cachedTokens : 0;
  return {
    chain,
    counted: { elements: length, tokens: countElsewhere(known.tokens, candidates) },
    cachedTokens,
    trustsCache: cachedTokens > 0 && isTrusted(candidates[0].model.id),
    lastCharge: known.charge,
  };
}

/** What is known with the media of the rest. Claude finds no messages in its cache once an image follows. */
export function withMedia(prompt: ChainedPrompt, media: MediaSource): ChainedPrompt | null {
  if (media === 'fetched') return null;
  return media === 'none' ? prompt : { ...prompt, cachedTokens: 0 };
}

const isFresh = (known: Counted | undefined): boolean =>
  known !== undefined && known.atMs > now() - MAX_AGE_MS;

/** The provider may search, or shorten the conversation as it sees fit. */
function isChained(protocol: ClientProtocol<ClientRequest>, client: ClientRequest): boolean {
  const { context_management: edits, truncation } = client.body as Json;
  return (
    protocol.modelType === 'language' &&
    protocol.searches(client) === 0 &&
    (edits === undefined || edits === null) &&
    truncation !== 'auto'
  );
}

/** Other providers of a model add a little more around its messages. */
const countElsewhere = (tokens: number, candidates: Candidates): number =>
  candidates.length === 1 ? tokens : Math.ceil(1.02 * tokens) + 64;

/** Claude finds what was cached at most this many parts before a breakpoint. */
const LOOKBACK_PARTS = 20;

/**
 * Whether the provider looks for the known beginning in its cache; `added` is what follows, with the last known message.
 * A fallback has nothing cached.
 */
function readsCache(
  { format, body }: ClientRequest,
  [last, ...added]: readonly unknown[],
  { tokens, cachedTokens }: Counted,
  [called, ...fallbacks]: Candidates,
): boolean {
  if (fallbacks.length > 0) return false;
  if (tokenKindOf(called) !== 'anthropic') return !marksByHand(body);
  const isMarked = (message: unknown) => hasBreakpoint(message, format);
  if (![last, ...added].some(isMarked) && !isMarkedAtEnd(format, body)) return false;
  // Each part after the last breakpoint of the known beginning has at least one token.
  const uncached = tokens - cachedTokens;
  return added.reduce((sum: number, message) => sum + countParts(message), uncached) < LOOKBACK_PARTS;
}

/** OpenAI then looks only for what has a breakpoint. */
const marksByHand = (body: object): boolean =>
  asObject((body as Json).prompt_cache_options).mode === 'explicit';

/** Calls and thoughts become parts, too, and a tool's result is a single one. */
function countParts(message: unknown): number {
  const { role, content, ...rest } = asObject(message);
  const own = role === 'tool' ? 1 : Math.max(1, asArray(content).length);
  return Object.values(rest).reduce((sum: number, value) => sum + asArray(value).length, own);
}

/** Remembers what the provider reported for the whole prompt. */
export function noteCounted(
  { chain, cachedTokens }: ChainedPrompt,
  modelId: string,
  { usage, charge, readAtMs }: { usage: TokenUsage; charge: Microcredits; readAtMs: number },
): void {
  const isMissed = usage.cacheRead + CACHE_STEP < cachedTokens;
  if (cachedTokens > 0) noteCacheUse(modelId, isMissed);
  const whole = chain.at(-1) ?? '';
  counts.delete(whole);
  counts.set(whole, {
    tokens: promptTokens(usage),
    // What was missed once is not relied on before it was read.
    cachedTokens: isMissed ? 0 : usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
    charge,
    atMs: readAtMs,
  });
  const [oldest] = counts.keys();
  if (counts.size > MAX_PROMPTS && oldest !== undefined) counts.delete(oldest);
}

/** Caches are read in steps of as many tokens. */
const CACHE_STEP = 128;

/** How often a beginning that should have been cached was, by model. */
type CacheUse = { expected: number; missed: number };
const cacheUses = new Map<string, CacheUse>();
/** Older uses count half. */
const MAX_USES = 10_000;

function noteCacheUse(modelId: string, isMissed: boolean): void {
  const use = cacheUses.get(modelId) ?? { expected: 0, missed: 0 };
  cacheUses.set(modelId, use);
  use.expected++;
  if (isMissed) use.missed++;
  expectedCacheReads.add(modelId, isMissed ? 'missed' : 'read');
  if (use.expected < MAX_USES) return;
  use.expected /= 2;
  use.missed /= 2;
}

/**
 * After the first miss, the rate must be below the limit whenever it is compared, and so with two standard deviations more
 * than what was seen. With three misses more, one miss in 100 was trusted at two of five reads in the long run.
 */
function isTrusted(modelId: string): boolean {
  const percent = settings().CACHE_MISS_PERCENT;
  const { expected, missed } = cacheUses.get(modelId) ?? { expected: 0, missed: 0 };
  return percent > 0 && (missed < 0.5 || 100 * (missed + 2 * Math.sqrt(missed) + 3) < percent * expected);
}

/** The fields that do not change what the model reads. */
const UNREAD_FIELDS = new Set([
  'messages',
  'input',
  'system',
  'instructions',
  'stream',
  'stream_options',
  'store',
  'metadata',
  'user',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'stop',
  'stop_sequences',
  'usage',
  'include',
  'previous_response_id',
  'service_tier',
  'cache_control',
  'safety_identifier',
]);

function hashChain(
  keyHash: Buffer,
  { format, body }: ClientRequest,
  headers: ClientHeaders,
  messages: readonly unknown[],
): string[] {
  const options = Object.entries(body)
    .filter(([name]) => !UNREAD_FIELDS.has(name))
    .map(([name, value]) => [name, name === 'tools' ? asArray(value).map(withoutBreakpoint) : value]);
  let before = `${SECRET}${keyHash.toString('base64')}${format}`;
  const add = (element: unknown): string => {
    before = hash('sha256', before + writeElement(element), 'base64');
    return before;
  };
  return [[options, headers], ...messages.map(withoutBreakpoints)].map(add);
}

/** With the length of each text and list, so that no two elements are written alike. `JSON.stringify` takes twice as long. */
function writeElement(value: unknown): string {
  if (typeof value === 'string') return `"${value.length}:${value}`;
  if (typeof value !== 'object' || value === null) return `${String(value)},`;
  if (Array.isArray(value)) {
    let text = `[${value.length}:`;
    for (const item of value) text += writeElement(item);
    return text;
  }
  const fields = value as Json;
  const names = Object.keys(fields);
  let text = `{${names.length}:`;
  for (const name of names) text += writeElement(name) + writeElement(fields[name]);
  return text;
}

const BREAKPOINTS = ['cache_control', 'prompt_cache_breakpoint'] as const;

/** Agents move their breakpoints with each step. A message, its parts and those of a tool's result may have one. */
function withoutBreakpoints(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(withoutBreakpoints);
  const own = withoutBreakpoint(message);
  if (!isObject(own) || !Array.isArray(own.content)) return own;
  return Object.assign({}, own, { content: own.content.map(withoutBreakpoints) });
}

function withoutBreakpoint(value: unknown): unknown {
  if (!isObject(value) || BREAKPOINTS.every((name) => value[name] === undefined)) return value;
  const { cache_control: _, prompt_cache_breakpoint: __, ...rest } = value;
  return rest;
}

/** A breakpoint that reaches Claude. */
function hasBreakpoint(message: unknown, format: ClientRequest['format']): boolean {
  const parts = Array.isArray(message) ? message : asArray(asObject(message).content);
  return parts.map(asObject).some((part) => isMarkedPart(part, format) || hasBreakpoint(part, format));
}

/** Blank texts are not sent from other formats. */
const isMarkedPart = (part: Json, format: ClientRequest['format']): boolean =>
  format === 'messages'
    ? isObject(part.cache_control)
    : BREAKPOINTS.some((name) => isObject(part[name])) && asText(part.text).trim() !== '';

/** The whole request sets one at its end. */
const isMarkedAtEnd = (format: ClientRequest['format'], body: object): boolean =>
  format === 'messages' && isObject((body as Json).cache_control);
