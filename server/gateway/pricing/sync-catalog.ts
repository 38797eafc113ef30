import { pool } from '../../base/db';
import { type OffPeak, type PriceVersion, priceVersions } from './catalog';
import type { ModelPrices, TokenPrices } from './cost';

/** Writes new models and prices to the database. The history is append-only. */
export async function syncCatalog(): Promise<void> {
  const known = priceVersions();
  const models = known.map(({ model: { id, name, provider } }) => ({ id, name, provider }));
  const prices = known.flatMap(({ model, versions }) =>
    versions.flatMap((version) => toRows(model.id, version)),
  );
  // Prisma needs half a second for so many rows, in every process that starts.
  await pool().query(
    `WITH new_model AS (
       INSERT INTO model (id, name, provider)
       SELECT id, name, provider FROM json_to_recordset($1::json) AS m (id text, name text, provider text)
       ON CONFLICT DO NOTHING
     )
     INSERT INTO model_price (version, model_id, prices, effective_at)
     SELECT version, model_id, prices, effective_at
     FROM json_to_recordset($2::json) AS p (version text, model_id text, prices jsonb, effective_at timestamptz)
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(models), JSON.stringify(prices)],
  );
}

function toRows(modelId: string, { name, from, prices, offPeak, ofResolutions }: PriceVersion) {
  const row = (version: string, written: ReturnType<typeof writePrices>, hours: object) => ({
    version,
    model_id: modelId,
    effective_at: `${from}T00:00:00Z`,
    prices: { ...written, ...hours },
  });
  if (offPeak === null)
    return [
      row(name, writePrices(prices), {}),
      ...[...ofResolutions].map(([resolution, one]) =>
        row(one.name, writePrices(one.prices), { resolution }),
      ),
    ];
  return [
    row(name, writePrices(prices), writeHours('peak', offPeak)),
    row(offPeak.name, writePrices(offPeak.prices), writeHours('off_peak', offPeak)),
  ];
}

const writePrices = (prices: ModelPrices) => ({
  ...writeTokenPrices(prices),
  tiers: prices.tiers.map((tier) => ({ above: tier.above, ...writeTokenPrices(tier) })),
  ...(prices.webSearch !== undefined && { web_search: String(prices.webSearch) }),
  ...(prices.inputUnit && { input_unit: String(prices.inputUnit.price), input_kind: prices.inputUnit.kind }),
  ...(prices.outputUnit && {
    output_unit: String(prices.outputUnit.price),
    output_kind: prices.outputUnit.kind,
  }),
});

function writeHours(period: 'peak' | 'off_peak', { peak: { hours, days, holidays } }: OffPeak) {
  return { period, peak_hours: { hours: [...hours], days: [...days], holidays: [...holidays] } };
}

/** JSON has no integers of this size, so they are written as text. */
function writeTokenPrices({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: TokenPrices) {
  return {
    input: String(input),
    output: String(output),
    cache_read: String(cacheRead),
    cache_write_5m: String(cacheWrite5m),
    cache_write_1h: String(cacheWrite1h),
  };
}
