import { expect, test } from 'vitest';
import { CLIENT_PROTOCOLS } from '@/server/gateway/protocols/client-protocols';
import { writeExactly } from '@/server/gateway/protocols/exact-numbers';
import type { Json } from '@/server/gateway/protocols/neutral';
import { CHAT, MESSAGES, type Path, pathsIn, replaceAt } from '../../gateway/run/rich-requests';
import { exchange } from '../../gateway/wire/exchange-harness';
import { findGrowth } from '../../harness/growth';

/**
 * Every list of a rich request is made longer, every object wider and every text larger, and the request is read,
 * measured and written for providers of each format. Whether it is refused does not matter.
 */

const COUNT = 600;

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, step) => (inner as Record<string, unknown>)[step], value);

const NAMES = new Set(['id', 'name', 'call_id', 'tool_call_id', 'tool_use_id', 'title']);

/** The same with other ids and names, and a cache breakpoint. */
function vary(value: unknown, count: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify({ ...value, cache_control: { type: 'ephemeral' } });
  return JSON.parse(text, (key, inner) =>
    NAMES.has(key) && typeof inner === 'string' ? `${inner}_${count}` : inner,
  );
}

type Enlargement = (value: unknown, count: number) => unknown;

const repeatEach =
  (change: Enlargement): Enlargement =>
  (value, count) =>
    (value as unknown[]).flatMap((item) => Array.from({ length: count }, (_, n) => change(item, n)));

const ENLARGEMENTS: Record<string, { fits: (value: unknown) => boolean; enlarge: Enlargement }> = {
  'equal items': { fits: Array.isArray, enlarge: repeatEach((item) => item) },
  'other items': { fits: Array.isArray, enlarge: repeatEach(vary) },
  'rounds of items': {
    fits: Array.isArray,
    enlarge: (value, count) => Array.from({ length: count }, () => value as unknown[]).flat(),
  },
  fields: {
    fits: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    enlarge: (value, count) => {
      const [sample = { type: 'string' }] = Object.values(value as Json);
      const more = Array.from({ length: count }, (_, n) => [`field_${n}`, sample] as const);
      return { ...(value as Json), ...Object.fromEntries(more) };
    },
  },
  characters: {
    fits: (value) => typeof value === 'string',
    enlarge: (value, count) => (value as string).repeat((16 * count) / Math.max(1, (value as string).length)),
  },
};

const RESPONSES: Json = {
  instructions: 'Be brief',
  include: ['reasoning.encrypted_content'],
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'x' },
    { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":1}' },
    { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'sunny' }] },
    { type: 'item_reference', id: 'msg_1' },
    { role: 'developer', content: 'Be brief' },
    { role: 'user', content: 'And?' },
  ],
  tools: [
    { type: 'function', name: 'f', description: 'F', parameters: { type: 'object', properties: {} } },
    { type: 'namespace', name: 'n', tools: [{ type: 'custom', name: 'c' }] },
  ],
  metadata: { a: 'b' },
};

const FORMATS = { chat: CHAT, messages: MESSAGES, responses: RESPONSES };
const PROVIDERS = ['anthropic', 'openai', 'mistral'];

function pass(format: keyof typeof FORMATS, request: Json, provider: string): void {
  const upstreamModel = provider === 'anthropic' ? 'claude-sonnet-4-5' : 'gpt-4.1';
  try {
    CLIENT_PROTOCOLS[format].measure(CLIENT_PROTOCOLS[format].validate(request));
    writeExactly(exchange(format, request, { provider, upstreamModel }).body);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
  }
}

test.each(
  PROVIDERS.flatMap((provider) =>
    Object.entries(FORMATS).map(([format, rich]) => ({
      format: format as keyof typeof FORMATS,
      rich,
      provider,
    })),
  ),
)(
  'whatever a $format request for $provider has many of takes linear time @attack',
  ({ format, rich, provider }) => {
    const base = { model: 'some/m', ...rich };
    const slow: string[] = [];
    for (const place of pathsIn(base)) {
      const value = valueAt(base, place);
      for (const [what, { fits, enlarge }] of Object.entries(ENLARGEMENTS)) {
        if (!fits(value)) continue;
        const make = (count: number) => {
          const request = replaceAt(base, place, enlarge(value, count)) as Json;
          return () => pass(format, request, provider);
        };
        const growth = findGrowth(make, COUNT);
        if (growth !== null) slow.push(`${place.join('.')}: ${what}, ${growth} times`);
      }
    }
    expect(slow).toEqual([]);
  },
  600_000,
);
