import { describe, expect, test } from 'vitest';
import { writeUsage as writeChatUsage } from '../protocols/chat/write';
import { writeUsage as writeMessagesUsage } from '../protocols/messages/write';
import { mergeUsage, readUsage as readAnthropicUsage } from './anthropic/usage';
import { findUsages, readUsage as readCompletionUsage, readCost } from './openai/usage';
import { readMetered } from './openai-responses/usage';
import { profileOf } from './profiles';

const readUsage = (usage: unknown, profile = profileOf('generic')) => readCompletionUsage({ usage }, profile);

const openai = (prompt: number, completion: number, more = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  ...more,
});

describe('usage of the OpenAI format', () => {
  test.each([
    ['plain', 'openai', openai(10, 5), [10, 0, 0, 5, 0]],
    [
      'cached and written',
      'openai',
      openai(1000, 100, { prompt_tokens_details: { cached_tokens: 200, cache_write_tokens: 300 } }),
      [500, 200, 300, 100, 0],
    ],
    [
      'reasoning inside output',
      'openai',
      openai(10, 50, { total_tokens: 60, completion_tokens_details: { reasoning_tokens: 40 } }),
      [10, 0, 0, 50, 40],
    ],
    [
      'DeepSeek cache hits',
      'deepseek',
      openai(339, 83, { prompt_cache_hit_tokens: 320 }),
      [19, 320, 0, 83, 0],
    ],
    ['Moonshot cache hits', 'moonshot', openai(9, 2, { cached_tokens: 4 }), [5, 4, 0, 2, 0]],
    [
      'xAI, the total shows the gap',
      'xai',
      openai(12, 1, { total_tokens: 303, completion_tokens_details: { reasoning_tokens: 290 } }),
      [12, 0, 0, 291, 290],
    ],
    [
      'xAI without a total',
      'xai',
      openai(12, 1, { completion_tokens_details: { reasoning_tokens: 290 } }),
      [12, 0, 0, 291, 290],
    ],
    ['Google, the total shows the gap', 'google', openai(10, 2, { total_tokens: 40 }), [10, 0, 0, 30, 28]],
    [
      'more cached than sent',
      'generic',
      openai(10, 1, { prompt_tokens_details: { cached_tokens: 50, cache_write_tokens: 50 } }),
      [0, 10, 0, 1, 0],
    ],
    ['a total that is too small', 'generic', openai(10, 5, { total_tokens: 3 }), [10, 0, 0, 5, 0]],
    [
      'nulls in the details',
      'generic',
      openai(10, 5, { prompt_tokens_details: null, completion_tokens_details: null }),
      [10, 0, 0, 5, 0],
    ],
  ])('%s', (_, provider, usage, [input, cacheRead, cacheWrite5m, output, reasoning]) => {
    expect(readUsage(usage, profileOf(provider))).toEqual({
      usage: { input, cacheRead, cacheWrite5m, cacheWrite1h: 0, output, reasoning },
      inputReported: true,
      outputReported: true,
    });
  });

  test.each([
    ['absent', null],
    ['empty', {}],
    ['a list', [openai(10, 5)]],
    ['negative', openai(-1, -5)],
    ['not finite', openai(Number.POSITIVE_INFINITY, Number.NaN)],
    ['fractions', openai(1.5, 0.5)],
    ['larger than any prompt', openai(9e15, 2 ** 53)],
    ['words', { prompt_tokens: 'ten', completion_tokens: '-5', total_tokens: '1e3' }],
    ['zeros', openai(0, 0, { total_tokens: 0 })],
  ])('%s counts as absent', (_, usage) => {
    expect(readUsage(usage)).toEqual({ usage: null, inputReported: false, outputReported: false });
  });

  test.each([
    ['the output', { prompt_tokens: 20, total_tokens: 30_020 }, [20, 30_000]],
    ['the input', { completion_tokens: 1_000, total_tokens: 1_500 }, [500, 1_000]],
    ['an input of zero', openai(0, 1_000, { total_tokens: 1_500 }), [500, 1_000]],
    ['an implausible output', openai(20, 9e15, { total_tokens: 30_020 }), [20, 30_000]],
    ['a negative input', openai(-1, 1_000, { total_tokens: 1_500 }), [500, 1_000]],
    ['nothing: counts as text', { prompt_tokens: '20', completion_tokens: '30000' }, [20, 30_000]],
    [
      'nothing: counts with a point or an exponent',
      JSON.parse('{"prompt_tokens":20.0,"completion_tokens":3e4}'),
      [20, 30_000],
    ],
  ])('%s is derived from the other counts', (_, usage, [input, output]) => {
    expect(readUsage(usage)).toMatchObject({
      usage: { input, output },
      inputReported: true,
      outputReported: true,
    });
    const { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens } = usage;
    expect(readMetered({ usage: { input_tokens, output_tokens, total_tokens } })).toEqual(readUsage(usage));
  });

  test('reasoning is the least that was produced, if the output is unknown', () => {
    const usage = { prompt_tokens: 20, completion_tokens_details: { reasoning_tokens: 30_000 } };
    for (const provider of ['google', 'xai', 'openai']) {
      expect(readUsage(usage, profileOf(provider))).toMatchObject({
        usage: { input: 20, output: 30_000, reasoning: 30_000 },
        outputReported: false,
      });
    }
  });

  test('is read from the top, the choices and the extensions of a provider, and is no sum of them', () => {
    const usage = openai(500, 30);
    const places = [
      { usage },
      { choices: [{}, { usage }] },
      { x_groq: { usage } },
      { usage: {}, x_groq: { usage } },
      { usage: openai(0, 0), x_other: { usage } },
      { usage, choices: [{ usage }], x_groq: { usage } },
    ];
    for (const place of places)
      expect(readCompletionUsage(place, profileOf('groq')).usage).toMatchObject({ input: 500, output: 30 });
    expect(findUsages({ usage: null, choices: [], x_groq: { id: 'req' } })).toEqual([]);
  });
});

describe('the true cost', () => {
  test.each([
    ['xai', { cost_in_usd_ticks: 1_466_250 }, 14_662_500_000n],
    ['openrouter', { cost: 0.00014 }, 14_000_000_000n],
    ['openrouter', { cost: 0 }, 0n],
    ['openrouter', { cost: 1.5 }, 150_000_000_000_000n],
    // With our own key at another provider, `cost` is the fee, and that provider bills the rest.
    [
      'openrouter',
      { cost: 0.05, is_byok: true, cost_details: { upstream_inference_cost: 1 } },
      105_000_000_000_000n,
    ],
    [
      'openrouter',
      { cost: 0, is_byok: true, cost_details: { upstream_inference_cost: 0.5 } },
      50_000_000_000_000n,
    ],
    ['openrouter', { cost: 0, is_byok: true, cost_details: { upstream_inference_cost: null } }, null],
    ['openrouter', { cost: 0, is_byok: true }, null],
    [
      'openrouter',
      { cost: 1, is_byok: false, cost_details: { upstream_inference_cost: 1 } },
      100_000_000_000_000n,
    ],
    ['openrouter', { cost: -1 }, null],
    ['openrouter', { cost: '1' }, null],
    ['openrouter', {}, null],
    ['openai', { cost: 5, cost_in_usd_ticks: 5 }, null],
  ])('of %s in %j is %s picocredits', (provider, usage, cost) => {
    expect(readCost(usage, profileOf(provider))).toBe(cost);
  });
});

describe('usage of the Anthropic format', () => {
  test.each([
    ['plain', { input_tokens: 3, output_tokens: 5 }, [3, 0, 0, 0, 5, 0]],
    [
      'the price fixture',
      {
        input_tokens: 3,
        cache_creation_input_tokens: 12_304,
        cache_read_input_tokens: 100,
        cache_creation: { ephemeral_5m_input_tokens: 12_000, ephemeral_1h_input_tokens: 304 },
        output_tokens: 550,
      },
      [3, 100, 12_000, 304, 550, 0],
    ],
    [
      'written without a split',
      { input_tokens: 3, cache_creation_input_tokens: 50, cache_creation: null, output_tokens: 5 },
      [3, 0, 50, 0, 5, 0],
    ],
    [
      'thinking',
      { input_tokens: 3, output_tokens: 50, output_tokens_details: { thinking_tokens: 40 } },
      [3, 0, 0, 0, 50, 40],
    ],
    [
      'compaction next to the message',
      {
        input_tokens: 612,
        output_tokens: 2819,
        iterations: [
          { type: 'compaction', input_tokens: 60_385, output_tokens: 522 },
          { type: 'message', input_tokens: 612, output_tokens: 2819 },
        ],
      },
      [60_997, 0, 0, 0, 3341, 0],
    ],
  ])('%s', (_, usage, [input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning]) => {
    expect(readAnthropicUsage(usage)).toEqual({
      usage: { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning },
      inputReported: true,
      outputReported: true,
    });
  });

  test.each([
    ['the output', { input_tokens: 20 }, [20, 0], [true, false]],
    ['the input', { output_tokens: 9, cache_read_input_tokens: 5 }, [0, 9], [false, true]],
    ['nothing, as text', { input_tokens: '20', output_tokens: '9' }, [20, 9], [true, true]],
    [
      'the output, but not its thinking',
      { input_tokens: 20, output_tokens: null, output_tokens_details: { thinking_tokens: 7 } },
      [20, 7],
      [true, false],
    ],
  ])('%s may be missing', (_, usage, [input, output], [inputReported, outputReported]) => {
    expect(readAnthropicUsage(usage)).toMatchObject({
      usage: { input, output },
      inputReported,
      outputReported,
    });
  });

  const merge = (...reports: object[]) => readAnthropicUsage(reports.reduce(mergeUsage, {})).usage;

  test.each([
    [
      'later counts replace earlier ones, and nulls do not',
      [
        { input_tokens: 43, cache_read_input_tokens: 7, output_tokens: 1 },
        { input_tokens: 61, cache_read_input_tokens: null, output_tokens: 2 },
      ],
      { input: 61, cacheRead: 7, output: 2 },
    ],
    [
      'zeros replace nothing',
      [
        { input_tokens: 15_000, output_tokens: 1 },
        { input_tokens: 0, output_tokens: 16 },
      ],
      { input: 15_000, output: 16 },
    ],
    [
      'neither do they next to cached tokens',
      [
        { input_tokens: 100, cache_read_input_tokens: 5_000 },
        { input_tokens: 0, cache_read_input_tokens: 5_000, output_tokens: 9 },
      ],
      { input: 100, cacheRead: 5_000, output: 9 },
    ],
    [
      'a smaller prompt replaces nothing',
      [
        { input_tokens: 9_000, cache_read_input_tokens: 50, output_tokens: 2_000 },
        { input_tokens: 12, cache_read_input_tokens: 3, output_tokens: 1 },
      ],
      { input: 9_000, cacheRead: 50, output: 2_000 },
    ],
    [
      'a later report may find part of the prompt in the cache',
      [
        { input_tokens: 120, cache_read_input_tokens: 0 },
        { input_tokens: 20, cache_read_input_tokens: 100, output_tokens: 9 },
      ],
      { input: 20, cacheRead: 100, output: 9 },
    ],
    [
      'a breakdown remains if it is not repeated',
      [
        {
          cache_creation_input_tokens: 10,
          cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 10 },
        },
        {
          cache_creation_input_tokens: 14,
          cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        },
      ],
      { cacheWrite5m: 4, cacheWrite1h: 10 },
    ],
  ])('%s', (_, reports, usage) => {
    expect(merge(...reports)).toMatchObject(usage);
  });
});

describe('usage as clients receive it', () => {
  const usage = { input: 50, cacheRead: 20, cacheWrite5m: 25, cacheWrite1h: 5, output: 9, reasoning: 4 };

  test('chat: the prompt includes cached and written tokens', () => {
    expect(writeChatUsage(usage)).toEqual({
      prompt_tokens: 100,
      completion_tokens: 9,
      total_tokens: 109,
      prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 4 },
    });
    expect(readUsage(writeChatUsage(usage)).usage).toEqual({ ...usage, cacheWrite5m: 30, cacheWrite1h: 0 });
  });

  test('messages: the input excludes both', () => {
    expect(writeMessagesUsage(usage)).toMatchObject({
      input_tokens: 50,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 30,
      output_tokens: 9,
    });
    expect(readAnthropicUsage(writeMessagesUsage(usage)).usage).toEqual(usage);
  });
});
