import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Json, NO_TOKENS, type TokenUsage } from '@/server/gateway/protocols/neutral';
import { type MeteredUsage, meteredUsage } from '@/server/gateway/providers/metered-usage';
import { CHAT, exchange, frameEvents, MESSAGES, relay } from './exchange-harness';

/** Providers report the usage of a response in parts, repeatedly, in odd forms, and with zeros in place of counts. */

type Truth = { fresh: number; cached: number; output: number; reasoning: number };
type Format = {
  name: string;
  /** The whole usage, as the format reports it. */
  write: (truth: Truth) => Json;
  whole: (usage: Json) => string;
  stream: (reports: readonly Json[]) => Json[];
  open: (isStream: boolean) => ReturnType<typeof exchange>;
  hasTotal: boolean;
};

const CHUNK = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
const chunk = (delta: Json, more: Json = {}) => ({ ...CHUNK, choices: [{ index: 0, delta, ...more }] });
const RESPONSE = { id: 'r', object: 'response', status: 'completed', model: 'm', error: null, output: [] };

const FORMATS: Format[] = [
  {
    name: 'chat',
    hasTotal: true,
    write: ({ fresh, cached, output, reasoning }) => ({
      prompt_tokens: fresh + cached,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens: output,
      completion_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: fresh + cached + output,
    }),
    whole: (usage) => JSON.stringify({ ...chunk({}), choices: [{ index: 0, message: {} }], usage }),
    stream: (reports) => [
      chunk({ role: 'assistant', content: '' }),
      ...reports.map((usage) => ({ ...CHUNK, choices: [], usage })),
      chunk({}, { finish_reason: 'stop' }),
    ],
    open: (stream) => exchange('chat', { ...CHAT, stream }, { provider: 'openai' }),
  },
  {
    name: 'messages',
    hasTotal: false,
    write: ({ fresh, cached, output, reasoning }) => ({
      input_tokens: fresh,
      cache_read_input_tokens: cached,
      output_tokens: output,
      output_tokens_details: { thinking_tokens: reasoning },
    }),
    whole: (usage) => JSON.stringify({ type: 'message', content: [], stop_reason: 'end_turn', usage }),
    stream: ([first, ...reports]) => [
      { type: 'message_start', message: { id: 'm', type: 'message', content: [], usage: first } },
      ...reports.map((usage) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })),
      { type: 'message_stop' },
    ],
    open: (stream) => exchange('messages', { ...MESSAGES, stream }, { provider: 'anthropic' }),
  },
  {
    name: 'responses',
    hasTotal: true,
    write: ({ fresh, cached, output, reasoning }) => ({
      input_tokens: fresh + cached,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: fresh + cached + output,
    }),
    whole: (usage) => JSON.stringify({ ...RESPONSE, usage }),
    stream: (reports) =>
      reports.map((usage, place) => ({
        type: place === reports.length - 1 ? 'response.completed' : 'response.in_progress',
        response: { ...RESPONSE, usage },
      })),
    open: (stream) => exchange('responses', { model: 'm', input: 'Hi', stream }, { provider: 'openai' }),
  },
];

const truths = fc
  .record({
    fresh: fc.integer({ min: 1, max: 50_000 }),
    cached: fc.integer({ min: 0, max: 50_000 }),
    output: fc.integer({ min: 1, max: 50_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ share, ...truth }) => ({ ...truth, reasoning: Math.floor(share * truth.output) }));

/** What a careless provider makes of a count. */
const damages = fc.constantFrom<((count: number) => unknown)[]>(
  (count) => count,
  (count) => count,
  (count) => String(count),
  () => undefined,
  () => null,
  () => 0,
  () => -1,
  () => 1.5,
  () => 2 ** 60,
  () => 'many',
  () => ({}),
);

/** A choice of damages for each count of a report, in the order of its members. */
const reports = fc.array(fc.array(damages, { minLength: 7, maxLength: 7 }), { minLength: 1, maxLength: 4 });

function damage(usage: Json, choices: readonly ((count: number) => unknown)[]): Json {
  const left = [...choices];
  const damaged = (value: unknown): unknown =>
    typeof value === 'number' ? left.shift()?.(value) : damageAll(value as Json);
  const damageAll = (json: Json): Json =>
    Object.fromEntries(Object.entries(json).map(([name, value]) => [name, damaged(value)]));
  return damageAll(usage);
}

const UNKNOWN: TokenUsage = { ...NO_TOKENS, input: 200_000, output: 0 };
const sumOf = ({ input, cacheRead, output }: TokenUsage) => input + cacheRead + output;

function expectProven(
  { usage, estimated }: MeteredUsage,
  {
    truth,
    given,
    hasTotal,
    isStream,
  }: { truth: Truth; given: readonly Json[]; hasTotal: boolean; isStream: boolean },
) {
  const { fresh, cached, output } = truth;
  const knows = (count: number, ...names: string[]) =>
    given.some((report) =>
      names.some((name) => Number(report[name]) === count && `${report[name]}` === `${count}`),
    );
  const total = hasTotal && knows(fresh + cached + output, 'total_tokens');
  const prompt = knows(hasTotal ? fresh + cached : fresh, 'prompt_tokens', 'input_tokens');
  const completion = knows(output, 'completion_tokens', 'output_tokens');
  for (const count of Object.values(usage)) expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
  expect(usage.cacheRead).toBeLessThanOrEqual(cached);
  if (completion || (total && prompt)) expect(usage.output).toBe(output);
  if (hasTotal && (prompt || (total && completion)))
    expect(usage.input + usage.cacheRead).toBe(fresh + cached);
  if (!hasTotal && prompt) expect(usage.input).toBe(fresh);
  if (total) expect(sumOf(usage)).toBeGreaterThanOrEqual(fresh + cached + output);
  // In a stream of messages, the output at the start is not all of it.
  if (prompt && completion && (hasTotal || !isStream)) expect(estimated).toBe(false);
}

test.each(FORMATS)(
  'usage in the $name format is never under what the reports prove, nor over what can be derived',
  (format) => {
    const property = fc.property(truths, reports, fc.boolean(), (truth, choices, isStream) => {
      const given = choices.map((choice) => damage(format.write(truth), choice));
      const used = isStream ? given : given.slice(0, 1);
      const facts = isStream
        ? relay(format.open(true), frameEvents(format.stream(used))).facts
        : format.open(false).readWhole(format.whole(used[0] ?? {}));
      const { hasTotal } = format;
      expectProven(
        meteredUsage(facts, () => UNKNOWN),
        { truth, given: used, hasTotal, isStream },
      );
    });
    fc.assert(property, { numRuns: 1_000, seed: 11 });
  },
);
