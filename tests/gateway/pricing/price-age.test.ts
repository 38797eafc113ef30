import { afterEach, expect, test } from 'vitest';
import { DAY_MS, setClock } from '@/server/base/clock';
import { SANDBOX_FORMATS } from '@/server/base/endpoints';
import { catalogModels } from '@/server/gateway/pricing/catalog';
import catalogJson from '@/server/gateway/pricing/catalog.json';
import { listPriceAges } from '@/server/gateway/pricing/price-age';
import { svc } from '../../harness/command';

/** With a key for one provider: the prices of the others are charged to nobody. */
process.env.MISTRAL_API_KEY = 'of the test';
const newest = catalogJson.sources
  .map(({ asOf }) => Date.parse(asOf))
  .reduce((most, time) => Math.max(most, time));
const daysLater = (days: number) => setClock(() => newest + days * DAY_MS);
afterEach(() => setClock());

const check = (...options: string[]) => svc('models', 'check', ...options);

test('models check shows the age of the prices of each provider, and where the sources differ', async () => {
  daysLater(2);
  const { code, out } = await check();
  expect(code).toBe(0);
  expect(out).toMatch(
    /^The catalogue is valid: \d+ models\.\n\nprovider +models +served +oldest price +days old\n/,
  );
  expect(out).toMatch(/^mistral +\d+ +yes +2026-\d\d-\d\d +\d+$/m);
  expect(out).toContain(`The sources differ on ${catalogJson.disagreements.length} prices:`);
  for (const line of catalogJson.disagreements) expect(out).toContain(line);
});

test('models check fails when a price of a served provider is too old', async () => {
  daysLater(60);
  const { code, out } = await check('--json');
  const { ok, problems, price_ages } = JSON.parse(out);
  expect([code, ok]).toEqual([1, false]);
  expect(problems).toEqual([expect.stringMatching(/^mistral: \d+ prices are older than 45 days: mistral\//)]);
  const age = price_ages.find(({ provider }: { provider: string }) => provider === 'mistral');
  expect(age).toMatchObject({ served: true, age_days: expect.any(Number) });
  expect(age.old_models).toHaveLength(age.models);
  expect((await check('--max-age-days', '90')).code).toBe(0);
});

test('an age that is no number of days is refused', async () => {
  expect(await check('--max-age-days', 'old')).toEqual({
    code: 1,
    out: '',
    err: '--max-age-days: expected a number of days such as 45\n',
  });
});

test('every model of the catalogue has a source with a date', () => {
  const counted = listPriceAges(45).reduce((sum, { models }) => sum + models, 0);
  expect(counted).toBe(catalogModels().filter(({ pricedAt }) => pricedAt !== null).length);
  const own = catalogModels().filter(({ provider }) => !(provider in SANDBOX_FORMATS));
  expect(own.filter(({ pricedAt }) => pricedAt === null)).toEqual([]);
});
