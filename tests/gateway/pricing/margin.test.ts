import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { svc } from '../../harness/command';
import { newDatabase } from '../../harness/database';

/** `svc margin report` with exports in the formats of three providers. */

await newDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'bill-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Past = {
  model: string;
  at: string;
  cost: number;
  charge: number;
  tokens?: [number, number, number];
  searches?: number;
};

/** Writes a receipt of the past; the ledger books only the present. */
async function record({ model, at, cost, charge, tokens = [100, 0, 20], searches }: Past): Promise<void> {
  const [provider] = model.split('/');
  await pool().query(
    `INSERT INTO ledger_transaction (user_id, id, partner_id, kind, key_id, model, provider, price_version, input_tokens,
       cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, held, provider_cost,
       web_searches, credits, balance_after, partner_share, estimated, cost_reported, rate_bp, outcome, created_at)
     VALUES ('usr_1', $1, 'prt_1', 'usage', 'key_1', $2, $3, $2 || '@2026-11-01.0a1b2c3d', $4, $5, 0, 0, $6, 0, 0, $7, $10, -$8::bigint,
       0, 0, false, false, 2500, 'completed', $9)`,
    [newId('txn'), model, provider, ...tokens, cost * 1_000_000, charge * 1_000_000, at, searches ?? null],
  );
}

beforeAll(async () => {
  const openai = 'openai/gpt-5.4';
  await record({ model: openai, at: '2026-11-20T00:00:00Z', cost: 10, charge: 12.5 });
  await record({ model: openai, at: '2026-11-20T23:59:59Z', cost: 10, charge: 12.5 });
  await record({ model: openai, at: '2026-11-21T00:00:00Z', cost: 30, charge: 37.5 });
  await record({ model: `${openai}:batch`, at: '2026-11-21T00:00:00Z', cost: 20, charge: 25 });
  await record({ model: openai, at: '2026-11-19T23:59:59Z', cost: 999, charge: 999 });
  await record({ model: openai, at: '2026-11-22T00:00:00Z', cost: 999, charge: 999 });
  const claude = 'anthropic/claude-sonnet-4-5';
  await pool().query(
    "INSERT INTO model (id, name, provider) VALUES ($1, $1, 'anthropic') ON CONFLICT DO NOTHING",
    [claude],
  );
  await pool().query(
    `INSERT INTO model_price (version, model_id, prices) VALUES ($1 || '@2026-11-01.0a1b2c3d', $1, '{"web_search": "1000000000000"}')`,
    [claude],
  );
  // Anthropic bills the two searches on a line of their own.
  await record({ model: claude, at: '2026-11-20T12:00:00Z', cost: 102, charge: 110, searches: 2 });
  await record({ model: 'anthropic/claude-haiku-4-5', at: '2026-11-20T12:00:00Z', cost: 1, charge: 1 });
  const router = 'openrouter/qwen/qwen3.6-27b';
  await record({ model: router, at: '2026-11-20T12:00:00Z', cost: 2, charge: 2 });
});

async function run(content: string, ...options: string[]) {
  const file = path.join(folder, 'export');
  writeFileSync(file, content);
  const { code, out, err } = await svc('margin', 'report', file, ...options);
  return { code, out, err: err.replaceAll(`${file}: `, '') };
}

async function report(content: string, ...options: string[]) {
  const { code, out, err } = await run(content, '--json', ...options);
  expect(err).toBe('');
  return { code, ...JSON.parse(out) };
}

const row = (
  day: string,
  model: string,
  [requests, charged, recorded, billed]: [number, number, number, number],
  differs = false,
) => ({
  day,
  model,
  requests,
  differs,
  charged_credits: charged,
  recorded_credits: recorded,
  billed_credits: billed,
});

const OPENAI_COSTS = [
  'start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,line_item,project_id,organization_name',
  '1763596800,1763683200,2026-11-20T00:00:00+00:00,2026-11-21T00:00:00+00:00,0.15000000000000000,usd,"gpt-5.4-2026-03-05, input",proj_1,"Acme, Inc."',
  '1763596800,1763683200,2026-11-20T00:00:00+00:00,2026-11-21T00:00:00+00:00,0.05,usd,"gpt-5.4-2026-03-05, output",proj_1,"Acme, Inc."',
  '1763683200,1763769600,2026-11-21T00:00:00+00:00,2026-11-22T00:00:00+00:00,0.60,usd,"gpt-5.4-2026-03-05, output",proj_1,"Acme, Inc."',
  '1763769600,1763856000,2026-11-22T00:00:00+00:00,2026-11-23T00:00:00+00:00,,,,,',
].join('\r\n');

const openAiPage = (results: object[], hasMore = false) => ({
  object: 'page',
  data: [{ object: 'bucket', start_time: Date.parse('2026-11-20') / 1000, end_time: 0, results }],
  has_more: hasMore,
  next_page: null,
});
const openAiCost = (value: unknown, line_item: string | null, currency = 'usd') => ({
  object: 'organization.costs.result',
  amount: { value, currency },
  line_item,
  project_id: null,
});

const ANTHROPIC_COSTS = {
  data: [
    {
      starting_at: '2026-11-20T00:00:00Z',
      ending_at: '2026-11-21T00:00:00Z',
      results: [
        ...[
          ['uncached_input_tokens', '60.5'],
          ['output_tokens', '39.5'],
        ].map(([token_type, amount]) => ({
          currency: 'USD',
          amount,
          token_type,
          cost_type: 'tokens',
          service_tier: 'standard',
          workspace_id: null,
          context_window: '0-200k',
          model: 'claude-sonnet-4-5-20250929',
          description: `Claude Sonnet 4.5 usage, ${token_type}`,
        })),
        { currency: 'USD', amount: '1000', cost_type: 'web_search', model: null, token_type: null },
      ],
    },
  ],
  has_more: false,
  next_page: null,
};

const OPENROUTER = [
  'generation_id,created_at,cost_total,tokens_prompt,tokens_completion,model_permaslug,provider_name',
  'gen-1,2026-11-20 11:00:00.123,0.0105,100,20,qwen/qwen3.6-27b-20260422,Alibaba',
  'gen-2,2026-11-20 12:00:00.123,9.5e-3,100,20,qwen/qwen3.6-27b-20260422,Alibaba',
].join('\n');

describe('svc margin report compares per day and model what was charged, recorded and billed', () => {
  test('by OpenAI, in CSV, and marks a difference beyond the tolerance', async () => {
    const { code, provider, different, rows } = await report(OPENAI_COSTS);
    expect([code, provider, different]).toEqual([1, 'openai', 1]);
    expect(rows).toEqual([
      row('2026-11-20', 'gpt-5.4', [2, 25, 20, 20]),
      row('2026-11-21', 'gpt-5.4', [2, 62.5, 50, 60], true),
    ]);
    expect(await report(OPENAI_COSTS, '--tolerance', '17')).toMatchObject({ code: 0, different: 0 });
  });

  test('by OpenAI, in JSON of one page or several', async () => {
    const pages = [
      openAiPage([openAiCost(0.1, 'gpt-5.4-2026-03-05, input')], true),
      openAiPage([openAiCost('0.10000000000000000000', 'gpt-5.4-2026-03-05, cached input')]),
    ];
    const whole = await report(JSON.stringify(pages));
    expect(whole).toMatchObject({ code: 0, rows: [row('2026-11-20', 'gpt-5.4', [2, 25, 20, 20])] });
    const { err } = await run(JSON.stringify(pages[0]));
    expect(err).toBe('warning: the export has further pages, which are not in this file\n');
  });

  test('by OpenAI, from the tokens of a usage export at list price', async () => {
    const usage = {
      object: 'organization.usage.completions.result',
      model: 'gpt-5.4-2026-03-05',
      num_model_requests: 2,
      input_tokens: 80_000,
      input_cached_tokens: 40_000,
      output_tokens: 6_000,
    };
    const rows = [row('2026-11-20', 'gpt-5.4', [2, 25, 20, 20])];
    expect(await report(JSON.stringify(openAiPage([usage])))).toMatchObject({ code: 0, rows });
    const csv = [
      'start_time_iso,num_model_requests,model,input_tokens,output_tokens,input_cached_tokens',
      '2026-11-20T00:00:00+00:00,2,gpt-5.4-2026-03-05,80000,6000,40000',
    ];
    expect(await report(csv.join('\n'))).toMatchObject({ code: 0, rows });
  });

  test('by Anthropic, in JSON, with what belongs to no model', async () => {
    const { code, rows } = await report(JSON.stringify(ANTHROPIC_COSTS));
    expect(code).toBe(1);
    expect(rows).toEqual([
      row('2026-11-20', '', [0, 0, 0, 1000], true),
      row('2026-11-20', 'claude-haiku-4-5', [1, 1, 1, 0], true),
      row('2026-11-20', 'claude-sonnet-4-5', [1, 110, 100, 100]),
    ]);
  });

  test('by Anthropic, in CSV of its console', async () => {
    const csv = [
      'usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type',
      '2026-11-20,Claude Sonnet 4.5,Default,key,message,≤ 200k,input_no_cache,0.60,0.60,token',
      '2026-11-20,Claude Sonnet 4.5,Default,key,message,≤ 200k,output,0.40,0.40,token',
      '2026-11-20,Claude Haiku 4.5,Default,key,message,≤ 200k,output,0.01,0.01,token',
    ];
    expect(await report(csv.join('\n'))).toMatchObject({ code: 0, different: 0 });
    const usage = [
      'usage_date_utc,model_version,api_key,usage_input_tokens_no_cache,usage_input_tokens_cache_read,usage_output_tokens',
      '2026-11-20,claude-sonnet-4-5-20250929,key,200000,1000000,6667',
      '2026-11-20,claude-haiku-4-5-20251001,key,10000,0,0',
    ];
    expect((await report(usage.join('\n'))).rows).toEqual([
      row('2026-11-20', 'claude-haiku-4-5', [1, 1, 1, 1]),
      row('2026-11-20', 'claude-sonnet-4-5', [1, 110, 100, 100.0005]),
    ]);
  });

  test('by OpenRouter, in CSV and JSON', async () => {
    const rows = [row('2026-11-20', 'qwen/qwen3.6-27b', [1, 2, 2, 2])];
    expect(await report(OPENROUTER)).toMatchObject({ code: 0, provider: 'openrouter', rows });
    const activity = {
      data: [
        {
          date: '2026-11-20 00:00:00',
          model: 'qwen/qwen3.6-27b',
          usage: 0.02,
          requests: 1,
          model_permaslug: 'qwen/qwen3.6-27b-20260422',
          byok_usage_inference: 0,
        },
      ],
    };
    expect(await report(JSON.stringify(activity))).toMatchObject({ code: 0, rows });
  });

  test('in a table for people', async () => {
    const { out } = await run(OPENAI_COSTS);
    expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
      'openai, in credits (100 credits are 1 USD)',
      '',
      '   day         model    requests  charged  recorded cost  billed  billed − recorded',
      '   2026-11-20  gpt-5.4  2         25       20             20      0',
      '!  2026-11-21  gpt-5.4  2         62.5     50             60      10',
      '   total                4         87.5     70             80      10',
      '',
      '! marks 1 of 2 rows, whose difference exceeds 2%.',
      '',
    ]);
  });

  test('and keeps nothing of the file', async () => {
    await run(OPENAI_COSTS);
    expect(readdirSync(folder)).toEqual(['export']);
    expect(readFileSync(path.join(folder, 'export'), 'utf8')).toBe(OPENAI_COSTS);
    const { rows } = await pool().query("SELECT count(*)::int AS n FROM usage WHERE provider = 'openai'");
    expect(rows[0].n).toBe(6);
  });
});

describe('svc margin report refuses, with the place of the mistake,', () => {
  const csv = (line: string) => `usage_date_utc,model,cost_usd\n2026-11-20,a,1\n${line}`;
  test.each<[string, string, RegExp]>([
    [
      'columns of no known format',
      'day,cost\n2026-11-20,1',
      /^line 1: expected the columns start_time_iso, /,
    ],
    ['an empty file', '', /^line 1: expected the columns /],
    [
      'an amount that is none',
      csv('2026-11-20,a,abc'),
      /^line 3: cost_usd: expected an amount in US dollars, not "abc"$/,
    ],
    [
      'a date that is none',
      csv('20/11/2026,a,1'),
      /^line 3: usage_date_utc: expected a date such as 2026-11-21, not "20\/11\/2026"$/,
    ],
    ['a day that does not exist', csv('2026-13-41,a,1'), /^line 3: usage_date_utc: expected a date/],
    [
      'a broken quote',
      csv('2026-11-20,"a"b,1'),
      /^line 3: expected a comma or the end of the line after a quote$/,
    ],
    [
      'another currency',
      OPENAI_COSTS.replace('0.60,usd', '0.60,eur'),
      /^line 4: amount_currency: expected usd, not "eur"$/,
    ],
    [
      'costs that are not grouped by model',
      OPENAI_COSTS.replace('"gpt-5.4-2026-03-05, input"', ''),
      /^line 2: line_item: expected a model: group the costs by line item$/,
    ],
    [
      'tokens of an unknown model',
      'start_time_iso,model,input_tokens,output_tokens,input_cached_tokens\n2026-11-20,gpt-0,1,1,0',
      /^line 2: the catalogue has no price of openai\/gpt-0$/,
    ],
    ['JSON that is cut off', `{\n"data": [\n{"date": `, /^line 3: expected JSON$/],
    ['JSON of another kind', '{"data": [{"cost": 1}]}', /^data\[0\]: expected start_time \(OpenAI costs\)/],
    ['JSON without data', '{"data": []}', /^data: expected a list that is not empty$/],
    [
      'an amount in JSON that is none',
      JSON.stringify([openAiPage([openAiCost('much', 'gpt-5.4, input')])]),
      /^\[0\]\.data\[0\]\.results\[0\]\.amount\.value: expected an amount in US dollars, not "much"$/,
    ],
    [
      'pages of two providers',
      JSON.stringify([openAiPage([openAiCost(1, 'gpt-5.4, input')]), ANTHROPIC_COSTS]),
      /^expected pages of one provider, not openai and anthropic$/,
    ],
  ])('%s', async (_what, content, message) => {
    const { code, out, err } = await run(content);
    expect([code, out]).toEqual([1, '']);
    expect(err.trimEnd()).toMatch(message);
  });

  test('a file that does not exist, and a tolerance that is none', async () => {
    const { code, err } = await svc('margin', 'report', path.join(folder, 'nothing'));
    expect(code).toBe(1);
    expect(err).toMatch(/nothing: the file cannot be read\n$/);
    expect((await run(OPENAI_COSTS, '--tolerance', 'x')).err).toMatch(/--tolerance: expected a percentage/);
  });
});
