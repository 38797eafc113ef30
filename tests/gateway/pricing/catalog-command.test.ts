import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, now } from '@/server/base/clock';
import { tgzOf, zipOf } from './archives';

/** `npm run catalog`, in a folder of its own, with sources in the formats in which they are published. */

const folder = mkdtempSync(path.join(tmpdir(), 'catalog-'));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(path.join(folder, 'server/gateway/pricing'), { recursive: true });
const inFolder = (name: string) => path.join(folder, name);
const command = inFolder('catalog.mjs');
buildSync({
  entryPoints: ['scripts/catalog.ts'],
  bundle: true,
  platform: 'node',
  format: 'esm',
  outfile: command,
});

const daysAgo = (days: number) => new Date(now() - days * DAY_MS).toISOString().slice(0, 10);

const MODEL = {
  release_date: '2026-01-31',
  reasoning: false,
  tool_call: true,
  temperature: true,
  limit: { context: 100_000, output: 8_000 },
  modalities: { input: ['text'], output: ['text'] },
};
const modelsDev = (models: Record<string, object>) => ({
  snapshot: daysAgo(200),
  providers: {
    groq: {
      models: Object.fromEntries(
        Object.entries(models).map(([id, cost]) => [id, { ...MODEL, name: id, cost }]),
      ),
    },
  },
});

const piAi = (costs: Record<string, object>) =>
  tgzOf({
    'package/package.json': '{}',
    'package/dist/providers/data/.manifest.json': JSON.stringify({ generatedAt: `${daysAgo(10)}T12:00:00Z` }),
    'package/dist/providers/data/groq.json': JSON.stringify({
      'openai-completions': Object.fromEntries(
        Object.entries(costs).map(([id, cost]) => [
          `chat:${id}`,
          { id, name: id, type: 'chat', input: ['text'], cost, contextWindow: 100_000, maxTokens: 8_000 },
        ]),
      ),
    }),
  });

const wheel = (models: string) =>
  zipOf({
    'genai_prices/data.py': `from .types import *\n\nproviders: list[Provider] = [\n    Provider(\n        id='groq',\n        price_comments='It\\'s "checked" by hand, '\n        "twice",\n        models=[${models}],\n    ),\n]\n`,
    'genai_prices-0.2.3.dist-info/METADATA': 'Metadata-Version: 2.5\nName: genai-prices\nVersion: 0.2.3\n',
  });
const priced = (id: string, prices: string) =>
  `ModelInfo(id='${id}', match=ClauseOr(or_=[ClauseEquals(equals='${id}')]), context_window=100000, prices=${prices}), `;
const flat = (input: string, output: string, cached: string) =>
  `ModelPrice(input_mtok=Decimal('${input}'), cache_read_mtok=Decimal('${cached}'), output_mtok=Decimal('${output}'))`;

const liteLlm = (costs: Record<string, object>) =>
  Object.fromEntries(
    Object.entries(costs).map(([id, cost]) => [`groq/${id}`, { litellm_provider: 'groq', ...cost }]),
  );

type Override = { id: string; set: object; source: string; date: string };

function writeSources(): void {
  writeFileSync(
    inFolder('models-dev.json'),
    JSON.stringify(modelsDev({ outvoted: { input: 9, output: 9 }, gone: { input: 1, output: 2 } })),
  );
  writeFileSync(
    inFolder('pi.tgz'),
    piAi({
      outvoted: { input: 2, output: 4, cacheRead: 0.5, cacheWrite: 0 },
      disputed: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 },
    }),
  );
  writeFileSync(
    inFolder('genai.whl'),
    wheel(
      priced('outvoted', flat('3', '4', '0.5')) +
        priced('disputed', flat('1.5', '2', '0.1')) +
        priced(
          'dated',
          `[ConditionalPrice(prices=${flat('8', '8', '8')}), ConditionalPrice(constraint=StartDateConstraint(start_date=datetime.date(2026, 2, 1)), prices=ModelPrice(input_mtok=TieredPrices(base=Decimal('1.25'), tiers=[Tier(start=50000, price=Decimal('2.5'))]), output_mtok=Decimal('5')))]`,
        ),
    ),
  );
  writeFileSync(
    inFolder('litellm.json'),
    JSON.stringify(
      liteLlm({
        outvoted: {
          input_cost_per_token: 2e-6,
          output_cost_per_token: 4e-6,
          cache_read_input_token_cost: 5e-7,
        },
      }),
    ),
  );
}

const limits = { released: '2026-02-01', contextWindow: 100_000, maxOutputTokens: 8_000, capabilities: [] };
const OVERRIDES: Override[] = [
  { id: 'groq/disputed', set: { name: 'Disputed', ...limits }, source: 'its page', date: daysAgo(3) },
  { id: 'groq/dated', set: { name: 'Dated', ...limits }, source: 'its page', date: daysAgo(3) },
];

function writeOverrides(models: Override[]): void {
  writeFileSync(
    inFolder('server/gateway/pricing/overrides.json'),
    JSON.stringify({ models, leftOut: [], fallbacks: [] }),
  );
}

function run(...options: string[]): Promise<{ code: number; out: string; err: string }> {
  const words = [
    '--models-dev',
    'models-dev.json',
    '--models-dev',
    'pi.tgz',
    '--genai-prices',
    'genai.whl',
    '--litellm',
    'litellm.json',
    ...options,
  ];
  return new Promise((resolve) => {
    execFile(process.execPath, [command, ...words], { cwd: folder }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

const DATES = ['--date', `genai-prices=${daysAgo(12)}`, '--date', `litellm=${daysAgo(8)}`];
const catalogFile = inFolder('server/gateway/pricing/catalog.json');
const readModel = (id: string) =>
  JSON.parse(readFileSync(catalogFile, 'utf8')).models.find((model: { id: string }) => model.id === id);

beforeEach(() => {
  rmSync(catalogFile, { force: true });
  writeSources();
  writeOverrides(OVERRIDES);
});

describe('npm run catalog', () => {
  test('reads a wheel, an npm package and JSON, and names each source with its version and date', async () => {
    const { code, out } = await run(...DATES);
    expect(code).toBe(0);
    expect(out).toContain(
      `Sources: models.dev of ${daysAgo(200)}, pi-ai of ${daysAgo(10)}, genai-prices 0.2.3 of ${daysAgo(12)}, litellm of ${daysAgo(8)}`,
    );
    expect(
      JSON.parse(readFileSync(catalogFile, 'utf8')).sources.map(({ name }: { name: string }) => name),
    ).toEqual(['models.dev', 'pi-ai', 'genai-prices', 'litellm', 'overrides.json']);
    expect(readModel('groq/dated').prices).toEqual([
      {
        from: '2026-02-01',
        input: '1.25',
        output: '5',
        cacheRead: '1.25',
        cacheWrite5m: '1.5625',
        cacheWrite1h: '2.5',
        tiers: [
          {
            above: 50_000,
            input: '2.5',
            output: '5',
            cacheRead: '2.5',
            cacheWrite5m: '3.125',
            cacheWrite1h: '5',
          },
        ],
      },
    ]);
  });

  test('reports every disagreement; two sources outvote a third, and of two the higher price applies', async () => {
    const { out } = await run(...DATES);
    const lines = [
      'groq/disputed input: pi-ai 1, genai-prices 1.5: 1.5 is used',
      'groq/outvoted input: pi-ai 2, genai-prices 3, litellm 2: 2 is used',
    ];
    for (const line of lines) expect(out).toContain(line);
    expect(JSON.parse(readFileSync(catalogFile, 'utf8')).disagreements).toEqual(lines);
    expect(readModel('groq/outvoted')).toMatchObject({
      pricedBy: ['pi-ai', 'litellm'],
      prices: [{ input: '2', output: '4', cacheRead: '0.5' }],
    });
    expect(readModel('groq/disputed')).toMatchObject({
      pricedBy: ['genai-prices'],
      prices: [{ input: '1.5' }],
    });
  });

  test('gives a source older than the maximum age no vote, and leaves out a model that only it prices', async () => {
    const { out } = await run(...DATES);
    expect(out).toMatch(/Left out, no complete price \(1\): groq\/gone/);
    expect(out).not.toContain('models.dev 9');
    const all = await run(...DATES, '--max-age-days', '300');
    expect(all.out).toContain('models.dev 9');
    expect(readModel('groq/gone')).toMatchObject({ pricedBy: ['models.dev'] });
  });

  test('fails on an override of a price that is older than the maximum age, and writes nothing', async () => {
    const set = { name: 'Old', ...limits, prices: [{ input: '1', output: '2' }] };
    writeOverrides([...OVERRIDES, { id: 'groq/old', set, source: 'its page', date: daysAgo(46) }]);
    const { code, err } = await run(...DATES);
    expect([code, err]).toEqual([
      2,
      `server/gateway/pricing/overrides.json: these prices are older than 45 days:\n  groq/old: ${daysAgo(46)}, its page\n`,
    ]);
    expect(() => readFileSync(catalogFile)).toThrow('ENOENT');
    expect((await run(...DATES, '--max-age-days', '46')).code).toBe(0);
    expect(readModel('groq/old').pricedBy).toEqual([`overrides.json ${daysAgo(46)}`]);
  });

  test('fails when every source is older than the maximum age', async () => {
    const { code, err } = await run(...DATES, '--max-age-days', '5');
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^Every source is older than 5 days: models\.dev of /),
    ]);
  });

  test.each([
    [
      'a file whose date is unknown',
      ['--date', `litellm=${daysAgo(8)}`],
      /^--date genai-prices=DATE: the day/,
    ],
    [
      'a date that is none',
      ['--date', 'genai-prices=yesterday'],
      /^--date genai-prices: expected a date such/,
    ],
    [
      'an age that is none',
      [...DATES, '--max-age-days', 'old'],
      /^--max-age-days: expected a number of days/,
    ],
  ])('refuses %s', async (_what, options, message) => {
    const { code, err } = await run(...options);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  test('names the source and the line that it cannot read', async () => {
    writeFileSync(inFolder('genai.whl'), wheel("ModelInfo(id='x' 'y', match=lambda: 1)"));
    const { code, err } = await run(...DATES);
    expect([code, err]).toEqual([2, expect.stringMatching(/^genai\.whl: line 8: expected/)]);
  });
});
