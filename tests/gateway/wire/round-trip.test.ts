import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chatProtocol } from '@/server/gateway/protocols/chat/protocol';
import { readChatPrompt } from '@/server/gateway/protocols/chat/read';
import { messagesProtocol } from '@/server/gateway/protocols/messages/protocol';
import { readMessagesPrompt } from '@/server/gateway/protocols/messages/read';
import type { Json, Prompt } from '@/server/gateway/protocols/neutral';
import { mapToolNames } from '@/server/gateway/protocols/tool-ids';
import { writeMessagesPrompt } from '@/server/gateway/providers/anthropic/write-prompt';
import { writeChatPrompt } from '@/server/gateway/providers/openai/write-prompt';
import { profileOf } from '@/server/gateway/providers/profiles';
import { eventsOf, exchange, frameEvents, MESSAGES, relay, sent } from './exchange-harness';

/** A request that is translated in both directions keeps its meaning. */

const phrase = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .filter((text) => text.trim() !== '');
const identifier = fc.stringMatching(/^[a-zA-Z0-9_-]{1,40}$/);
const input = fc.dictionary(identifier, fc.oneof(phrase, fc.integer(), fc.boolean(), fc.constant(null)), {
  maxKeys: 3,
});
const image = fc.constantFrom(
  { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgoAAA==' } },
  { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
);
const userParts = fc.array(
  fc.oneof(
    phrase.map((text) => ({ type: 'text', text })),
    image,
  ),
  { minLength: 1, maxLength: 3 },
);
const user = fc.oneof(phrase, userParts).map((content): Json => ({ role: 'user', content }));

type Call = { name: string; input: Json; result: string };
const calls = fc.array(fc.record({ name: identifier, input, result: phrase }), { maxLength: 3 });
const exchangeOfTurns = fc.record({ user, text: phrase, calls });

function toMessages(turns: { user: Json; text: string; calls: Call[] }[]): Json[] {
  return turns.flatMap(({ user: asked, text, calls: made }, turn): Json[] => [
    asked,
    {
      role: 'assistant',
      content: text,
      ...(made.length > 0 && {
        tool_calls: made.map(({ name, input: value }, index) => ({
          id: `call_${turn}_${index}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(value) },
        })),
      }),
    },
    ...made.map(({ result }, index) => ({
      role: 'tool',
      tool_call_id: `call_${turn}_${index}`,
      content: result,
    })),
  ]);
}

const request = fc.record({
  system: fc.array(phrase, { maxLength: 2 }),
  turns: fc.array(exchangeOfTurns, { maxLength: 3 }),
  last: user,
  tools: fc.uniqueArray(identifier, { maxLength: 3 }),
  stop: fc.array(phrase, { maxLength: 4 }),
  temperature: fc.option(fc.constantFrom(0, 0.5, 1)),
  choice: fc.constantFrom(undefined, 'auto', 'none', 'required'),
  parallel: fc.boolean(),
  stream: fc.boolean(),
});

function toChat({
  system,
  turns,
  last,
  tools,
  stop,
  temperature,
  choice,
  parallel,
  stream,
}: typeof request extends fc.Arbitrary<infer Value> ? Value : never): Json {
  return {
    model: 'x',
    messages: [...system.map((content) => ({ role: 'system', content })), ...toMessages(turns), last],
    ...(tools.length > 0 && {
      tools: tools.map((name) => ({
        type: 'function',
        function: { name, description: 'd', parameters: { type: 'object', properties: {} } },
      })),
      ...(choice !== undefined && { tool_choice: choice }),
      // Without a choice the translation back says `auto`, which means the same.
      ...(choice !== undefined && choice !== 'none' && !parallel && { parallel_tool_calls: false }),
    }),
    stop,
    temperature,
    stream,
  };
}

const target = (provider: string, upstreamModel: string) => ({
  profile: profileOf(provider),
  upstreamModel,
  outputCap: 1_000,
  maxPrice: null,
  userHash: null,
  withoutReasoning: false,
  isShortened: false,
  searches: 0,
  warnings: [] as string[],
});
const names = mapToolNames([]);
const readChat = (json: Json): Prompt => readChatPrompt(chatProtocol.validate(json).body, []);
const readMessages = (json: Json): Prompt => readMessagesPrompt(messagesProtocol.validate(json).body, []);
const toAnthropic = (prompt: Prompt): Json =>
  writeMessagesPrompt(prompt, target('anthropic', 'claude-sonnet-4-5'), names).body;
const toOpenAi = (prompt: Prompt): Json => writeChatPrompt(prompt, target('generic', 'm'), names);

/** Joined, since one format has blocks where the other has one text. */
const meaning = (prompt: Prompt) => ({
  ...inAnyPlace(prompt),
  system: prompt.system.map(({ text }) => text).join('\n\n'),
});

/** The position of a part in the request differs between the formats. */
function inAnyPlace(prompt: Prompt): Prompt {
  return JSON.parse(JSON.stringify(prompt, (key, value) => (key === 'place' ? undefined : value)));
}

test('a chat request survives the messages format', () => {
  fc.assert(
    fc.property(request, (given) => {
      const prompt = readChat(toChat(given));
      expect(inAnyPlace(readMessages(toAnthropic(prompt)))).toEqual(inAnyPlace(prompt));
    }),
    { numRuns: 300 },
  );
});

test('a messages request survives the chat format', () => {
  fc.assert(
    fc.property(request, (given) => {
      const prompt = readMessages(toAnthropic(readChat(toChat(given))));
      expect(meaning(readChat(toOpenAi(prompt)))).toEqual(meaning(prompt));
    }),
    { numRuns: 300 },
  );
});

test('limits arrive under the name of either format', () => {
  expect(
    sent(
      exchange(
        'chat',
        { model: 'x', messages: [{ role: 'user', content: 'Hi' }] },
        { provider: 'anthropic', outputCap: 77 },
      ),
    ).max_tokens,
  ).toBe(77);
  expect(sent(exchange('messages', MESSAGES, { provider: 'generic', outputCap: 77 })).max_tokens).toBe(77);
});

test('text and calls of a stream survive both translations', () => {
  const pieces = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), {
    minLength: 1,
    maxLength: 8,
  });
  const property = fc.property(
    pieces,
    fc.array(fc.record({ name: identifier, input }), { maxLength: 3 }),
    (texts, made) => {
      const events = writeStream(texts, made);
      const anthropic = relay(
        exchange('messages', { ...MESSAGES, stream: true }, { provider: 'generic' }),
        frameEvents(events, { done: true }),
      );
      const chat = relay(
        exchange(
          'chat',
          { model: 'x', messages: [{ role: 'user', content: 'Hi' }], stream: true },
          { provider: 'anthropic' },
        ),
        frameEvents(eventsOf(anthropic.text)),
      );
      const deltas = eventsOf(chat.text).map(
        (event) =>
          (
            event.choices as {
              delta: {
                content?: string;
                tool_calls?: { index: number; function: { name?: string; arguments: string } }[];
              };
            }[]
          )[0]?.delta ?? {},
      );
      const translated = made.map((_, index) => {
        const own = deltas
          .flatMap(({ tool_calls: parts = [] }) => parts)
          .filter((part) => part.index === index);
        return {
          name: own[0]?.function.name,
          input: JSON.parse(own.map((part) => part.function.arguments).join('')),
        };
      });
      expect(deltas.map(({ content }) => content ?? '').join('')).toBe(texts.join(''));
      expect(translated).toEqual(made);
      expect(chat.facts.usage).toEqual(anthropic.facts.usage);
    },
  );
  fc.assert(property, { numRuns: 100 });
});

function writeStream(texts: string[], made: { name: string; input: Json }[]): Json[] {
  const chunk = (delta: Json, finish: string | null = null): Json => ({
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...texts.map((content) => chunk({ content })),
    ...made.flatMap(({ name, input: value }, index) => {
      const start = { index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } };
      const fragments = JSON.stringify(value).match(/.{1,5}/gsu) ?? [];
      return [start, ...fragments.map((json) => ({ index, function: { arguments: json } }))].map((call) =>
        chunk({ tool_calls: [call] }),
      );
    }),
    chunk({}, made.length > 0 ? 'tool_calls' : 'stop'),
    {
      choices: [],
      usage: { prompt_tokens: 90, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } },
    },
  ];
}
