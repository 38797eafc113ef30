import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { listenOnLoopback, readBody } from '@/sandbox/loopback-server';
import { setClock } from '@/server/base/clock';
import { pool } from '@/server/base/db';
import { listPriceHistory } from '@/server/gateway/pricing/price-history';
import { syncCatalog } from '@/server/gateway/pricing/sync-catalog';
import { checkLedger } from '@/server/ledger';
import { createPartner } from '@/server/partners/partner';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { completion, completionStream } from '../../harness/scripted-responses';

/** A provider that charges half outside its peak hours, and decides by the end of the response. */

const PEAK = {
  hours: ['01:00-04:00', '06:00-10:00'],
  days: [1, 2, 3, 4, 5],
  holidays: ['2027-01-01'],
};

/** 30 tokens, at 2 USD per million in peak hours and 1 USD outside. */
const PEAK_CREDITS = 0.006;
const OFF_PEAK_CREDITS = 0.003;

/** The time at which the provider completes its response. */
let endsAt = 0;
const upstream = await listenOnLoopback(async (request, response) => {
  const { stream } = JSON.parse(await readBody(request));
  const reply = stream ? completionStream([{ content: 'Hello' }]) : completion({ content: 'Hello' });
  setClock(() => endsAt);
  if (reply.events === undefined) return void response.end(JSON.stringify(reply.body));
  const lines = reply.events.map((event) =>
    typeof event === 'string' ? `${event}\n\n` : `data: ${JSON.stringify(event)}\n\n`,
  );
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(lines.join(''));
});
afterAll(() => upstream.close());
afterEach(() => setClock());

const directory = mkdtempSync(path.join(tmpdir(), 'catalog-'));
afterAll(() => rmSync(directory, { recursive: true }));
process.env.CATALOG_FILE = path.join(directory, 'models.json');
writeFileSync(
  process.env.CATALOG_FILE,
  JSON.stringify({
    providers: { hourly: { format: 'openai', baseUrl: `${upstream.url}/v1` } },
    models: [
      {
        id: 'hourly/night',
        name: 'Night',
        released: '2026-01-31',
        contextWindow: 100_000,
        maxOutputTokens: 1_000,
        capabilities: ['sampling'],
        prices: {
          from: '2026-11-01',
          input: '2',
          output: '2',
          cacheRead: '2',
          offPeak: { input: '1', output: '1', cacheRead: '1', peak: PEAK },
        },
      },
    ],
  }),
);

await newDatabase();
const { url } = await startApi();

async function send(person: Person, times: { start: string; end: string }, options: object = {}) {
  setClock(() => Date.parse(times.start));
  endsAt = Date.parse(times.end);
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}` },
    body: JSON.stringify({
      model: 'hourly/night',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'hi' }],
      ...options,
    }),
  });
  const body = await response.text();
  expect([response.status, body]).toEqual([200, expect.stringContaining('Hello')]);
  const id = response.headers.get('x-request-id');
  const receipt = await fetch(`${url}/v1/credits/receipts/${id}`, {
    headers: { authorization: `Bearer ${person.userKey}` },
  });
  return receipt.json();
}

const cases: [what: string, start: string, end: string, credits: number, version: RegExp][] = [
  ['in peak hours', '2026-11-23T02:00Z', '2026-11-23T02:00Z', PEAK_CREDITS, /@2026-11-01\.peak\.\w{8}$/],
  ['at night', '2026-11-23T12:00Z', '2026-11-23T12:00Z', OFF_PEAK_CREDITS, /@2026-11-01\.off-peak\.\w{8}$/],
  ['on Sunday', '2026-11-22T02:00Z', '2026-11-22T02:00Z', OFF_PEAK_CREDITS, /\.off-peak\./],
  ['on a holiday', '2027-01-01T02:00Z', '2027-01-01T02:00Z', OFF_PEAK_CREDITS, /\.off-peak\./],
  ['until peak hours began', '2026-11-23T00:59Z', '2026-11-23T01:00Z', PEAK_CREDITS, /\.peak\./],
  ['until peak hours ended', '2026-11-23T03:59Z', '2026-11-23T04:00Z', OFF_PEAK_CREDITS, /\.off-peak\./],
];

describe.each([{ stream: false }, { stream: true }])('with %j, a request that ran', (options) => {
  test.each(cases)('%s is charged at the price of its end', async (_what, start, end, credits, version) => {
    const person = await newPerson({ credits: 10, rateBp: 0 });
    const receipt = await send(person, { start, end }, options);
    expect(receipt).toMatchObject({
      provider_credits: credits,
      charged_credits: credits,
      overrun_credits: 0,
      price_version: expect.stringMatching(version),
    });
  });
});

describe('a price that changes by the hour', () => {
  test('is held at its highest, whatever the hour', async () => {
    const person = await newPerson({ credits: 10, rateBp: 0 });
    const day = await send(person, { start: '2026-11-23T02:00Z', end: '2026-11-23T02:00Z' });
    const night = await send(person, { start: '2026-11-23T12:00Z', end: '2026-11-23T12:00Z' });
    expect(night.held_credits).toBe(day.held_credits);
    expect(night.charged_credits).toBe(day.charged_credits / 2);
  });

  test('has a version for each of its prices, from which every receipt can be computed', async () => {
    await syncCatalog();
    const { rows } = await pool().query(
      `SELECT u.provider_cost, (m.prices->>'input')::numeric * u.input_tokens
         + (m.prices->>'output')::numeric * u.output_tokens AS cost
       FROM usage u JOIN model_price m ON m.version = u.price_version WHERE u.model = 'hourly/night'`,
    );
    expect(rows).toHaveLength(cases.length * 2 + 2);
    for (const { provider_cost, cost } of rows) expect(BigInt(cost) / 1_000_000n).toBe(BigInt(provider_cost));
    const history = await listPriceHistory('hourly/night');
    expect(history.map(({ condition, prices }) => [condition, prices[0]?.input]).sort()).toEqual([
      [
        'Off-peak: all hours except 01:00–04:00 and 06:00–10:00 UTC, Monday to Friday, except public holidays',
        '1',
      ],
      ['Peak: 01:00–04:00 and 06:00–10:00 UTC, Monday to Friday, except public holidays', '2'],
    ]);
  });

  test('is listed with both prices and its peak hours', async () => {
    const { data } = await (await fetch(`${url}/v1/models`)).json();
    const { pricing } = data.find(({ id }: { id: string }) => id === 'hourly/night');
    expect(pricing).toMatchObject({
      input: 2,
      output: 2,
      off_peak: {
        input: 1,
        output: 1,
        cache_read: 1,
        peak_hours_utc: PEAK.hours,
        peak_days: PEAK.days,
        peak_holidays: PEAK.holidays,
      },
    });
  });

  test('is estimated with both prices', async () => {
    const { publishableKey } = await createPartner({ name: 'Test app', rateBp: 2500, origins: [] });
    const query = new URLSearchParams({ publishable_key: publishableKey, models: 'hourly/night' });
    const { models } = await (await fetch(`${url}/v1/credits/pricing?${query}`)).json();
    expect(models).toEqual([
      { id: 'hourly/night', name: 'Night', credits_per_request: 1.25, off_peak_credits_per_request: 0.625 },
    ]);
  });

  test('leaves no difference in the ledger', async () => {
    expect((await checkLedger()).differences).toEqual([]);
  });
});
