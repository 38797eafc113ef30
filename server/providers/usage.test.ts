import { describe, expect, test } from 'vitest';
import { writeUsage as writeChatUsage } from '../protocols/chat/write';
import { writeUsage as writeMessagesUsage } from '../protocols/messages/write';
import { overwriteUsage, readUsage as readAnthropicUsage } from './anthropic/usage';
import { findUsage, readCost, readUsage } from './openai/usage';
import { profileOf } from './profiles';

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
      input,
      cacheRead,
      cacheWrite5m,
      cacheWrite1h: 0,
      output,
      reasoning,
    });
  });

  test.each([
    ['absent', null],
    ['negative', openai(-1, 5)],
    ['not finite', openai(Number.POSITIVE_INFINITY, 5)],
    ['a fraction', openai(1.5, 5)],
    ['text', { prompt_tokens: '10', completion_tokens: '5' }],
    ['half of it', { prompt_tokens: 10 }],
  ])('%s counts as absent', (_, usage) => {
    expect(readUsage(usage)).toBeNull();
  });

  test('is read once, from the top, the choice or x_groq', () => {
    const usage = openai(1, 2);
    expect(findUsage({ usage })).toBe(usage);
    expect(findUsage({ choices: [{ usage }] })).toBe(usage);
    expect(findUsage({ x_groq: { usage } })).toBe(usage);
    expect(findUsage({ usage: null, choices: [], x_groq: { id: 'req' } })).toBeNull();
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
      input,
      cacheRead,
      cacheWrite5m,
      cacheWrite1h,
      output,
      reasoning,
    });
  });

  test('later numbers replace earlier ones, and nulls do not', () => {
    const first = {
      input_tokens: 43,
      cache_read_input_tokens: 7,
      output_tokens: 1,
      service_tier: 'standard',
    };
    expect(
      overwriteUsage(first, { input_tokens: 61, cache_read_input_tokens: null, output_tokens: 2 }),
    ).toEqual({
      input_tokens: 61,
      cache_read_input_tokens: 7,
      output_tokens: 2,
      service_tier: 'standard',
    });
  });

  test('a split is dropped when its total changed', () => {
    const first = {
      input_tokens: 1,
      output_tokens: 1,
      cache_creation_input_tokens: 10,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 10 },
    };
    expect(readAnthropicUsage(overwriteUsage(first, { cache_creation_input_tokens: 4 }))).toMatchObject({
      cacheWrite5m: 4,
      cacheWrite1h: 0,
    });
    expect(readAnthropicUsage(overwriteUsage(first, { cache_creation_input_tokens: 10 }))).toMatchObject({
      cacheWrite5m: 0,
      cacheWrite1h: 10,
    });
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
    expect(readUsage(writeChatUsage(usage))).toEqual({ ...usage, cacheWrite5m: 30, cacheWrite1h: 0 });
  });

  test('messages: the input excludes both', () => {
    expect(writeMessagesUsage(usage)).toMatchObject({
      input_tokens: 50,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 30,
      output_tokens: 9,
    });
    expect(readAnthropicUsage(writeMessagesUsage(usage))).toEqual(usage);
  });
});
