import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createPartner, disablePartner, setAllowedModels } from '@/server/partners/partner';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';

/** List prices in USD per million tokens, and what 2500 + 2500 tokens cost at a rate of 25%. */
const GOLDEN: [input: string, output: string, credits: number][] = [
  ['1.75', '14', 4.921875],
  ['2', '12', 4.375],
  ['1', '3.20', 1.3125],
  ['0.60', '3', 1.125],
  ['0.30', '1.20', 0.46875],
  ['0.28', '0.42', 0.21875],
];

const directory = mkdtempSync(path.join(tmpdir(), 'catalog-'));
afterAll(() => rmSync(directory, { recursive: true }));
process.env.CATALOG_FILE = path.join(directory, 'models.json');
writeFileSync(
  process.env.CATALOG_FILE,
  JSON.stringify({
    providers: { golden: { format: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } },
    models: [
      ...GOLDEN.map(([input, output], i) => entry(`golden/${i}`, { input, output })),
      entry('golden/odd', { input: '0.00000007', output: '0.00000001' }),
      entry('golden/tiers', {
        input: '1',
        output: '2',
        tiers: [{ above: 200_000, input: '2', output: '3' }],
      }),
    ],
  }),
);

function entry(id: string, prices: object): object {
  return {
    id,
    name: `Model ${id}`,
    released: '2026-01-31',
    contextWindow: 1_000_000,
    maxOutputTokens: 64_000,
    capabilities: [],
    prices,
  };
}

await newDatabase();
const { url } = await startApi();
const partner = await createPartner({ name: 'Test app', rateBp: 2500, origins: [] });
const pk = partner.publishableKey;

type Estimate = {
  token_assumption: unknown;
  models: { id: string; name: string; credits_per_request: number }[];
};
type Refusal = { error: { type: string; param: string | null; code: string } };

const get = (query: Record<string, string>) =>
  fetch(`${url}/v1/credits/pricing?${new URLSearchParams(query)}`);
const post = (body: unknown) =>
  fetch(`${url}/v1/credits/pricing`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const estimate = async (response: Response | Promise<Response>): Promise<Estimate> => (await response).json();

async function refusal(response: Response | Promise<Response>) {
  const { error } = (await (await response).json()) as Refusal;
  return { status: (await response).status, type: error.type, param: error.param };
}

describe('estimates', () => {
  test('match the golden values of 2500 + 2500 tokens, commission included', async () => {
    const { token_assumption, models } = await estimate(get({ publishable_key: pk }));
    expect(token_assumption).toEqual({ input: 2500, output: 2500 });
    const priced = new Map(models.map((model) => [model.id, model.credits_per_request]));
    expect(GOLDEN.map((_, i) => priced.get(`golden/${i}`))).toEqual(GOLDEN.map(([, , credits]) => credits));
    expect(models.find(({ id }) => id === 'sandbox/echo')).toEqual({
      id: 'sandbox/echo',
      name: 'Sandbox Echo',
      credits_per_request: 0.234375,
    });
  });

  test.each([
    ['sandbox/ocr', '1 page', 0.25],
    ['sandbox/rerank', '1 query with up to 100 short documents', 0.25],
    ['sandbox/moderation', '1 text', 0],
  ])('of %s state what they assume instead of tokens', async (id, assumption, credits) => {
    const { models } = await estimate(get({ publishable_key: pk, models: id, input_tokens: '9' }));
    expect(models).toMatchObject([{ id, assumption, credits_per_request: credits }]);
  });

  test('are the same for GET and POST', async () => {
    const models = ['golden/1', 'golden/0'];
    const [fromQuery, fromBody] = await Promise.all([
      estimate(
        get({ publishable_key: pk, models: models.join(', '), input_tokens: '1000', output_tokens: '0' }),
      ),
      estimate(post({ publishable_key: pk, models, input_tokens: 1000, output_tokens: 0 })),
    ]);
    expect(fromQuery).toEqual({
      token_assumption: { input: 1000, output: 0 },
      models: [
        { id: 'golden/0', name: 'Model golden/0', credits_per_request: 0.21875 },
        { id: 'golden/1', name: 'Model golden/1', credits_per_request: 0.25 },
      ],
    });
    expect(fromBody).toEqual(fromQuery);
  });

  test('have six decimals, the last rounded up like a charge', async () => {
    const of = async (tokens: number) =>
      (
        await estimate(
          post({ publishable_key: pk, models: ['golden/odd'], input_tokens: tokens, output_tokens: tokens }),
        )
      ).models[0]?.credits_per_request;
    expect([await of(0), await of(1), await of(1_000_000)]).toEqual([0, 0.000001, 0.00001]);
  });

  test('use the price tier of the prompt', async () => {
    const of = async (input_tokens: number) =>
      (
        await estimate(
          post({ publishable_key: pk, models: ['golden/tiers'], input_tokens, output_tokens: 0 }),
        )
      ).models[0]?.credits_per_request;
    expect([await of(200_000), await of(200_001)]).toEqual([25, 50.00025]);
  });
});

describe('the models of an estimate', () => {
  test('are those that the app may use, filtered by the request', async () => {
    const limited = await createPartner({ name: 'Limited app', rateBp: 0, origins: [] });
    await setAllowedModels(limited.id, ['golden/0', 'golden/2', 'openai/gpt-4.1']);
    const ids = async (models?: string[]) =>
      (await estimate(post({ publishable_key: limited.publishableKey, models }))).models.map(({ id }) => id);
    expect(await ids()).toEqual(['golden/0', 'golden/2']);
    expect(await ids(['golden/2', 'golden/3'])).toEqual(['golden/2']);
    expect(await ids([])).toEqual([]);
  });

  test('omit ids that do not exist or are not served', async () => {
    const body = await estimate(
      get({ publishable_key: pk, models: 'golden/0,openai/gpt-4.1,golden/nothing' }),
    );
    expect(body.models.map(({ id }) => id)).toEqual(['golden/0']);
  });

  test('are all models when the filter in the query is empty', async () => {
    const [all, empty] = await Promise.all([
      estimate(get({ publishable_key: pk })),
      estimate(get({ publishable_key: pk, models: '' })),
    ]);
    expect(empty).toEqual(all);
  });
});

describe('refusals', () => {
  test.each(['', 'abc', '-1', '1.5', '1e3', 'Infinity', '100000001'])(
    'a query with input_tokens=%s gets 400 that names the parameter',
    async (text) => {
      expect(await refusal(get({ publishable_key: pk, input_tokens: text }))).toEqual({
        status: 400,
        type: 'invalid_request',
        param: 'input_tokens',
      });
    },
  );

  test.each([null, true, '', 'many', 1.5, -1, [1]])(
    'a body with output_tokens %j gets 400 that names the parameter',
    async (value) => {
      expect(await refusal(post({ publishable_key: pk, output_tokens: value }))).toEqual({
        status: 400,
        type: 'invalid_request',
        param: 'output_tokens',
      });
    },
  );

  test('models that are not a list of ids, or are given twice, get 400 that names the parameter', async () => {
    const bad = { status: 400, type: 'invalid_request' };
    expect(await refusal(post({ publishable_key: pk, models: 'golden/0' }))).toEqual({
      ...bad,
      param: 'models',
    });
    expect(await refusal(post({ publishable_key: pk, models: [1] }))).toEqual({ ...bad, param: 'models.0' });
    expect(await refusal(fetch(`${url}/v1/credits/pricing?publishable_key=${pk}&models=a&models=b`))).toEqual(
      { ...bad, param: 'models' },
    );
  });

  test('a missing publishable key, an unknown one and that of a disabled app get different errors', async () => {
    const param = 'publishable_key';
    expect(await refusal(get({}))).toEqual({ status: 400, type: 'invalid_request', param });
    expect(await refusal(post({}))).toEqual({ status: 400, type: 'invalid_request', param });
    expect(await refusal(get({ publishable_key: 'svc_pk_nothing' }))).toEqual({
      status: 401,
      type: 'invalid_publishable_key',
      param,
    });
    const gone = await createPartner({ name: 'Gone app', rateBp: 0, origins: [] });
    await disablePartner(gone.id);
    expect(await refusal(get({ publishable_key: gone.publishableKey }))).toEqual({
      status: 403,
      type: 'partner_disabled',
      param: null,
    });
  });

  test('a body that is not JSON gets 400', async () => {
    const response = await fetch(`${url}/v1/credits/pricing`, { method: 'POST', body: 'input_tokens=1' });
    expect(response.status).toBe(400);
  });
});
