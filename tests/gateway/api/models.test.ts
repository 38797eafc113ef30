import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, describe, expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { findCatalogModel } from '@/server/gateway/pricing/catalog';
import { findTarget } from '@/server/gateway/pricing/served';
import { syncCatalog } from '@/server/gateway/pricing/sync-catalog';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';

const directory = mkdtempSync(path.join(tmpdir(), 'catalog-'));
afterAll(() => rmSync(directory, { recursive: true }));
const catalogFile = path.join(directory, 'models.json');
const custom = {
  name: 'Own',
  released: '2026-01-31',
  contextWindow: 8192,
  maxOutputTokens: 4096,
  capabilities: ['tools'],
};
writeFileSync(
  catalogFile,
  JSON.stringify({
    providers: {
      ollama: { format: 'openai', baseUrl: 'http://127.0.0.1:11434/v1/' },
      keyed: { format: 'anthropic', baseUrl: 'http://127.0.0.1:8000', keyVariable: 'KEYED_SECRET' },
    },
    models: [
      { ...custom, id: 'ollama/llama3', upstreamModel: 'llama3:8b', prices: { input: '0.1', output: '0.2' } },
      { ...custom, id: 'keyed/claude', prices: { input: '0.1', output: '0.2' } },
    ],
  }),
);

process.env.OPENAI_API_KEY = 'sk-of-the-test';
process.env.SANDBOX = 'open';
process.env.ANTHROPIC_API_KEY = 'sk-of-the-test';
process.env.ANTHROPIC_BASE_URL = 'http://127.0.0.1:9/';
process.env.CATALOG_FILE = catalogFile;
await newDatabase();
const { url } = await startApi();

type Model = Record<string, unknown> & { id: string };
const list = async (headers = {}): Promise<{ data: Model[] } & Record<string, unknown>> =>
  (await fetch(`${url}/v1/models`, { headers })).json();

describe('GET /v1/models', () => {
  test('lists all models that are priced and reachable on one page', async () => {
    const body = await list();
    const ids = body.data.map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining([
        'sandbox/echo',
        'sandbox-anthropic/story',
        'openai/gpt-4.1',
        'anthropic/claude-opus-5-5',
        'ollama/llama3',
      ]),
    );
    expect(ids.filter((id) => /^(google|xai|keyed)\//.test(id))).toEqual([]);
    expect(body).toMatchObject({ object: 'list', has_more: false, first_id: ids[0], last_id: ids.at(-1) });
    expect(body.data.find(({ id }) => id === 'openai/gpt-5.4')).toEqual({
      id: 'openai/gpt-5.4',
      object: 'model',
      name: 'GPT-5.4',
      display_name: 'GPT-5.4',
      type: 'language',
      created: Date.parse('2026-03-05') / 1000,
      created_at: '2026-03-05T00:00:00.000Z',
      owned_by: 'openai',
      context_window: 1_050_000,
      max_tokens: 128_000,
      context_length: 1_050_000,
      architecture: {
        modality: 'text+image+file->text',
        input_modalities: ['text', 'image', 'file'],
        output_modalities: ['text'],
      },
      top_provider: { context_length: 1_050_000, max_completion_tokens: 128_000, is_moderated: false },
      supported_parameters: expect.arrayContaining(['max_tokens', 'tools', 'reasoning_effort']),
      capabilities: { json: true, pdf: true, reasoning: true, sampling: false, tools: true, vision: true },
      data_rules: ['no_training'],
      pricing: {
        input: 2.5,
        output: 15,
        cache_read: 0.25,
        cache_write: 3.125,
        cache_write_1h: 5,
        prompt: '0.0000025',
        completion: '0.000015',
        input_cache_read: '0.00000025',
        input_cache_write: '0.000003125',
        web_search: '0.01',
        tiers: [
          {
            above_prompt_tokens: 272_000,
            input: 5,
            output: 22.5,
            cache_read: 0.5,
            cache_write: 6.25,
            cache_write_1h: 10,
          },
        ],
      },
    });
  });

  test.each<[string, string[], string[]]>([
    ['openai/gpt-4.1', ['temperature', 'stop', 'tool_choice', 'structured_outputs'], ['reasoning', 'top_k']],
    ['openai/gpt-5', ['reasoning_effort', 'tools'], ['temperature', 'top_p', 'stop']],
    ['anthropic/claude-opus-5-5', ['stop', 'tools', 'reasoning'], ['temperature', 'top_k']],
    ['anthropic/claude-haiku-4-5', ['temperature', 'top_k', 'stop'], ['seed']],
    ['ollama/llama3', ['temperature', 'top_k', 'tools'], ['response_format', 'reasoning']],
  ])('%s supports the parameters that reach it', async (id, supported, others) => {
    const { data } = await list();
    const parameters = data.find((model) => model.id === id)?.supported_parameters;
    expect(parameters).toEqual(expect.arrayContaining(supported));
    for (const name of others) expect(parameters).not.toContain(name);
  });

  test('needs no key and ignores an invalid one', async () => {
    const response = await fetch(`${url}/v1/models?limit=1000&after_id=x`, {
      headers: { authorization: 'Bearer nonsense' },
    });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  });

  test('returns the type that clients of the messages format expect', async () => {
    const body = await list({ 'anthropic-version': '2023-06-01' });
    expect(new Set(body.data.map(({ type }) => type))).toEqual(new Set(['model']));
  });
});

describe('GET /v1/models/{id}', () => {
  test.each(['openai/gpt-4.1', 'openai%2Fgpt-4.1'])('finds %s', async (id) => {
    const response = await fetch(`${url}/v1/models/${id}`);
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ id: 'openai/gpt-4.1', type: 'language' }),
    ]);
  });

  test('finds an id without its provider, with a warning, if one provider serves it', async () => {
    const response = await fetch(`${url}/v1/models/gpt-4.1`);
    expect(await response.json()).toMatchObject({ id: 'openai/gpt-4.1' });
    expect(response.headers.get('x-svc-warnings')).toBe('model gpt-4.1 was read as openai/gpt-4.1');
  });

  test.each(['openai/gpt', 'GPT-4.1', 'google/gemini-2.5-pro', 'openai%2Fgpt-4.1%'])(
    'matches exact ids only: %s gets 404',
    async (id) => {
      const response = await fetch(`${url}/v1/models/${id}`);
      expect([response.status, await response.json()]).toMatchObject([
        404,
        { error: { type: 'model_not_found', code: '404', param: 'model' } },
      ]);
    },
  );
});

test.each([
  ['OpenAI/GPT-4.1', 'Did you mean openai/gpt-4.1?'],
  ['anthropic/claude-haiku-4.5', 'Did you mean anthropic/claude-haiku-4-5?'],
  ['gpt-9', 'GET /v1/models lists all models.'],
])('the error for %s says: %s', async (id, advice) => {
  const response = await fetch(`${url}/v1/models/${id}`);
  expect(await response.json()).toMatchObject({
    error: { message: `The model ${id} does not exist. ${advice}` },
  });
});

describe('the official clients', () => {
  const openai = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 });

  test('openai lists and retrieves', async () => {
    const ids: string[] = [];
    for await (const model of openai.models.list()) ids.push(model.id);
    expect(ids).toContain('sandbox/echo');
    expect(await openai.models.retrieve('openai/gpt-4.1')).toMatchObject({
      object: 'model',
      owned_by: 'openai',
    });
    await expect(openai.models.retrieve('openai/nothing')).rejects.toMatchObject({
      status: 404,
      type: 'model_not_found',
    });
  });

  test('anthropic lists and retrieves', async () => {
    const models: Anthropic.ModelInfo[] = [];
    for await (const model of anthropic.models.list({ limit: 1000 })) models.push(model);
    expect(models.find(({ id }) => id === 'anthropic/claude-opus-5-5')).toMatchObject({
      type: 'model',
      display_name: 'Claude Opus 5.5',
    });
    expect(await anthropic.models.retrieve('anthropic/claude-opus-5-5')).toMatchObject({
      type: 'model',
      created_at: '2026-09-22T00:00:00.000Z',
    });
    await expect(anthropic.models.retrieve('anthropic/nothing')).rejects.toMatchObject({ status: 404 });
  });
});

describe('the target of requests', () => {
  test('needs only the provider’s key, and its URL can be replaced', () => {
    expect(findTarget('openai')).toEqual({
      format: 'openai',
      origin: 'https://api.openai.com',
      basePath: '/v1',
      apiKey: 'sk-of-the-test',
    });
    expect(findTarget('anthropic')).toEqual({
      format: 'anthropic',
      origin: 'http://127.0.0.1:9',
      basePath: '/v1',
      apiKey: 'sk-of-the-test',
    });
    expect(findTarget('google')).toBeNull();
    expect(findTarget('nobody')).toBeNull();
  });

  test('includes a custom provider once its key is set, if it needs one', () => {
    expect(findTarget('ollama')).toEqual({
      format: 'openai',
      origin: 'http://127.0.0.1:11434',
      basePath: '/v1',
      apiKey: 'none',
    });
    expect(findTarget('keyed')).toBeNull();
    process.env.KEYED_SECRET = 'secret';
    expect(findTarget('keyed')).toEqual({
      format: 'anthropic',
      origin: 'http://127.0.0.1:8000',
      basePath: '/v1',
      apiKey: 'secret',
    });
    expect(findCatalogModel('ollama/llama3')?.upstreamModel).toBe('llama3:8b');
  });
});

test('the start writes every price version once, future ones included, and never changes one', async () => {
  await syncCatalog();
  const written = await prisma().modelPrice.findMany({
    where: { modelId: 'google/gemini-3.8-flash' },
    orderBy: { effectiveAt: 'asc' },
  });
  expect(
    written.map(({ effectiveAt, prices }) => [effectiveAt.toISOString().slice(0, 10), prices]),
  ).toMatchObject([
    ['2026-09-23', { input: '75000000', output: '375000000', tiers: [] }],
    ['2027-01-01', { input: '150000000', output: '750000000', tiers: [] }],
  ]);
  const versions = await prisma().modelPrice.findMany({ orderBy: { version: 'asc' } });
  expect(versions.map(({ version }) => version)).toContain(findCatalogModel('ollama/llama3')?.priceVersion);
  await syncCatalog();
  expect(await prisma().modelPrice.findMany({ orderBy: { version: 'asc' } })).toEqual(versions);
});
