import { afterEach, expect, test } from 'vitest';
import { DAY_MS, setClock } from '@/server/base/clock';
import { listToolPriceAges } from '@/server/gateway/pricing/price-age';
import toolPrices from '@/server/gateway/pricing/tool-prices.json';
import { runCommand } from '@/server/operator/cli/run';

/** With a key for one of the providers whose models search the web. */
process.env.ANTHROPIC_API_KEY = 'of the test';
const confirmed = toolPrices.webSearch.find(({ provider }) => provider === 'anthropic')?.date ?? '';
const daysLater = (days: number) => setClock(() => Date.parse(confirmed) + days * DAY_MS);
afterEach(() => setClock());

async function check(...options: string[]) {
  let out = '';
  const write = (text: string) => {
    out += text;
  };
  const code = await runCommand(['models', 'check', ...options], { out: write, err: write });
  return { code, out };
}

/** Of web searches; the prices of tokens have tests of their own. */
const problemsIn = (out: string): string[] =>
  JSON.parse(out).problems.filter((problem: string) => problem.includes('web search'));

test('models check shows the age of the price of a web search', async () => {
  daysLater(3);
  const { out } = await check('--json');
  expect(problemsIn(out)).toEqual([]);
  expect(JSON.parse(out).tool_price_ages).toContainEqual({
    provider: 'anthropic',
    tool: 'web search',
    served: true,
    models: expect.any(Number),
    price_date: confirmed,
    age_days: 3,
    old: false,
  });
  expect((await check()).out).toMatch(/^anthropic: web search +\d+ +yes +2026-\d\d-\d\d +3$/m);
});

test('models check fails when the price of a web search of a served provider is too old', async () => {
  daysLater(46);
  const { code, out } = await check('--json');
  expect(code).toBe(1);
  expect(problemsIn(out)).toEqual(['anthropic: the price of a web search is older than 45 days']);
  expect(problemsIn((await check('--json', '--max-age-days', '50')).out)).toEqual([]);
});

test('every price of a web search that has a source applies to models', () => {
  const ages = listToolPriceAges(45);
  expect(ages.map(({ provider }) => provider).sort()).toEqual(['anthropic', 'openai', 'openrouter']);
  for (const { models } of ages) expect(models).toBeGreaterThan(0);
});
