import { expect, test } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import { isCompilable } from '@/server/gateway/providers/anthropic/json-schema';
import { exchange } from './exchange-harness';

/**
 * The time to translate a request grows with its size, whatever it contains. Each of these requests took
 * seconds to hours when a part of it was visited once per path or compared with all others.
 */

const LIMIT_MS = 5_000;
/** Of this process, so that what else the machine does counts for nothing. */
const cpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
};
const COUNT = 100_000;
const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const closed = (properties: Json): Json => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
});
const toDefinition = (n: number): Json => ({ $ref: `#/$defs/d${n}` });

/** A schema whose definition `n` is `define(n)`; the last one is a string unless `last` says otherwise. */
function withDefinitions(count: number, define: (n: number) => Json, last: Json = { type: 'string' }): Json {
  const $defs = Object.fromEntries(times(count, (n) => [`d${n}`, n < count - 1 ? define(n) : last]));
  return { ...closed({ x: toDefinition(0) }), $defs };
}
const twice = (n: number): Json => closed({ a: toDefinition(n + 1), b: toDefinition(n + 1) });
const once = (n: number): Json => closed({ a: toDefinition(n + 1) });

test('each definition of a schema is followed once, however many paths lead to it @attack', () => {
  const start = process.cpuUsage();
  expect(isCompilable(withDefinitions(60, twice))).toBe(true);
  expect(isCompilable(withDefinitions(60, twice, toDefinition(3)))).toBe(false);
  expect(isCompilable(withDefinitions(20_000, once))).toBe(true);
  expect(isCompilable(withDefinitions(20_000, once, toDefinition(0)))).toBe(false);
  expect(isCompilable(withDefinitions(3, twice, { $ref: '#' }))).toBe(false);
  expect(cpuMs(start)).toBeLessThan(LIMIT_MS);
});

const HI: Json = { role: 'user', content: 'Hi' };
const named = (n: number): Json => ({ type: 'function', function: { name: `f${n}` } });
const call = (id: string): Json => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const wide = closed(Object.fromEntries(times(COUNT, (n) => [`p${n}`, { type: 'string' }])));
const strict = { type: 'json_schema', json_schema: { name: 'r', strict: true, schema: wide } };
const chat = (more: Json): Json => ({ model: 'some/m', messages: [HI], ...more });

test.each<{ what: string; provider: string; request: Json }>([
  {
    what: 'results of one call id',
    provider: 'anthropic',
    request: chat({
      messages: [
        HI,
        { role: 'assistant', tool_calls: times(COUNT, () => call('same')) },
        ...times(COUNT, () => ({ role: 'tool', tool_call_id: 'same', content: 'ok' })),
      ],
    }),
  },
  {
    what: 'calls of the old format that are answered in the reverse order',
    provider: 'anthropic',
    request: chat({
      messages: [
        HI,
        ...times(COUNT / 2, (n) => ({
          role: 'assistant',
          content: null,
          function_call: { name: `f${n}`, arguments: '{}' },
        })),
        ...times(COUNT / 2, (n) => ({ role: 'function', name: `f${COUNT / 2 - 1 - n}`, content: 'ok' })),
      ],
    }),
  },
  {
    what: 'allowed tools',
    provider: 'anthropic',
    request: chat({
      tools: times(20_000, named),
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: times(20_000, named) } },
    }),
  },
  {
    what: 'system messages between the turns',
    provider: 'anthropic',
    request: chat({
      messages: times(COUNT, (n) => (n % 2 === 0 ? HI : { role: 'system', content: 'Note' })),
    }),
  },
  { what: 'required properties', provider: 'anthropic', request: chat({ response_format: strict }) },
])('$what for $provider are translated in linear time @attack', ({ provider, request }) => {
  const start = process.cpuUsage();
  exchange('chat', request, { provider, upstreamModel: 'claude-sonnet-4-5' });
  expect(cpuMs(start)).toBeLessThan(LIMIT_MS);
});

test.each<{ what: string; provider: string; request: Json }>([
  {
    what: 'system messages between the turns',
    provider: 'mistral',
    request: {
      model: 'some/m',
      max_tokens: 9,
      messages: times(COUNT, (n) => ({ role: n % 2 === 0 ? 'user' : 'system', content: 'Hi' })),
    },
  },
  {
    what: 'required properties',
    provider: 'openai',
    request: {
      model: 'some/m',
      max_tokens: 9,
      messages: [HI],
      output_config: { format: { type: 'json_schema', schema: wide } },
    },
  },
])('$what for $provider are translated in linear time @attack', ({ provider, request }) => {
  const start = process.cpuUsage();
  exchange('messages', request, { provider });
  expect(cpuMs(start)).toBeLessThan(LIMIT_MS);
});
