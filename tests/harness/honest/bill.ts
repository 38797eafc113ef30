import type { Picocredits } from '@/server/base/credits';
import { findCatalogModel } from '@/server/gateway/pricing/catalog';
import type { Json } from '@/server/gateway/protocols/neutral';
import { countTokens } from './count-tokens';
import { imageTokens, sizeOf } from './images';
import { readPdf } from './read-pdf';

/** What a provider bills for a request, counted from the body that it received. */

export type Vendor = 'openai' | 'anthropic' | 'google' | 'xai' | 'openrouter' | 'mistral';

export type TokenBill = {
  input: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  output: number;
};

const MESSAGE_TOKENS = 4;
/** The instructions that a vendor adds for tools. Anthropic publishes up to 346 for Claude 4. */
const TOOL_PROMPT_TOKENS = 346;
const CLIENT_TOOLS: readonly (readonly [RegExp, number])[] = [
  [/^(function|custom|namespace)$/, 0],
  [/^bash_/, 325],
  [/^text_editor_/, 700],
  [/^computer_/, 735],
  [/^memory_/, 700],
];
/** What the vendors bill for a search, and at most read of its results; and the instructions to search. */
const SEARCH_FEE = 1_000_000_000_000n;
const ROUTER_SEARCH_FEE = 700_000_000_000n;
export const SEARCH_TOKENS = 20_000;
const SEARCH_PROMPT_TOKENS = 2_000;
const SEARCH_TOOL = /^(?:openrouter:)?web_search(_\d{8}|_\d{4}_\d{2}_\d{2})?$/;
/** Anthropic pauses a turn after as many readings of the prompt. */
const MOST_READINGS = 10;
/** The context that OpenAI gives to all results. */
const MOST_RESULTS = 128_000;
/** What a tool that the provider runs adds: a fee of a cent, and the pages it reads. */
const SERVER_TOOL_TOKENS = 20_000;
const SERVER_TOOL_FEE = 1_000_000_000_000n;
/** A cache of the account, which the request only names. */
const ACCOUNT_CACHE_TOKENS = 100_000;
/** The documents that a URL may lead to. */
const UNSEEN_DOCUMENT = { pages: 600, textTokens: 600_000 };
const PAGE = { width: 1_024, height: 1_448 };
/**
 * Claude's tokenizers are not public. The first one that was counts English as o200k does, and Anthropic
 * documents up to 1.35 times as many tokens for its newest.
 */
const CLAUDE_FACTOR = 1.35;

/** Tokens of everything that the model reads. */
export function countInput(vendor: Vendor, model: string, body: Json): { tokens: number; fees: bigint } {
  const counter = new Counter(vendor, model);
  counter.read(body);
  return { tokens: counter.tokens, fees: counter.fees };
}

class Counter {
  tokens = 0;
  fees = 0n;

  constructor(
    private readonly vendor: Vendor,
    private readonly model: string,
  ) {}

  read(body: Json): void {
    const messages = messagesOf(body);
    this.tokens += MESSAGE_TOKENS * (messages.length + 1);
    this.content(body.system);
    this.content(body.instructions);
    for (const message of messages) this.content(message);
    const tools = [...((body.tools as Json[]) ?? []), ...((body.functions as Json[]) ?? [])];
    if (tools.length > 0) this.tokens += TOOL_PROMPT_TOKENS;
    // A deferred tool is read once a result refers to it.
    const referred = JSON.stringify(messages);
    const isRead = ({ defer_loading, name }: Json) =>
      defer_loading !== true || referred.includes(`"tool_name":"${name}"`);
    for (const tool of tools.filter(isRead)) this.tool(tool);
    const formats = [body.output_config, body.text].map((options) => ((options ?? {}) as Json).format);
    const choices = [body.tool_choice, body.function_call];
    for (const schema of [body.response_format, body.output_format, ...formats, ...choices])
      if (schema != null) this.text(JSON.stringify(schema));
    if (/cached_content/.test(JSON.stringify({ ...body, messages: [], input: [] })))
      this.tokens += ACCOUNT_CACHE_TOKENS;
  }

  private tool(tool: Json): void {
    const type = typeof tool.type === 'string' ? tool.type : this.vendor === 'google' ? 'none' : 'function';
    const known = CLIENT_TOOLS.find(([names]) => names.test(type));
    this.text(JSON.stringify(tool));
    if (SEARCH_TOOL.test(type)) {
      this.tokens += Math.ceil(SEARCH_PROMPT_TOKENS * (this.vendor === 'anthropic' ? CLAUDE_FACTOR : 1));
      return;
    }
    this.tokens += known?.[1] ?? SERVER_TOOL_TOKENS;
    if (known === undefined && !('name' in tool && type === 'function')) this.fees += SERVER_TOOL_FEE;
  }

  private text(text: string): void {
    this.tokens += this.vendor === 'anthropic' ? countClaudeTokens(text) : countTokens(text);
  }

  /** Every value is text, except the data of media. */
  private content(value: unknown): void {
    if (value === undefined) return;
    if (Array.isArray(value)) return value.forEach((item) => this.content(item));
    if (typeof value !== 'object' || value === null) return this.text(String(value));
    const part = value as Json;
    if (this.media(part)) return;
    for (const [name, inner] of Object.entries(part)) {
      // A template writes arguments as JSON, whatever they are.
      if (ARGUMENTS.has(name)) this.text(typeof inner === 'string' ? inner : JSON.stringify(inner));
      else if (!UNBILLED.has(name)) this.content(inner);
    }
  }

  private media(part: Json): boolean {
    const source = (part.source ?? {}) as Json;
    switch (part.type) {
      case 'image_url': {
        const image = part.image_url as Json | string;
        const { url, detail } = typeof image === 'string' ? { url: image, detail: null } : image;
        this.image(String(url), detail === 'low');
        return true;
      }
      case 'input_image':
        this.image(String(part.image_url), part.detail === 'low');
        return true;
      case 'input_file':
        this.document(String(part.file_data ?? part.file_url ?? ''), String(part.filename ?? ''));
        return true;
      case 'image':
        this.image(source.type === 'url' ? String(source.url) : `data:;base64,${source.data}`, false);
        return true;
      case 'file': {
        const file = part.file as Json;
        this.document(
          String(file.file_data ?? file.file_url ?? ''),
          JSON.stringify({ ...file, file_data: 0 }),
        );
        return true;
      }
      case 'document':
        if (source.type === 'text' || source.type === 'content') return false;
        this.document(String(source.data ?? source.url ?? ''), `${part.title ?? ''} ${part.context ?? ''}`);
        return true;
      default:
        return false;
    }
  }

  private image(url: string, isLowDetail: boolean): void {
    if (!url.startsWith('data:')) {
      this.tokens += imageTokens(this.model, null, isLowDetail);
      return;
    }
    const file = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
    const size = sizeOf(file);
    if (size) this.tokens += imageTokens(this.model, size, isLowDetail);
    else this.document(url, '');
  }

  /** Each page is shown as an image and as its text. A file of another kind is text. */
  private document(data: string, title: string): void {
    this.text(title);
    const isUrl = /^https?:/.test(data);
    const file = Buffer.from(data.slice(data.indexOf(',') + 1), 'base64');
    const pdf = isUrl ? null : readPdf(file);
    const pages = isUrl ? UNSEEN_DOCUMENT.pages : (pdf?.pages ?? 0);
    this.tokens += pages * imageTokens(this.model, PAGE);
    if (isUrl) this.tokens += UNSEEN_DOCUMENT.textTokens;
    else this.text(pdf?.text ?? file.toString('latin1'));
  }
}

/** A token has at least one byte, so the factor cannot apply to characters that are a token per byte already. */
function countClaudeTokens(text: string): number {
  const runs = text.match(/[ -~\s]+|[^ -~\s]+/g) ?? [];
  const tokens = runs.map((run) => Math.min(Buffer.byteLength(run), countTokens(run) * CLAUDE_FACTOR));
  return Math.ceil(tokens.reduce((sum, count) => sum + count, 0));
}

/** The messages, or the items of the responses format, of which text is one. */
function messagesOf({ messages, input }: Json): Json[] {
  if (messages !== undefined) return messages as Json[];
  return typeof input === 'string' ? [{ role: 'user', content: input }] : (input as Json[]);
}

const ARGUMENTS = new Set(['input', 'arguments']);
/** Fields that are part of the format rather than of the prompt. */
const UNBILLED = new Set(['role', 'type', 'cache_control', 'prompt_cache_breakpoint', 'signature', 'id']);

/** The most searches of a request; without a limit, the vendors run any number. */
export function mostSearches(body: Json): number {
  const tool = ((body.tools as Json[]) ?? []).find(({ type }) => SEARCH_TOOL.test(String(type)));
  if (tool === undefined) return 0;
  const { max_uses } = (tool.parameters ?? tool) as Json;
  return Number(max_uses ?? body.max_tool_calls ?? 1_000);
}

export const feesOf = (vendor: Vendor, searches: number): bigint =>
  BigInt(searches) * (vendor === 'openrouter' ? ROUTER_SEARCH_FEE : SEARCH_FEE);

type Searching = { vendor: Vendor; searches: number; output: number; context: number };

/** Every reading after the first includes the results and the output so far; here, all of them. */
export function mostInput(prompt: number, { vendor, searches, output, context }: Searching): number {
  if (searches === 0) return Math.min(context, prompt);
  const found = searches * SEARCH_TOKENS;
  const results = vendor === 'openai' ? Math.min(MOST_RESULTS, found) : found;
  const later = Math.min(context, prompt + results + output);
  // OpenAI and OpenRouter ignore calls beyond the limit, and read on after each of them.
  const readings = vendor === 'anthropic' ? MOST_READINGS - 1 : searches;
  return Math.min(context, prompt) + readings * later;
}

/** The exact cost at the list price of the catalogue. */
export function priceOf(id: string, tokens: TokenBill): Picocredits {
  const model = findCatalogModel(id);
  if (model === null) throw new Error(`The catalogue has no ${id}`);
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite5m + tokens.cacheWrite1h;
  const price = model.prices.tiers.findLast(({ above }) => prompt > above) ?? model.prices;
  const classes = ['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output'] as const;
  return classes.reduce((sum, name) => sum + BigInt(tokens[name]) * price[name], 0n) as Picocredits;
}
