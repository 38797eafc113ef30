import { z } from 'zod';
import type { ProviderName } from '../../base/endpoints';
import { readCsv } from '../../base/http/read-csv';
import { NO_TOKENS, type TokenUsage } from '../../gateway/protocols/neutral';

/** What a provider billed, from its export: CSV or JSON of OpenAI, Anthropic or OpenRouter. */

export type BillLine = {
  /** UTC, as `2026-11-21`. */
  day: string;
  /** The provider's name for the model; empty for a cost that belongs to none, such as a search. */
  model: string;
  /** In picocredits, 10⁻¹⁴ US dollars; a usage export has tokens instead. */
  billed: bigint | TokenUsage;
  /** Where the line is in the file. */
  place: string;
};

export type Bill = {
  provider: ProviderName;
  lines: BillLine[];
  /** The export says that it is not complete. */
  hasMore: boolean;
};

/** The file is not a bill that can be read. The message says what was wrong, where, and what is expected. */
export class UnreadableBill extends Error {
  override name = 'UnreadableBill';
}

export function readBill(text: string): Bill {
  return /^\s*[[{]/.test(text.replace(/^\uFEFF/, '')) ? readJsonBill(text) : readCsvBill(text);
}

type CsvFormat = {
  provider: ProviderName;
  day: string;
  model: string;
  read: (cell: (column: string) => string, place: string) => BillLine['billed'] | null;
  columns: readonly string[];
};

/** Recognised by their columns. */
const CSV_FORMATS: readonly CsvFormat[] = [
  {
    provider: 'openai',
    day: 'start_time_iso',
    model: 'line_item',
    columns: ['amount_value', 'amount_currency'],
    read(cell, place) {
      // A day without costs.
      if (cell('amount_value') === '') return null;
      requireUsd(cell('amount_currency'), `${place}: amount_currency`);
      return readUsd(cell('amount_value'), `${place}: amount_value`);
    },
  },
  {
    provider: 'openai',
    day: 'start_time_iso',
    model: 'model',
    columns: ['input_tokens', 'input_cached_tokens', 'output_tokens'],
    read(cell, place) {
      if (cell('model') === '') return null;
      const tokens = (column: string) => readTokens(cell(column), `${place}: ${column}`);
      return openAiUsage(tokens('input_tokens'), tokens('input_cached_tokens'), tokens('output_tokens'));
    },
  },
  {
    provider: 'anthropic',
    day: 'usage_date_utc',
    model: 'model',
    columns: ['cost_usd'],
    read: (cell, place) => readUsd(cell('cost_usd'), `${place}: cost_usd`),
  },
  {
    provider: 'anthropic',
    day: 'usage_date_utc',
    model: 'model_version',
    columns: ['usage_input_tokens_no_cache', 'usage_output_tokens'],
    read(cell, place) {
      const tokens = (column: string) => readTokens(cell(column) || '0', `${place}: ${column}`);
      return {
        ...NO_TOKENS,
        input: tokens('usage_input_tokens_no_cache'),
        cacheRead: tokens('usage_input_tokens_cache_read'),
        cacheWrite5m: tokens('usage_input_tokens_cache_write_5m'),
        cacheWrite1h: tokens('usage_input_tokens_cache_write_1h'),
        output: tokens('usage_output_tokens'),
      };
    },
  },
  {
    provider: 'openrouter',
    day: 'created_at',
    model: 'model_permaslug',
    columns: ['cost_total'],
    read: (cell, place) => readUsd(cell('cost_total'), `${place}: cost_total`),
  },
  {
    provider: 'openrouter',
    day: 'date',
    model: 'model',
    columns: ['usage'],
    read: (cell, place) => readUsd(cell('usage'), `${place}: usage`),
  },
];

const columnsOf = ({ day, model, columns }: CsvFormat): string[] => [day, model, ...columns];

function readCsvBill(text: string): Bill {
  const { columns, rows } = parseCsv(text);
  const format = CSV_FORMATS.find((some) => columnsOf(some).every((name) => columns.includes(name)));
  if (format === undefined) {
    const known = CSV_FORMATS.map((some) => `${columnsOf(some).join(', ')} (${some.provider})`);
    throw new UnreadableBill(`line 1: expected the columns ${known.join(' or ')}`);
  }
  const lines = rows.flatMap(({ line, cells }) => {
    const place = `line ${line}`;
    const cell = (column: string) => cells.get(column)?.trim() ?? '';
    const billed = format.read(cell, place);
    if (billed === null) return [];
    const model = modelOf(format.provider, cell(format.model), `${place}: ${format.model}`);
    return [{ day: readDay(cell(format.day), `${place}: ${format.day}`), model, billed, place }];
  });
  return { provider: format.provider, lines, hasMore: false };
}

function parseCsv(text: string): ReturnType<typeof readCsv> {
  try {
    return readCsv(text);
  } catch (error) {
    throw new UnreadableBill(error instanceof Error ? error.message : String(error));
  }
}

const decimal = z.union([z.number(), z.string()]).transform(String);
const page = { has_more: z.boolean().nullish() };

const openAiPage = z.object({
  ...page,
  data: z.array(
    z.object({
      start_time: z.int(),
      results: z.array(
        z.discriminatedUnion('object', [
          z.object({
            object: z.literal('organization.costs.result'),
            amount: z.object({ value: decimal, currency: z.string() }),
            line_item: z.string().nullish(),
          }),
          z.object({
            object: z.literal('organization.usage.completions.result'),
            model: z.string({ error: 'expected a model: group the usage by model' }),
            input_tokens: z.int(),
            input_cached_tokens: z.int().default(0),
            output_tokens: z.int(),
          }),
        ]),
      ),
    }),
  ),
});

const anthropicCosts = z.object({
  ...page,
  data: z.array(
    z.object({
      starting_at: z.string(),
      results: z.array(z.object({ amount: decimal, currency: z.string(), model: z.string().nullish() })),
    }),
  ),
});

const openRouterActivity = z.object({
  ...page,
  data: z.array(z.object({ date: z.string(), model: z.string(), usage: decimal })),
});

/** One page of an export, or a list of pages. */
function readJsonBill(text: string): Bill {
  const parsed = parseJson(text);
  const pages = (Array.isArray(parsed) ? parsed : [parsed]).map((one, i) =>
    readPage(one, Array.isArray(parsed) ? `[${i}].` : ''),
  );
  const [first] = pages;
  if (first === undefined) throw new UnreadableBill('expected at least one page of an export');
  const other = pages.find(({ provider }) => provider !== first.provider);
  if (other)
    throw new UnreadableBill(`expected pages of one provider, not ${first.provider} and ${other.provider}`);
  return {
    provider: first.provider,
    lines: pages.flatMap(({ lines }) => lines),
    hasMore: pages.at(-1)?.hasMore === true,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    throw new UnreadableBill(`line ${text.slice(0, position).split('\n').length}: expected JSON`);
  }
}

function readPage(value: unknown, place: string): Bill {
  const [entry] = z.object({ data: z.array(z.looseObject({})).min(1) }).safeParse(value).data?.data ?? [];
  if (entry === undefined) throw new UnreadableBill(`${place}data: expected a list that is not empty`);
  if ('usage' in entry) return readOpenRouterPage(value, place);
  if ('starting_at' in entry) return readAnthropicPage(value, place);
  if ('start_time' in entry) return readOpenAiPage(value, place);
  throw new UnreadableBill(
    `${place}data[0]: expected start_time (OpenAI costs), starting_at (Anthropic cost report) or usage (OpenRouter activity)`,
  );
}

function readOpenAiPage(value: unknown, start: string): Bill {
  const { data, has_more } = parseAs(openAiPage, value, start);
  const lines = data.flatMap(({ start_time, results }, i) =>
    results.map((result, j) => {
      const place = `${start}data[${i}].results[${j}]`;
      const day = new Date(start_time * 1000).toISOString().slice(0, 10);
      if (result.object === 'organization.usage.completions.result') {
        const { model, input_tokens, input_cached_tokens, output_tokens } = result;
        return { day, model, billed: openAiUsage(input_tokens, input_cached_tokens, output_tokens), place };
      }
      requireUsd(result.amount.currency, `${place}.amount.currency`);
      const model = modelOf('openai', result.line_item ?? '', `${place}.line_item`);
      return { day, model, billed: readUsd(result.amount.value, `${place}.amount.value`), place };
    }),
  );
  return { provider: 'openai', lines, hasMore: has_more === true };
}

/** Amounts are in cents. */
function readAnthropicPage(value: unknown, start: string): Bill {
  const { data, has_more } = parseAs(anthropicCosts, value, start);
  const lines = data.flatMap(({ starting_at, results }, i) =>
    results.map(({ amount, currency, model }, j) => {
      const place = `${start}data[${i}].results[${j}]`;
      requireUsd(currency, `${place}.currency`);
      return {
        day: readDay(starting_at, `${start}data[${i}].starting_at`),
        model: modelOf('anthropic', model ?? '', place),
        billed: readUsd(amount, `${place}.amount`) / 100n,
        place,
      };
    }),
  );
  return { provider: 'anthropic', lines, hasMore: has_more === true };
}

function readOpenRouterPage(value: unknown, start: string): Bill {
  const { data, has_more } = parseAs(openRouterActivity, value, start);
  const lines = data.map(({ date, model, usage }, i) => {
    const place = `${start}data[${i}]`;
    return {
      day: readDay(date, `${place}.date`),
      model,
      billed: readUsd(usage, `${place}.usage`),
      place,
    };
  });
  return { provider: 'openrouter', lines, hasMore: has_more === true };
}

function parseAs<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  const message = issue?.message.replace(/^Invalid input: /, '');
  throw new UnreadableBill(`${place}${path.join('').replace(/^\./, '')}: ${message}`);
}

/**
 * A line item of OpenAI names the model and the kind of token, as in `gpt-5.4-2026-03-05, cached input`; the
 * console of Anthropic writes `Claude Sonnet 4.5`.
 */
function modelOf(provider: ProviderName, text: string, place: string): string {
  if (provider === 'anthropic') return text.toLowerCase().replace(/[ .]+/g, '-');
  if (provider !== 'openai') return text;
  if (text === '') throw new UnreadableBill(`${place}: expected a model: group the costs by line item`);
  return text.split(',')[0] ?? '';
}

/** Cached tokens are part of the input. */
const openAiUsage = (input: number, cached: number, output: number): TokenUsage => ({
  ...NO_TOKENS,
  input: input - cached,
  cacheRead: cached,
  output,
});

function readTokens(text: string, place: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new UnreadableBill(`${place}: expected a number of tokens, not "${text}"`);
  return Number(text);
}

function requireUsd(currency: string, place: string): void {
  if (currency.toLowerCase() !== 'usd') throw new UnreadableBill(`${place}: expected usd, not "${currency}"`);
}

function readDay(text: string, place: string): string {
  const day = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(text)?.[0];
  if (day === undefined || Number.isNaN(Date.parse(day))) {
    throw new UnreadableBill(`${place}: expected a date such as 2026-11-21, not "${text}"`);
  }
  return day;
}

const DECIMALS = 14;
const AMOUNT = /^(-?)(\d{1,12})(?:\.(\d+))?(?:e(-?\d{1,2}))?$/i;

/** Decimals beyond a picocredit are cut off. */
function readUsd(text: string, place: string): bigint {
  const match = AMOUNT.exec(text);
  if (match === null) throw new UnreadableBill(`${place}: expected an amount in US dollars, not "${text}"`);
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const shift = DECIMALS + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign === '-' ? -amount : amount;
}
