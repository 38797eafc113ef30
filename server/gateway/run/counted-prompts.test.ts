import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { randomFrom } from '../../../tests/harness/random';
import { MINUTE_MS, now, setClock } from '../../base/clock';
import { ZERO } from '../../base/credits';
import type { CatalogModel } from '../pricing/catalog';
import { chatProtocol } from '../protocols/chat/protocol';
import type { ClientProtocol } from '../protocols/client-protocol';
import type { ClientRequest } from '../protocols/client-protocols';
import { messagesProtocol } from '../protocols/messages/protocol';
import { NO_TOKENS } from '../protocols/neutral';
import { responsesProtocol } from '../protocols/responses/protocol';
import type { ClientHeaders } from '../providers/exchange';
import { profileOf } from '../providers/profiles';
import type { Candidate, Candidates } from './candidates';
import { findCounted, noteCounted, withMedia } from './counted-prompts';

const KEY = randomBytes(32);
const TEXT = 'A text that is long enough to be hashed on its own. '.repeat(10);
const MODEL = { id: 'anthropic/claude', provider: 'anthropic', upstreamModel: 'claude' } as CatalogModel;
const CANDIDATE: Candidate = {
  model: MODEL,
  target: { format: 'anthropic', origin: 'https://provider.test', basePath: '', apiKey: 'none' },
  profile: profileOf('anthropic'),
};

const text = (value: string, more: object = {}) => ({ type: 'text', text: value, ...more });
const call = (input: object) => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'call_1', name: 'tool', input }],
});
const user = (...content: object[]) => ({ role: 'user', content });
const BODY = {
  model: MODEL.id,
  max_tokens: 100,
  tools: [{ name: 'tool', input_schema: { type: 'object' } }],
  system: 'Be brief.',
  messages: [user(text(TEXT), text('and')), call({ path: 'a' })],
};
const MARKED = { cache_control: { type: 'ephemeral' } };
const MESSAGES = messagesProtocol as ClientProtocol<ClientRequest>;
const CHAT = chatProtocol as ClientProtocol<ClientRequest>;

type Sender = { key?: Buffer; candidates?: Candidates; headers?: ClientHeaders; protocol?: typeof MESSAGES };

function find(
  body: object,
  { key = KEY, candidates = [CANDIDATE], headers = {}, protocol = MESSAGES }: Sender = {},
) {
  return findCounted(key, protocol, protocol.validate({ ...body }), headers, candidates);
}

function countAt(tokens: number, body: object = BODY): void {
  const usage = { ...NO_TOKENS, input: tokens };
  noteCounted(find(body) ?? expect.fail(), MODEL.id, { usage, charge: ZERO, readAtMs: now() });
}

/** The options, the instructions and each message are elements. */
const elementsOf = (body: object, sender?: Sender) => find(body, sender)?.counted.elements ?? null;

test('the count of a prompt is that of the beginning of the next one, wherever its breakpoints are', () => {
  countAt(1_234);
  const [first, second] = BODY.messages;
  const next = { ...BODY, max_tokens: 200, messages: [first, second, user(text('more'))] };
  expect(find(next)?.counted).toEqual({ elements: 4, tokens: 1_234 });
  const marked = {
    ...next,
    tools: [{ ...BODY.tools[0], ...MARKED }],
    system: 'Be brief.',
    messages: [user(text(TEXT, MARKED), text('and')), second],
  };
  expect(find(marked)?.counted.tokens).toBe(1_234);
});

test.each([
  ['another key', BODY, { key: randomBytes(32) }],
  ['another beta', BODY, { headers: { 'anthropic-beta': 'interleaved-thinking-2025-05-14' } }],
  ['another option', { ...BODY, tool_choice: { type: 'any' } }],
  ['another tool', { ...BODY, tools: [{ name: 'tools', input_schema: { type: 'object' } }] }],
  ['another text', { ...BODY, messages: [user(text(TEXT), text('or')), BODY.messages[1]] }],
  ['a text in another part', { ...BODY, messages: [user(text('and'), text(TEXT)), BODY.messages[1]] }],
  ['another length of a text', { ...BODY, messages: [user(text(`${TEXT}a`), text('nd')), BODY.messages[1]] }],
  ['another role', { ...BODY, messages: [{ ...user(text(TEXT), text('and')), role: 'assistant' }] }],
])('a prompt with %s has not been counted', (_, body, sender?: Sender) => {
  countAt(1_234);
  expect(elementsOf(body, sender)).toBeLessThan(3);
});

test('what looks like a breakpoint in the arguments of a call is a part of the prompt', () => {
  const withArguments = { ...BODY, messages: [BODY.messages[0], call({ path: 'b', ...MARKED })] };
  const without = { ...BODY, messages: [BODY.messages[0], call({ path: 'b' })] };
  countAt(1_000, without);
  expect(find(withArguments)?.chain.at(-1)).not.toBe(find(without)?.chain.at(-1));
  expect(elementsOf(withArguments)).toBeLessThan(4);
});

test('a prompt whose count may change is neither kept nor found', () => {
  expect(elementsOf({ ...BODY, context_management: { edits: [] } })).toBeNull();
  const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 };
  expect(elementsOf({ ...BODY, tools: [search] })).toBeNull();
  const many = Array.from({ length: 7_000 }, () => user(text('a')));
  expect(elementsOf({ ...BODY, messages: many })).toBeNull();
  expect(withMedia(find(BODY) ?? expect.fail(), 'fetched')).toBeNull();
});

test('a list that its format does not have cannot hide how many messages are to be hashed @attack', () => {
  const protocol = responsesProtocol as typeof MESSAGES;
  const input = Array.from({ length: 7_000 }, () => ({ role: 'user', content: 'a' }));
  expect(find({ model: MODEL.id, messages: [], input }, { protocol })).toBeNull();
});

test('after an hour, a prompt has not been counted', () => {
  countAt(1_234);
  const laterMs = now() + 61 * MINUTE_MS;
  setClock(() => laterMs);
  expect(elementsOf(BODY)).toBe(0);
  setClock();
});

test('the count of one provider covers the fallback of the model, which may frame messages in another way', () => {
  countAt(1_000);
  const candidates: Candidates = [CANDIDATE, CANDIDATE];
  const found = find(BODY, { candidates });
  expect(found?.counted.tokens).toBeGreaterThan(1_020);
  expect(found?.cachedTokens).toBe(0);
});

test('OpenAI is not expected to read its cache where the request sets breakpoints by hand', () => {
  const openai: Candidate = {
    model: { ...MODEL, id: 'openai/gpt', upstreamModel: 'gpt' },
    target: { ...CANDIDATE.target, format: 'openai' },
    profile: profileOf('openai'),
  };
  const sender: Sender = { protocol: CHAT, candidates: [openai] };
  const cachedAt = (more: object) => {
    const body = { ...CHAT_BODY, ...more };
    const usage = { ...NO_TOKENS, cacheRead: 10_000 };
    noteCounted(find(body, sender) ?? expect.fail(), openai.model.id, {
      usage,
      charge: ZERO,
      readAtMs: now(),
    });
    return find(body, sender)?.cachedTokens;
  };
  expect(cachedAt({})).toBe(10_000);
  expect(cachedAt({ prompt_cache_options: { mode: 'explicit' } })).toBe(0);
});

const CHAT_BODY = { model: MODEL.id, messages: [{ role: 'user', content: TEXT }] };
const chatCall = (index: number) => ({
  id: `call_${index}`,
  type: 'function',
  function: { name: 'tool', arguments: '{}' },
});
const marked = { role: 'user', content: [text('next', MARKED)] };
const calls = (count: number) => ({
  role: 'assistant',
  content: null,
  tool_calls: Array.from({ length: count }, (_, index) => chatCall(index)),
});

test.each([
  ['a marked part after a few calls', 9_995, [calls(3), marked], true],
  ['a marked part after more calls than Claude looks back', 9_995, [calls(20), marked], false],
  ['a beginning that is cached up to its middle', 5_000, [marked], false],
  ['a mark that is not sent: of a message', 9_995, [{ role: 'user', content: 'next', ...MARKED }], false],
  [
    'a mark that is not sent: of a blank text',
    9_995,
    [{ role: 'user', content: [text(' ', MARKED)] }],
    false,
  ],
  [
    'a mark that is not sent: no object',
    9_995,
    [{ role: 'user', content: [text('a', { cache_control: true })] }],
    false,
  ],
])(
  'what Claude reads from its cache is expected only where it looks for it: %s',
  (_, cacheWrite5m, more, isCached) => {
    const sender = { protocol: CHAT };
    const usage = { ...NO_TOKENS, input: 10_000 - cacheWrite5m, cacheWrite5m };
    noteCounted(find(CHAT_BODY, sender) ?? expect.fail(), MODEL.id, { usage, charge: ZERO, readAtMs: now() });
    const found = find({ ...CHAT_BODY, messages: [...CHAT_BODY.messages, ...more] }, sender);
    expect(found?.counted.tokens).toBe(10_000);
    expect(found?.cachedTokens).toBe(isCached ? cacheWrite5m : 0);
  },
);

test('caches that miss as often as the limit are hardly ever trusted in the long run', () => {
  const openai: Candidate = {
    model: { ...MODEL, id: 'openai/often-missed', upstreamModel: 'gpt' },
    target: { ...CANDIDATE.target, format: 'openai' },
    profile: profileOf('openai'),
  };
  const sender: Sender = { protocol: CHAT, candidates: [openai] };
  const random = randomFrom(7);
  let trusted = 0;
  const READS = 20_000;
  for (let read = 0; read < READS; read++) {
    const prompt = find(CHAT_BODY, sender) ?? expect.fail();
    if (prompt.trustsCache) trusted++;
    const isMissed = random() < 0.01;
    const usage = { ...NO_TOKENS, cacheRead: isMissed ? 0 : 10_000, input: isMissed ? 10_000 : 0 };
    noteCounted(prompt, openai.model.id, { usage, charge: ZERO, readAtMs: now() });
  }
  expect(trusted).toBeGreaterThan(0);
  expect(trusted / READS).toBeLessThan(0.1);
});
