import { describe, expect, test } from 'vitest';
import type { Picocredits } from '../credits';
import type { CatalogModel } from '../pricing/catalog';
import { chatProtocol } from '../protocols/chat/protocol';
import { measureDocuments } from '../protocols/measure-size';
import { profileOf } from '../providers/profiles';
import type { Candidate } from './candidates';
import { planRequest } from './plan';

const price = (amount: bigint) => amount as Picocredits;
const MODEL = {
  provider: 'openai',
  upstreamModel: 'gpt-4',
  contextWindow: 128_000,
  maxOutputTokens: 1_000,
  prices: {
    input: price(100n),
    output: price(500n),
    cacheRead: price(10n),
    cacheWrite5m: price(125n),
    cacheWrite1h: price(200n),
    tiers: [],
    automaticCacheWrites: false,
  },
} as unknown as CatalogModel;

const planOf = async (body: object, model: CatalogModel) => {
  const request = chatProtocol.validate({ ...body });
  return planRequest(
    chatProtocol,
    request,
    [candidateOf(model)],
    await measureDocuments(chatProtocol.measure(request)),
  );
};

const candidateOf = (model: CatalogModel): Candidate => ({
  model,
  target: { format: 'openai', origin: 'https://provider.test', basePath: '', apiKey: 'none' },
  profile: profileOf(model.provider),
});

const MODEL_OF_8K = { ...MODEL, contextWindow: 8_192, maxOutputTokens: 8_192 } as CatalogModel;
const MODEL_OF_128K = { ...MODEL, contextWindow: 128_000, maxOutputTokens: 16_384 } as CatalogModel;

/** A provider refuses a limit that does not fit into the context together with the prompt. */
describe('the output limit', () => {
  const capOf = async (model: CatalogModel, prompt: string, max_tokens?: number) => {
    const body = { model: 'm', max_tokens, messages: [{ role: 'user', content: prompt }] };
    return (await planOf(body, model)).outputCap;
  };
  const thousandTokens = ' word'.repeat(1_000);

  test('leaves room for the prompt when we choose it', async () => {
    expect(await capOf(MODEL_OF_8K, thousandTokens)).toBeLessThan(7_192);
    expect(await capOf(MODEL_OF_8K, thousandTokens)).toBeGreaterThan(7_000);
    expect(await capOf(MODEL_OF_8K, thousandTokens.repeat(9))).toBe(256);
  });

  test('leaves room for the prompt when it exceeds the model’s own', async () => {
    expect(await capOf(MODEL_OF_8K, thousandTokens, 32_000)).toBeLessThan(7_192);
  });

  test('that the client chose is passed as it is', async () => {
    expect(await capOf(MODEL_OF_8K, thousandTokens, 8_000)).toBe(8_000);
  });

  test('is not lowered when there is room', async () => {
    expect(await capOf(MODEL_OF_128K, thousandTokens.repeat(100))).toBe(16_384);
  });
});

const inputCost = async (part: object): Promise<number> => {
  const content = [{ type: 'text', text: 'x'.repeat(22_000), ...part }];
  const body = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content }] };
  return Number((await planOf(body, MODEL)).inputCost);
};

/** Cache writes cost more than cache reads, so the hold must cover the writes. */
describe('a hold for a prompt that is to be cached', () => {
  test.each([
    ['by the field of Anthropic', { cache_control: { type: 'ephemeral' } }, 1.25],
    ['for an hour', { cache_control: { type: 'ephemeral', ttl: '1h' } }, 2],
    ['by the field of OpenAI', { prompt_cache_breakpoint: { mode: 'explicit' } }, 1.25],
    ['for half a day', { prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }, 2],
  ])('%s', async (_, part, factor) => {
    const ratio = (await inputCost(part)) / (await inputCost({}));
    expect(ratio).toBeGreaterThanOrEqual(factor);
    expect(ratio).toBeLessThan(factor + 0.05);
  });
});

describe('the prompt', () => {
  const tiered = {
    ...MODEL,
    contextWindow: 400_000,
    prices: { ...MODEL.prices, tiers: [{ ...MODEL.prices, above: 272_000, input: 200n, output: 750n }] },
  } as unknown as CatalogModel;
  const plan = (model: CatalogModel, content: unknown) => {
    const body = { model: 'm', messages: [{ role: 'user', content }] };
    return planOf(body, model);
  };

  test('that may reach a price tier is held for at its prices, whatever it consists of', async () => {
    // 300,000 tokens in 600 kB, which four bytes per token would put at 150,000.
    const numbers = '7,'.repeat(150_000);
    expect(await plan(tiered, numbers)).toMatchObject({ outputPrice: 750n });
    expect((await plan(tiered, numbers)).inputCost).toBeGreaterThanOrEqual(300_000n * 200n);
    expect(await plan(tiered, ' word'.repeat(150_000))).toMatchObject({ outputPrice: 500n });
  });

  test('is held for as a full context window at most, because a provider refuses more', async () => {
    expect((await plan(MODEL_OF_128K, '7'.repeat(900_000))).inputCost).toBe(128_000n * 100n);
    const document = { type: 'file', file: { file_data: 'https://x.test/a.pdf' } };
    expect((await plan(MODEL_OF_128K, [document])).inputCost).toBe(128_000n * 100n);
  });
});
