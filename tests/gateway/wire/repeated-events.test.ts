import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import { CHAT, exchange, frameEvents, MESSAGES, relay } from './exchange-harness';
import { CHAT_FIXTURES, chunk, MESSAGES_FIXTURES } from './fixtures';

/**
 * An event that repeats the one before with another text is relayed without being read. The client must receive
 * the same bytes, and the same must be metered, as from events that follow a comment: those are always read.
 */

type Format = 'chat' | 'messages';

const prepare = (format: Format, provider: string) =>
  exchange(
    format,
    format === 'chat'
      ? { ...CHAT, stream: true, stream_options: { include_usage: true } }
      : { ...MESSAGES, stream: true },
    { provider },
  );

function expectSame(format: Format, provider: string, bytes: Uint8Array, splits: number[] = []): void {
  const read = relay(prepare(format, provider), addComments(bytes));
  const single = Array.from(bytes.keys());
  const some = splits.map((at) => Math.min(at, bytes.length));
  for (const at of [[], single, some]) expect(relay(prepare(format, provider), bytes, at)).toEqual(read);
}

/** Begins each event with a comment. */
function addComments(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes).replace(/\r\n\r\n|\n\n|\r\r/g, (end) => `${end}: waves\n`);
  return new TextEncoder().encode(`: waves\n${text}`);
}

const splits = fc.array(fc.nat({ max: 20_000 }), { maxLength: 40 });

describe('hand-written streams', () => {
  test.each(Object.entries(CHAT_FIXTURES))('%s', (_, { provider, events, done = false }) => {
    const property = fc.property(splits, (at) =>
      expectSame('chat', provider, frameEvents(events, { done }), at),
    );
    fc.assert(property, { numRuns: 10 });
  });

  test.each(Object.entries(MESSAGES_FIXTURES))('%s', (_, { events }) => {
    const property = fc.property(splits, (at) =>
      expectSame('messages', 'anthropic', frameEvents(events, { names: true }), at),
    );
    fc.assert(property, { numRuns: 10 });
  });
});

const FOLDER = '../shared/data/streams';
const files = existsSync(FOLDER) ? readdirSync(FOLDER).filter((file) => file.endsWith('.chunks.txt')) : [];

test.each(files)('recorded: %s', (file) => {
  const events = readFileSync(`${FOLDER}/${file}`, 'utf8').split('\n').filter(Boolean);
  const isAnthropic = /^(anthropic|duplicate-message-start)/.test(file);
  const bytes = frameEvents(events, { names: isAnthropic, done: !isAnthropic });
  const provider = isAnthropic ? 'anthropic' : 'openai';
  const property = fc.property(splits, (at) =>
    expectSame(isAnthropic ? 'messages' : 'chat', provider, bytes, at),
  );
  fc.assert(property, { numRuns: 10 });
});

/** Events of one shape with several texts, as providers and odd servers send them. */
type Shape = (text: string) => Json;

const call = (piece: Json): Json => chunk({ tool_calls: [piece] });
const inTwoChoices: Shape = (text) => ({
  ...chunk({}),
  choices: [0, 1].map((index) => ({ index, delta: { content: text } })),
});
const inTwoCalls: Shape = (text) => ({
  tool_calls: [0, 1].map((index) => ({
    index,
    id: `c${index}`,
    type: 'function',
    function: { arguments: text },
  })),
});
const CHAT_SHAPES: Shape[] = [
  (text) => chunk({ content: text }),
  (text) => chunk({ content: text }, null, { obfuscation: text.repeat(2), usage: null }),
  (text) => ({ obfuscation: `o${text}`, ...chunk({ role: 'assistant', content: text }) }),
  (text) => chunk({ content: null, reasoning_content: text }),
  (text) => chunk({ content: '', reasoning: text, reasoning_details: [{ text }] }),
  (text) => chunk({ reasoning: text, refusal: 'No' }),
  (text) => chunk({ content: text, reasoning_content: 'Hm' }),
  (text) => chunk({ content: [{ type: 'text', text }] }),
  (text) => chunk({ arguments: text }),
  (text) => call({ index: 0, function: { arguments: text } }),
  (text) => call({ index: 0, id: 'c', type: 'function', function: { name: '', arguments: text } }),
  (text) => call({ index: 1, id: 'd', type: 'function', function: { name: 'f', arguments: text } }),
  (text) => call({ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: text } }),
  (text) => call({ function: { name: 'f', arguments: text } }),
  (text) => chunk(inTwoCalls(text)),
  (text) => ({ ...chunk({ content: text }), id: 'chatcmpl-2' }),
  (text) => ({ ...chunk({ content: text }), id: text }),
  (text) => ({ choices: [{ delta: { content: text } }], model: 'm' }),
  (text) => ({ note: { content: 'a' }, ...chunk({ content: text }) }),
  (text) => ({ model: text, choices: chunk({ content: text }).choices }),
  inTwoChoices,
  (text) => chunk({ content: text }, null, { usage: { prompt_tokens: 3, completion_tokens: 1 } }),
  (text) => chunk({ content: text }, 'stop'),
  () => chunk({ role: 'assistant' }),
  () => ({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 9 } }),
];

const START = {
  type: 'message_start',
  message: { model: 'm', usage: { input_tokens: 3, output_tokens: 1 } },
};
const TOOL = { type: 'tool_use', id: 't', name: 'f' };
const blockDelta = (index: number, delta: Json, more: Json = {}): Json => ({
  type: 'content_block_delta',
  index,
  delta,
  ...more,
});
const MESSAGES_SHAPES: Shape[] = [
  (text) => blockDelta(0, { type: 'text_delta', text }),
  (text) => blockDelta(1, { type: 'text_delta', text }),
  (text) => blockDelta(0, { type: 'thinking_delta', thinking: text }),
  (text) => blockDelta(0, { type: 'input_json_delta', partial_json: text }),
  (text) => blockDelta(0, { type: 'signature_delta', signature: text }),
  (text) => blockDelta(0, { text, thinking: 'Hm' }),
  (text) => blockDelta(0, { text }, { content_block: TOOL }),
  (text) => blockDelta(0, { text }, { note: text }),
  (text) => ({ type: 'content_block_start', index: 0, content_block: { type: 'text', text } }),
  () => ({ type: 'content_block_start', index: 0, content_block: TOOL }),
  () => ({ type: 'content_block_stop', index: 0 }),
  () => ({ type: 'ping' }),
  () => START,
];

/** JSON as other languages write it, or with oddities. */
const escapeAll = (json: string) =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const WRITERS: ((event: Json) => string)[] = [
  (event) => JSON.stringify(event),
  (event) => escapeAll(JSON.stringify(event)),
  (event) => JSON.stringify(event, null, 1).replace(/\n */g, ' '),
  (event) => JSON.stringify(Object.fromEntries(Object.entries(event).reverse())),
  (event) => JSON.stringify(event).replace('"content":"', '"content":"a","content":"'),
  (event) => JSON.stringify(event).replace('"text":"', '"text":"a","text":"'),
  (event) => JSON.stringify(event).replace('"delta":', '"say \\"content": "x","delta":'),
];
const BREAKS: ((json: string) => string)[] = [
  (json) => json.replace('"content":"', '"content":"\t'),
  (json) => json.replace('"text":"', '"text":"\\x'),
  (json) => json.slice(0, -1),
  (json) => `${json}}`,
  () => '{"error":{"message":"Overloaded"}}',
  () => '[DONE]',
];

const anyText = fc.oneof(
  fc.constantFrom('', '""', ' waves', '"model":"x"', '\\', '\n', '\ud83c', '世界 🌍', 'data: x\n\n'),
  fc.string({ maxLength: 12, unit: 'grapheme' }),
);

/** Runs of events of one shape, written in one way; one event may be broken. */
const streamOf = (shapes: Shape[]) =>
  fc.array(
    fc.record({
      shape: fc.constantFrom(...shapes),
      texts: fc.oneof(
        fc.array(anyText, { minLength: 1, maxLength: 8 }),
        anyText.map((text) => [text, text, text]),
      ),
      write: fc.oneof(fc.constant(JSON.stringify), fc.constantFrom(...WRITERS)),
      last: fc.option(fc.constantFrom(...BREAKS), { freq: 8 }),
      lineEnd: fc.oneof({ weight: 9, arbitrary: fc.constant('\n') }, fc.constantFrom('\r\n', '\r')),
    }),
    { minLength: 1, maxLength: 5 },
  );

test.each<[Format, string, Json[], Shape[]]>([
  ['chat', 'generic', [chunk({ role: 'assistant', content: 'Hi' })], CHAT_SHAPES],
  [
    'messages',
    'anthropic',
    [START, { type: 'content_block_start', index: 0, content_block: TOOL }],
    MESSAGES_SHAPES,
  ],
])(
  'random events of the %s format',
  (format, provider, first, shapes) => {
    const names = format === 'messages';
    const property = fc.property(streamOf(shapes), splits, (runs, at) => {
      const frames = runs.map(({ shape, texts, write, last, lineEnd }) => {
        const lines = texts
          .map((text) => ({ ...shape(text) }))
          .map((event) => [String(event.type), write(event)]);
        return lines
          .map(([type, json = ''], place) => {
            const data = place === lines.length - 1 && last !== null ? last(json) : json;
            return `${names ? `event: ${type}${lineEnd}` : ''}data: ${data}${lineEnd}${lineEnd}`;
          })
          .join('');
      });
      const start = new TextDecoder().decode(frameEvents(first, { names }));
      expectSame(format, provider, new TextEncoder().encode(start + frames.join('')), at);
    });
    fc.assert(property, { numRuns: 300 });
  },
  120_000,
);

test('a line without a name is not part of the data, even where an earlier event had a line break', () => {
  const event = (text: string, lineBreak: string) =>
    `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}],${lineBreak}"model":"m"}\n\n`;
  const text = event('a', '\ndata: ').repeat(2) + event('b', '\n');
  expectSame('chat', 'generic', new TextEncoder().encode(text));
});

describe('of 100 events with other texts, almost none is parsed', () => {
  const texts = Array.from({ length: 100 }, (_, n) => ` wave${n} 🌍`);

  test.each<[string, Format, string, Json[]]>([
    [
      'the name first',
      'chat',
      'openai',
      texts.map((content, n) => chunk({ content }, null, { obfuscation: n % 2 ? content : '' })),
    ],
    [
      'the name last',
      'chat',
      'openai',
      texts.map((content) => ({ choices: chunk({ content }).choices, model: 'm' })),
    ],
    [
      'arguments',
      'chat',
      'openai',
      texts.map((text, n) =>
        n === 0
          ? call({ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"x":"' } })
          : call({ index: 0, function: { arguments: text } }),
      ),
    ],
    [
      'messages',
      'messages',
      'anthropic',
      [...texts.keys()].map((n) => blockDelta(0, { type: 'text_delta', text: `a${n}` })),
    ],
  ])('%s', (_, format, provider, deltas) => {
    expect(countParsed(format, provider, deltas)).toBeLessThan(10);
    expect(countParsed(format, provider, deltas, { partLength: 50 })).toBeLessThan(10);
  });
});

test('a stream whose events all differ is read without learning from each of them', () => {
  const events = Array.from({ length: 100 }, (_, n) => ({ ...chunk({ content: 'a' }), id: `chatcmpl-${n}` }));
  expect(countParsed('chat', 'openai', events)).toBeLessThan(120);
});

/** How often the relay of these deltas parses an object, if they arrive in parts of this length. */
function countParsed(
  format: Format,
  provider: string,
  deltas: Json[],
  { partLength = Number.POSITIVE_INFINITY } = {},
): number {
  const start =
    format === 'chat'
      ? [chunk({ role: 'assistant', content: '' })]
      : [START, { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }];
  const bytes = frameEvents([...start, ...deltas], { names: format === 'messages' });
  const splits = Array.from(
    { length: Math.floor(bytes.length / partLength) },
    (_, n) => (n + 1) * partLength,
  );
  const parse = vi.spyOn(JSON, 'parse');
  const { facts } = relay(prepare(format, provider), bytes, splits);
  const ofObjects = parse.mock.calls.filter(([json]) => json.startsWith('{'));
  parse.mockRestore();
  expect(facts.outputDeltas).toBe(deltas.length);
  return ofObjects.length;
}
