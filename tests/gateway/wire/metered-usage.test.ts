import { expect, test } from 'vitest';
import { likelyOutputTokens } from '@/server/gateway/protocols/measure-size';
import { NO_TOKENS } from '@/server/gateway/protocols/neutral';
import { meteredUsage } from '@/server/gateway/providers/metered-usage';
import { knownProviders, profileOf } from '@/server/gateway/providers/profiles';
import { CHAT, exchange, frameEvents } from './exchange-harness';
import { MESSAGES_FIXTURES } from './fixtures';

const estimate = { ...NO_TOKENS, input: 10, output: 20 };
const reported = { ...NO_TOKENS, input: 7, cacheRead: 3, output: 5 };

test.each([
  ['reported', { usage: reported, outputBytes: 60 }, reported, false],
  ['nothing reported', { usage: null, outputBytes: 60 }, estimate, true],
  [
    'no output reported, some seen',
    { usage: { ...reported, output: 0 }, outputBytes: 60 },
    { ...reported, output: 20 },
    true,
  ],
  [
    'no output reported, none seen',
    { usage: { ...reported, output: 0 }, outputBytes: 0 },
    { ...reported, output: 0 },
    false,
  ],
  [
    'a client disconnect before the output was reported',
    { usage: { ...reported, output: 1 }, outputReported: false, outputBytes: 60 },
    { ...reported, output: 20 },
    true,
  ],
  [
    'an empty prompt reported',
    { usage: { ...NO_TOKENS, output: 5 }, outputBytes: 60 },
    { ...NO_TOKENS, input: 10, output: 5 },
    true,
  ],
  [
    'all of it read from the cache',
    { usage: { ...reported, input: 0 }, outputBytes: 60 },
    { ...reported, input: 0 },
    false,
  ],
  [
    'never less than what was reported',
    { usage: { ...reported, output: 50 }, outputReported: false, outputBytes: 60 },
    { ...reported, output: 50 },
    true,
  ],
])('%s', (_, facts, usage, estimated) => {
  expect(meteredUsage(facts, () => estimate)).toEqual({ usage, estimated });
});

test('usage reported before a response was cut off does not count what was produced unseen', () => {
  const facts = { usage: reported, outputReported: true, outputBytes: 0 };
  expect(meteredUsage(facts, () => estimate, 1_000)).toEqual({
    usage: { ...reported, output: 20 },
    estimated: true,
  });
});

test('a client disconnect in the middle is charged for the reported input and the output produced', () => {
  const { events } = MESSAGES_FIXTURES['plain: pings anywhere, between blocks too'] ?? { events: [] };
  const prepared = exchange('chat', { ...CHAT, stream: true }, { provider: 'anthropic' });
  const stream = prepared.openStream();
  stream.push(frameEvents(events.slice(0, 5)));
  const { facts } = stream;
  expect(facts).toMatchObject({
    usage: { input: 3, cacheRead: 5, output: 1 },
    outputReported: false,
    outputBytes: 7,
  });
  const output = likelyOutputTokens(facts.outputBytes, 'anthropic');
  expect(meteredUsage(facts, () => ({ ...NO_TOKENS, output }))).toMatchObject({
    usage: { input: 3, output: 3 },
    estimated: true,
  });
});

test('every provider has a profile, and an unknown name uses that of its format', () => {
  const names = knownProviders().map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'openai',
      'anthropic',
      'google',
      'xai',
      'mistral',
      'deepseek',
      'groq',
      'together',
      'fireworks',
      'openrouter',
      'moonshot',
      'sandbox',
      'sandbox-anthropic',
    ]),
  );
  expect(profileOf('own-vllm')).toMatchObject({ name: 'own-vllm', format: 'openai' });
  expect(profileOf('own-claude', 'anthropic')).toMatchObject({ name: 'own-claude', format: 'anthropic' });
});
