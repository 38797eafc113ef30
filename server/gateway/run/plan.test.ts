import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chargeFor, type Picocredits } from '../../base/credits';
import type { Hold } from '../../ledger';
import type { CatalogModel } from '../pricing/catalog';
import { costOf } from '../pricing/cost';
import { chatProtocol } from '../protocols/chat/protocol';
import type { ClientProtocol } from '../protocols/client-protocol';
import { CLIENT_PROTOCOLS, type ClientRequest } from '../protocols/client-protocols';
import { measureDocuments } from '../protocols/measure-size';
import { NO_TOKENS } from '../protocols/neutral';
import { profileOf } from '../providers/profiles';
import type { Candidate } from './candidates';
import { fitOutputCap, fitSearches, planRequest } from './plan';

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

  test('that the provider has cached is held for whole, also where the catalogue’s context window is too small', () => {
    const size = { largestInputTokens: 200_100, likelyInputTokens: 200_100 };
    const media = { images: [], pages: 0, documentTokens: 0, recordings: [] };
    const request = chatProtocol.validate({ model: 'm', messages: [{ role: 'user', content: 'x' }] });
    const candidates = [candidateOf(MODEL_OF_128K)] as const;
    const { inputCost } = planRequest(chatProtocol, request, candidates, () => ({ ...size, media }), 200_000);
    expect(inputCost).toBe(200_000n * 10n + 100n * 100n);
  });
});

describe('the hold of web searches', () => {
  const prices = {
    ...MODEL.prices,
    webSearch: price(1_000_000_000n),
    tiers: [{ ...MODEL.prices, input: price(200n), output: price(700n), above: 200_000 }],
  };
  /** What each provider documents: the readings of a response, and the most tokens of the results in one. */
  const PROVIDERS = {
    anthropic: { readings: () => 10, results: (limit: number) => 25_000 * limit },
    openai: { readings: (limit: number) => limit + 2, results: () => 128_000 },
    openrouter: { readings: (limit: number) => limit + 2, results: (limit: number) => 45_000 * limit },
  } as const;
  const RATE_BP = 2_500;

  type Size = { prompt: number; cap: number };
  /** A request of each format, which may reach each provider. OpenAI's field of the chat format has no limit. */
  const BODIES = {
    messages: (limit: number, { cap }: Size) => ({
      max_tokens: cap,
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: limit }],
    }),
    responses: (limit: number, { cap }: Size) => ({
      max_output_tokens: cap,
      tools: [{ type: 'web_search' }],
      max_tool_calls: limit,
    }),
    chat: (_: number, { cap }: Size) => ({ max_tokens: cap, web_search_options: {} }),
  };
  type Format = keyof typeof BODIES;
  const limitOf = (format: Format, limit: number): number => (format === 'chat' ? 5 : limit);

  const plan = (name: keyof typeof PROVIDERS, format: Format, limit: number, size: Size) => {
    const model = { ...MODEL, provider: name, contextWindow: 400_000, maxOutputTokens: 64_000, prices };
    const body = BODIES[format](limit, size);
    const media = { images: [], pages: 0, documentTokens: 0, recordings: [] };
    return planRequest(
      CLIENT_PROTOCOLS[format] as ClientProtocol<ClientRequest>,
      { format, body } as unknown as ClientRequest,
      [
        {
          ...candidateOf(model as CatalogModel),
          profile: profileOf(name, name === 'anthropic' ? 'anthropic' : 'openai'),
        },
      ],
      () => ({ largestInputTokens: size.prompt, likelyInputTokens: size.prompt, media }),
    );
  };

  /** The dearest response within these limits. */
  const mostOf = (name: keyof typeof PROVIDERS, limit: number, { prompt, cap }: Size) => {
    const { readings, results } = PROVIDERS[name];
    const later = Math.min(400_000, prompt + results(limit) + cap);
    const input = Math.min(400_000, prompt) + (readings(limit) - 1) * later;
    return costOf({ ...NO_TOKENS, input, output: cap, searches: limit }, prices);
  };

  const requests = [
    fc.constantFrom('anthropic' as const, 'openai' as const, 'openrouter' as const),
    fc.constantFrom('messages' as const, 'responses' as const, 'chat' as const),
    fc.integer({ min: 1, max: 20 }),
    fc.record({ prompt: fc.integer({ min: 1, max: 500_000 }), cap: fc.integer({ min: 1, max: 64_000 }) }),
  ] as const;

  test('covers the dearest response that the provider allows', () => {
    fc.assert(
      fc.property(...requests, (name, format, requested, size) => {
        const limit = limitOf(format, requested);
        expect(mostOf(name, limit, size) <= plan(name, format, limit, size).want).toBe(true);
      }),
    );
  });

  test('covers it with any balance, by fewer searches and less output', () => {
    fc.assert(
      fc.property(
        ...requests,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (name, format, limit, size, share) => {
          const planned = plan(name, format, limit, size);
          const need = chargeFor(planned.need, RATE_BP).charge;
          const want = chargeFor(planned.want, RATE_BP).charge;
          const amount = need + BigInt(Math.floor(Number(want - need) * share));
          const hold = { amount, rateBp: RATE_BP } as Hold;
          const searches = fitSearches(planned, hold);
          const cap = fitOutputCap(planned, hold, searches);
          expect(searches).toBeGreaterThanOrEqual(1);
          expect(chargeFor(mostOf(name, searches, { ...size, cap }), RATE_BP).charge <= amount).toBe(true);
        },
      ),
    );
  });
});
