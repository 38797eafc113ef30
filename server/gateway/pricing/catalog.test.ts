import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { setClock } from '../../base/clock';
import { ENDPOINTS, SANDBOX_FORMATS } from '../../base/endpoints';
import {
  buildCatalog,
  catalogModels,
  findCatalogModel,
  hasAudio,
  priceVersions,
  readModelPrices,
} from './catalog';
import catalogJson from './catalog.json';
import { checkCatalog, problemsOf } from './check-catalog';
import overridesJson from './overrides.json';

const directory = mkdtempSync(path.join(tmpdir(), 'catalog-'));
const file = path.join(directory, 'models.json');
afterAll(() => rmSync(directory, { recursive: true }));
afterEach(() => setClock());

function build(content: unknown) {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return buildCatalog(file);
}

const LLAMA = {
  id: 'acme/llama-3',
  name: 'Llama 3',
  released: '2026-01-31',
  contextWindow: 8192,
  maxOutputTokens: 4096,
  capabilities: ['tools'],
  prices: { input: '0.10', output: '0.20' },
};
const EMBEDDER = {
  id: 'acme/bge',
  type: 'embedding',
  name: 'BGE',
  released: '2026-01-31',
  contextWindow: 512,
  capabilities: [],
  prices: { input: '0.01' },
};
const withOffPeak = (changed: object) => ({
  ...LLAMA,
  prices: {
    ...LLAMA.prices,
    offPeak: { input: '0.05', output: '0.10', peak: { hours: ['01:00-04:00'] }, ...changed },
  },
});
const PROVIDERS = { acme: { format: 'openai', baseUrl: 'http://127.0.0.1:8000/v1' } };

describe('the checked-in catalogue', () => {
  test('is valid, and contains only providers that can be configured', () => {
    expect(checkCatalog()).toEqual([]);
    const providers = new Set(catalogModels().map(({ provider }) => provider));
    const known = [...Object.keys(ENDPOINTS), ...Object.keys(SANDBOX_FORMATS)];
    expect([...providers].sort()).toEqual(known.sort());
  });

  test('is invalid with a model that moves, writes more than it holds or costs less for more', () => {
    const [found] = priceVersions().filter(({ model }) => model.id === 'google/gemini-2.5-pro');
    const [version] = found?.versions ?? [];
    if (found === undefined || version === undefined) throw new Error('the model is gone');
    const model = {
      ...found.model,
      id: 'google/x-latest',
      upstreamModel: 'x-latest',
      maxOutputTokens: 2_000_000,
    };
    const [tier] = version.prices.tiers;
    const prices = {
      ...version.prices,
      cacheRead: version.prices.output,
      tiers: tier ? [{ ...tier, input: version.prices.cacheRead, above: 9 }] : [],
    };
    expect(problemsOf(model, [{ ...version, from: '2026-01-01', prices }])).toEqual([
      'google/x-latest: the id is an alias whose model can change',
      'google/x-latest: the output limit exceeds the context window',
      'google/x-latest: prices from 2026-01-01: a cached token costs more than an uncached one',
      'google/x-latest: prices from 2026-01-01 above 9 tokens: a cached token costs more than an uncached one',
      'google/x-latest: prices from 2026-01-01 above 9 tokens: a longer prompt costs less',
    ]);
  });

  test('lists every price of every model, sorted by exact id', () => {
    const ids = catalogJson.models.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
    const classes = ['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'];
    for (const { prices } of catalogJson.models) {
      for (const given of prices) {
        expect(Object.keys(given)).toEqual(expect.arrayContaining(['from', ...classes]));
        if ('tiers' in given)
          for (const tier of given.tiers ?? [])
            expect(Object.keys(tier)).toEqual(expect.arrayContaining(classes));
      }
    }
  });

  test('names its sources and their dates, and every override its own', () => {
    for (const { asOf } of catalogJson.sources) expect(asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    const decisions = [...overridesJson.models, ...overridesJson.leftOut, ...overridesJson.fallbacks];
    for (const { source, date } of decisions)
      expect([source, date]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/^\d{4}-/)]);
  });

  test('changes a price on the announced day', () => {
    const priceOn = (day: string) => {
      setClock(() => Date.parse(day));
      return findCatalogModel('google/gemini-3.8-flash');
    };
    const [before, after] = [priceOn('2026-12-31T23:59:59Z'), priceOn('2027-01-01T00:00:00Z')];
    expect([before?.listPrices.input, after?.listPrices.input]).toEqual(['0.75', '1.5']);
    expect(before?.priceVersion).not.toBe(after?.priceVersion);
    expect(after?.priceVersion).toMatch(/^google\/gemini-3\.8-flash@2027-01-01\.[0-9a-f]{8}$/);
  });

  test('asks for the holidays without peak hours once those it knows have passed', () => {
    setClock(() => Date.parse('2027-01-31T23:59:59Z'));
    expect(checkCatalog()).toEqual([]);
    setClock(() => Date.parse('2027-02-01T00:00:00Z'));
    expect(checkCatalog()).toContain(
      'deepseek/deepseek-flash: off-peak prices from 2026-11-15: the holidays without peak hours are known only until 2027-01-31',
    );
  });

  test('has the models of the sandbox in both formats', () => {
    const ids = catalogModels().map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining(['sandbox/echo', 'sandbox-anthropic/echo', 'sandbox-anthropic/cut']),
    );
  });
});

describe("the operator's CATALOG_FILE", () => {
  test('adds a model of a custom provider, with every price class filled', () => {
    const { entries, providers } = build({ providers: PROVIDERS, models: [LLAMA] });
    expect(entries.get('acme/llama-3')?.prices[0]).toMatchObject({
      input: '0.10',
      cacheRead: '0.10',
      cacheWrite5m: '0.125',
      cacheWrite1h: '0.2',
    });
    expect(providers.acme).toEqual(PROVIDERS.acme);
    expect(entries.has('openai/gpt-4.1')).toBe(true);
  });

  test('adds an embedding model, which has no output', () => {
    const { entries } = build({ providers: PROVIDERS, models: [EMBEDDER] });
    expect(entries.get('acme/bge')).toMatchObject({
      type: 'embedding',
      prices: [{ input: '0.01', output: '0' }],
    });
  });

  test('overrides what it names of a known model, and nothing else', () => {
    const { entries } = build({ models: [{ id: 'openai/gpt-4.1', prices: { input: '9', output: '10' } }] });
    expect(entries.get('openai/gpt-4.1')).toMatchObject({
      name: 'GPT-4.1',
      contextWindow: 1_047_576,
      prices: [{ input: '9', output: '10' }],
    });
  });

  test.each(['inputUnit', 'outputUnit'])(
    'has no audio of a model whose only price of audio is %s',
    (name) => {
      const prices = { ...LLAMA.prices, [name]: { kind: 'audio_token', price: '32', per: 1_000_000 } };
      const { entries } = build({ providers: PROVIDERS, models: [{ ...LLAMA, prices }] });
      const [dated] = entries.get(LLAMA.id)?.prices ?? [];
      if (dated === undefined) throw new Error('the model has no price');
      expect(hasAudio({ type: 'language', prices: readModelPrices(dated) })).toBe(false);
    },
  );

  const OMNI = {
    id: 'google/gemini-omni-1.2-flash',
    prices: { input: '1.5', output: '9', outputUnit: { kind: 'video_token', price: '12', per: 1_000_000 } },
  };
  const { prices: _prices, ...unpriced } = LLAMA;
  test.each([
    ['not JSON', '{', /^CATALOG_FILE: .*models\.json is not JSON/],
    ['an unknown member', { model: [] }, /^CATALOG_FILE: expected no model$/],
    [
      'a price that is a number',
      { providers: PROVIDERS, models: [{ ...LLAMA, prices: { input: 1, output: '2' } }] },
      /^CATALOG_FILE models\[0\]\.prices\[0\]\.input: expected decimal text/,
    ],
    [
      'a price of zero',
      { providers: PROVIDERS, models: [{ ...LLAMA, prices: { input: '0', output: '2' } }] },
      /models\[0\]\.prices: expected a price above zero/,
    ],
    ['no price', { providers: PROVIDERS, models: [unpriced] }, /models\[0\]\.prices: expected/],
    [
      'a language model without an output price',
      { providers: PROVIDERS, models: [{ ...LLAMA, prices: { input: '1' } }] },
      /models\[0\]\.prices: expected a price above zero for "output"/,
    ],
    [
      'a language model without an output limit',
      { providers: PROVIDERS, models: [{ ...LLAMA, maxOutputTokens: undefined }] },
      /models\[0\]\.maxOutputTokens: expected a whole number of tokens/,
    ],
    [
      'an embedding model of a provider without embeddings',
      { providers: { acme: { ...PROVIDERS.acme, format: 'anthropic' } }, models: [EMBEDDER] },
      /models\[0\]\.type: expected "language", because acme does not speak the openai format/,
    ],
    [
      'tokens of video at any resolution',
      { models: [OMNI] },
      /models\[0\]\.prices\[0\]\.resolutions: expected only "720p": the video tokens per second of other resolutions are not known/,
    ],
    [
      'tokens of video at a resolution whose number nobody knows',
      { models: [{ ...OMNI, prices: { ...OMNI.prices, resolutions: { '720p': '12', '1080p': '12' } } }] },
      /models\[0\]\.prices\[0\]\.resolutions: expected only "720p"/,
    ],
    [
      'tiers out of order',
      {
        providers: PROVIDERS,
        models: [
          {
            ...LLAMA,
            prices: {
              input: '1',
              output: '2',
              tiers: [
                { above: 9, input: '2', output: '3' },
                { above: 5, input: '3', output: '4' },
              ],
            },
          },
        ],
      },
      /models\[0\]\.prices\[0\]\.tiers: expected tiers in ascending order/,
    ],
    [
      'an off-peak price above the peak price',
      { providers: PROVIDERS, models: [withOffPeak({ output: '0.3' })] },
      /models\[0\]\.prices\[0\]\.offPeak: expected off-peak prices that are at most the peak prices/,
    ],
    [
      'peak hours that are none',
      { providers: PROVIDERS, models: [withOffPeak({ peak: { hours: ['1-4'] } })] },
      /models\[0\]\.prices\[0\]\.offPeak\.peak\.hours\[0\]: expected UTC hours such as "01:00-04:00"/,
    ],
    [
      'more output than context',
      { providers: PROVIDERS, models: [{ ...LLAMA, maxOutputTokens: 9000 }] },
      /models\[0\]\.maxOutputTokens: expected at most the size of the context window/,
    ],
    [
      'a fallback at the same provider',
      { providers: PROVIDERS, models: [{ ...LLAMA, fallbacks: ['acme/other'] }] },
      /models\[0\]\.fallbacks: expected ids of models at other providers/,
    ],
    ['an unknown provider', { models: [LLAMA] }, /models\[0\]\.id: expected a provider .* not "acme"/],
    [
      'a provider that is built in',
      { providers: { openai: PROVIDERS.acme } },
      /providers\.openai: expected another name/,
    ],
    [
      'an unsupported format',
      { providers: { acme: { ...PROVIDERS.acme, format: 'gemini' } } },
      /providers\.acme\.format: expected "openai" or "anthropic"/,
    ],
  ])('is refused with the location of the error: %s', (_what, content, message) => {
    expect(() => build(content)).toThrow(message);
  });

  test('that does not exist is refused', () => {
    expect(() => buildCatalog(path.join(directory, 'nothing.json'))).toThrow(
      /^CATALOG_FILE: .*nothing\.json cannot be read/,
    );
  });
});
