import { expect, test } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import { configureVendors } from '../../harness/honest/upstream';
import { billOf, type Held, planAndPrepare } from './plan-and-prepare';
import type { ApiRequest } from './random-requests';
import { CHAT, MESSAGES, pathsIn, replaceAt, text } from './rich-requests';

/** Each value of a rich request is replaced by much of something else: nothing that is billed is free. */

configureVendors('http://127.0.0.1:9');

/** Enough that what is held too generously for the replaced value stays below the 5% that `isMeasured` tolerates. */
const MANY = 6_000;
const MUCH: Record<string, unknown> = {
  text: '1 2 3 4 5 '.repeat(MANY / 5),
  'JSON of numbers with exponents': JSON.stringify({ a: 0 }).replace('0', `[${'9e20,'.repeat(4_000)}1e99]`),
  'nothing, often': Array(MANY).fill(null),
  'an object of flags': { a: Array(MANY).fill(false) },
  'an object of empty objects': { a: Array(MANY).fill({}) },
  texts: Array(MANY / 10).fill(text('a')),
};

const MODELS = ['anthropic/claude-sonnet-4-5', 'openai/gpt-4.1'];
const LENIENT = 'mistral/mistral-large-2512';
const FORMATS = [
  { path: '/v1/chat/completions', rich: CHAT },
  { path: '/v1/messages', rich: MESSAGES },
] as const;

test.each(FORMATS.flatMap(({ path, rich }) => [...MODELS, LENIENT].map((model) => ({ path, rich, model }))))(
  'whatever a field of $path contains, $model bills no more for it than is held @attack',
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
