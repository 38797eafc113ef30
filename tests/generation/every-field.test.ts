import { expect, test } from 'vitest';
import type { Json } from '@/server/protocols/neutral';
import { configureVendors } from '../harness/honest/upstream';
import { plainPdf } from '../harness/honest/write-pdf';
import { billOf, type Held, planAndPrepare } from './plan-and-prepare';
import type { ApiRequest } from './random-requests';

/** Each value of a rich request is replaced by much of something else: nothing that is billed is free. */

configureVendors('http://127.0.0.1:9');

/** Enough that what is held too generously for the replaced value stays below the 5% that `isMeasured` tolerates. */
const MANY = 6_000;
const PDF = plainPdf(['Page']).file.toString('base64');
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SCHEMA = { type: 'object', properties: { place: { type: 'string' } } };
const text = (words: string) => ({ type: 'text', text: words });

const CHAT: Json = {
  max_tokens: 50,
  stop: ['END'],
  messages: [
    { role: 'system', content: [text('Be brief')] },
    {
      role: 'user',
      name: 'ann',
      content: [
        text('Hi'),
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: PDF } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      refusal: 'No',
      reasoning_details: [{ type: 'reasoning.text', text: 'Hm', signature: 's' }],
      tool_calls: [{ id: 'call_12345', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
    },
    { role: 'tool', tool_call_id: 'call_12345', content: [text('sunny')] },
    { role: 'system', content: [text('Be brief')] },
    { role: 'assistant', content: 'Yo', function_call: { name: 'g', arguments: '{"a":1}' } },
    { role: 'function', name: 'g', content: 'rainy' },
    { role: 'user', content: 'And?' },
  ],
  tools: [{ type: 'function', function: { name: 'f', description: 'F', parameters: SCHEMA } }],
  functions: [{ name: 'g', description: 'G', parameters: SCHEMA }],
  tool_choice: {
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
  },
  response_format: { type: 'json_schema', json_schema: { name: 'r', schema: SCHEMA } },
};

const MESSAGES: Json = {
  max_tokens: 50,
  stop_sequences: ['END'],
  system: [text('Be brief')],
  messages: [
    {
      role: 'user',
      content: [
        text('Hi'),
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        {
          type: 'document',
          title: 'T',
          context: 'C',
          source: { type: 'base64', media_type: 'application/pdf', data: PDF },
        },
        { type: 'document', title: 'T', context: 'C', source: { type: 'content', content: [text('Page')] } },
        { type: 'document', title: 'T', context: 'C', source: { type: 'text', data: 'Page' } },
        { type: 'search_result', title: 'T', source: 'https://example.com/', content: [text('Found')] },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 's' },
        { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1, b: ['c'] } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: false, content: [text('sunny')] }],
    },
    { role: 'system', content: [text('Be brief')] },
    { role: 'user', content: 'And?' },
  ],
  tools: [{ name: 'f', description: 'F', input_schema: SCHEMA }],
  tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
  output_config: { format: { type: 'json_schema', schema: SCHEMA } },
};

const MUCH: Record<string, unknown> = {
  text: '1 2 3 4 5 '.repeat(MANY / 5),
  'JSON of numbers with exponents': JSON.stringify({ a: 0 }).replace('0', `[${'9e20,'.repeat(4_000)}1e99]`),
  'nothing, often': Array(MANY).fill(null),
  'an object of flags': { a: Array(MANY).fill(false) },
  'an object of empty objects': { a: Array(MANY).fill({}) },
  texts: Array(MANY / 10).fill(text('a')),
};

type Path = readonly (string | number)[];

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  const paths = inner.flatMap(([step, item]) => pathsIn(item, [...path, step]));
  return path.length === 0 ? paths : [path, ...paths];
}

function replaceAt(value: unknown, [step, ...rest]: Path, other: unknown): unknown {
  if (step === undefined) return other;
  if (Array.isArray(value))
    return value.map((item, at) => (at === step ? replaceAt(item, rest, other) : item));
  return { ...(value as Json), [step]: replaceAt((value as Json)[step], rest, other) };
}

const MODELS = ['anthropic/claude-sonnet-4-5', 'openai/gpt-4.1'];
const LENIENT = 'mistral/mistral-large-2512';
const FORMATS = [
  { path: '/v1/chat/completions', rich: CHAT },
  { path: '/v1/messages', rich: MESSAGES },
] as const;

test.each(FORMATS.flatMap(({ path, rich }) => [...MODELS, LENIENT].map((model) => ({ path, rich, model }))))(
  'whatever a field of $path contains, $model bills no more for it than is held',
  { timeout: 120_000 },
  async ({ path, rich, model }) => {
    const request = (body: unknown): ApiRequest => ({ path, body: { model, ...(body as Json) } });
    const base = model === LENIENT ? withoutFiles(rich) : rich;
    const usual = (await planAndPrepare(request(base))) as Held;
    expect(usual).not.toBeNull();
    const uncovered: string[] = [];
    for (const place of pathsIn(base)) {
      for (const [what, value] of Object.entries(MUCH)) {
        const held = await planAndPrepare(request(replaceAt(base, place, value)));
        if (held === null) continue;
        const more = held.plan.inputCost - usual.plan.inputCost;
        const billed = billOf(held, 0) - billOf(usual, 0);
        const isCovered = held.plan.inputCost >= billOf(held, 0);
        // What was replaced had been held for generously.
        const isMeasured = billed <= 0n || 20n * more >= 19n * billed;
        if (!isCovered || !isMeasured)
          uncovered.push(`${place.join('.')}: ${what}, ${billed} billed, ${more} held`);
      }
    }
    expect(uncovered).toEqual([]);
  },
);

/** For a provider that takes no PDF. */
const withoutFiles = (body: Json): Json =>
  JSON.parse(JSON.stringify(body), (_, value) =>
    Array.isArray(value)
      ? value.filter(({ type, source } = {}) => type !== 'file' && source?.type !== 'base64')
      : value,
  ) as Json;
