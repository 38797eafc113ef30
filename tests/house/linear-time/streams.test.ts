import { expect, test } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import { CHAT, exchange, frameEvents, MESSAGES, relay } from '../../gateway/wire/exchange-harness';
import { chunk } from '../../gateway/wire/fixtures';
import { findGrowth } from '../../harness/growth';

/**
 * Every kind of event of a provider, thousands of times: pieces of calls between those of a text, calls with one id
 * or with many, reports of usage with ever new fields.
 */

/** Four times as many are within the limits of a response. */
const COUNT = 900;

type MakeEvent = (count: number) => Json;

const called = (piece: Json): Json => chunk({ tool_calls: [piece] });

const CHAT_EVENTS: Record<string, MakeEvent> = {
  text: () => chunk({ content: 'a' }),
  reasoning: () => chunk({ reasoning_content: 'a' }),
  refusal: () => chunk({ refusal: 'a' }),
  'other choice': (n) => ({ ...chunk({}), choices: [{ index: n, delta: { content: 'a' } }] }),
  'call with the same id': (n) =>
    called({ index: n, id: 'same', function: { name: 'f', arguments: '{"a":' } }),
  'call without an index': (n) => called({ id: `call_${n}`, function: { name: 'f', arguments: '{}' } }),
  'piece by id': (n) => called({ id: `call_${n}`, function: { arguments: '1' } }),
  'piece by index': (n) => called({ index: n, function: { arguments: '}' } }),
  'piece of the first call': () => called({ index: 0, function: { arguments: '"}' } }),
  sources: (n) =>
    chunk({ annotations: [{ type: 'url_citation', url_citation: { url: `https://a.example/${n}` } }] }),
  usage: (n) => ({
    ...chunk({}),
    choices: [],
    usage: { prompt_tokens: 1, completion_tokens: n, [`f${n}`]: 1 },
  }),
};

const at = (n: number, type: string, more: Json): Json => ({ type, index: n, ...more });
const delta = (n: number, type: string, more: Json): Json =>
  at(n, 'content_block_delta', { delta: { type, ...more } });
const block = (n: number, type: string, more: Json): Json =>
  at(n, 'content_block_start', { content_block: { type, ...more } });

const MESSAGES_EVENTS: Record<string, MakeEvent> = {
  start: () => ({ type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } }),
  'block of text': (n) => block(n, 'text', { text: '' }),
  thought: (n) => block(n, 'thinking', { thinking: '' }),
  call: (n) => block(n, 'tool_use', { id: 'same', name: 'f', input: {} }),
  search: (n) => block(n, 'server_tool_use', { id: 'same', name: 'web_search', input: {} }),
  text: () => delta(0, 'text_delta', { text: 'a' }),
  'text of each block': (n) => delta(n, 'text_delta', { text: 'a' }),
  thinking: () => delta(0, 'thinking_delta', { thinking: 'a' }),
  signature: () => delta(0, 'signature_delta', { signature: 'a' }),
  arguments: (n) => delta(n, 'input_json_delta', { partial_json: '1' }),
  source: () =>
    delta(0, 'citations_delta', {
      citation: { type: 'web_search_result_location', url: 'https://a.example/', title: 'A' },
    }),
  end: (n) => at(n, 'content_block_stop', {}),
  usage: (n) => ({
    type: 'message_delta',
    delta: { [`d${n}`]: 1 },
    usage: { output_tokens: n, [`f${n}`]: 1 },
  }),
};

const ITEM = { id: 'item', status: 'completed' };
const RESPONSES_EVENTS: Record<string, MakeEvent> = Object.fromEntries(
  Object.entries<(n: number) => Json>({
    'output_item.added': (n) => ({
      output_index: n,
      item: { ...ITEM, type: 'function_call', call_id: 'same', name: 'f', arguments: '' },
    }),
    'function_call_arguments.delta': (n) => ({ output_index: n, delta: '1' }),
    'output_text.delta': () => ({ output_index: 0, content_index: 0, delta: 'a' }),
    'refusal.delta': () => ({ output_index: 0, content_index: 0, delta: 'a' }),
    'reasoning_summary_text.delta': () => ({ output_index: 0, summary_index: 0, delta: 'a' }),
    'output_text.annotation.added': () => ({
      annotation: { type: 'url_citation', url: 'https://a.example/', title: 'A' },
    }),
    'content_part.done': () => ({ part: { type: 'output_text', text: 'a', annotations: [] } }),
    'output_item.done': (n) => ({
      output_index: n,
      item: { ...ITEM, type: 'function_call', arguments: '{}' },
    }),
  }).map(([name, make]) => [name, (n: number) => ({ type: `response.${name}`, ...make(n) })]),
);

const SEARCH = { web_search_options: {} };
const RESPONSES = { model: 'some/model', input: 'Hi' };
const ANTHROPIC = { provider: 'anthropic', upstreamModel: 'claude-sonnet-4-5' };
const OPENAI = { provider: 'openai', upstreamModel: 'gpt-4.1' };
const ROUTER = { provider: 'openrouter' };

type Case = {
  what: string;
  format: 'chat' | 'messages' | 'responses';
  request: Json;
  options: { provider: string; upstreamModel?: string; searches?: number };
  events: Record<string, MakeEvent>;
};
const CASES: Case[] = [
  { what: 'chat chunks for a chat', format: 'chat', request: CHAT, options: ROUTER, events: CHAT_EVENTS },
  {
    what: 'chat chunks for messages',
    format: 'messages',
    request: MESSAGES,
    options: ROUTER,
    events: CHAT_EVENTS,
  },
  {
    what: 'chat chunks for responses',
    format: 'responses',
    request: RESPONSES,
    options: ROUTER,
    events: CHAT_EVENTS,
  },
  {
    what: 'messages events for messages',
    format: 'messages',
    request: MESSAGES,
    options: ANTHROPIC,
    events: MESSAGES_EVENTS,
  },
  {
    what: 'messages events for a chat',
    format: 'chat',
    request: CHAT,
    options: ANTHROPIC,
    events: MESSAGES_EVENTS,
  },
  {
    what: 'messages events for responses',
    format: 'responses',
    request: RESPONSES,
    options: ANTHROPIC,
    events: MESSAGES_EVENTS,
  },
  {
    what: 'responses events for responses',
    format: 'responses',
    request: RESPONSES,
    options: OPENAI,
    events: RESPONSES_EVENTS,
  },
  {
    what: 'responses events for a chat that searches',
    format: 'chat',
    request: { ...CHAT, ...SEARCH },
    options: { ...OPENAI, searches: 5 },
    events: RESPONSES_EVENTS,
  },
];

const repeat = (count: number, make: MakeEvent): Json[] => Array.from({ length: count }, (_, n) => make(n));

/** All kinds in turn: each meets what the others have left. */
const mix = (events: readonly MakeEvent[], count: number): Json[] =>
  repeat(count, (n) => (events[n % events.length] as MakeEvent)(Math.floor(n / events.length)));

test.each(CASES)(
  'a stream of many $what takes linear time @attack',
  ({ format, request, options, events }) => {
    const kinds = Object.values(events);
    const streams: Record<string, (count: number) => Json[]> = {
      'all in turn': (count) => mix(kinds, count),
    };
    for (const [name, make] of Object.entries(events)) {
      streams[name] = (count) => repeat(count, make);
      streams[`${name}, then all in turn`] = (count) => [...repeat(count, make), ...mix(kinds, count)];
    }
    const slow = Object.entries(streams).flatMap(([what, write]) => {
      const growth = findGrowth((count) => {
        const opened = exchange(format, { ...request, stream: true }, options);
        const bytes = frameEvents(write(count));
        return () => relay(opened, bytes);
      }, COUNT);
      return growth === null ? [] : [`${what}: ${growth} times`];
    });
    expect(slow).toEqual([]);
  },
  600_000,
);
