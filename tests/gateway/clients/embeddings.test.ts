import { createOpenAI } from '@ai-sdk/openai';
import { OpenAIEmbeddings } from '@langchain/openai';
import { embedMany } from 'ai';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import { newPerson } from '../../harness/people';
import { startClientWorld } from './world';

const { url, person, upstream } = await startClientWorld({ more: ['MISTRAL'] });

const SMALL = 'openai/text-embedding-3-small';
const NAME = 'text-embedding-3-small';
const TEXTS = ['the sea', '海'];
const VECTORS = [
  [0.5, -0.25],
  [0.125, 1],
];
const toBase64 = (vector: number[]) => Buffer.from(new Float32Array(vector).buffer).toString('base64');
const list = (vectors: unknown[], usage: Json | undefined = { prompt_tokens: 5, total_tokens: 5 }) => ({
  body: {
    object: 'list',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model: 'up',
    usage,
  },
});

const client = new OpenAI({ apiKey: person.userKey, baseURL: `${url}/v1`, maxRetries: 0 });
const send = (body: object, { userKey } = person) =>
  fetch(`${url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('embeddings', () => {
  test('reach the OpenAI SDK, which asks for base64', async () => {
    upstream.script(NAME, list(VECTORS.map(toBase64)));
    const { data, model, usage } = await client.embeddings.create({
      model: SMALL,
      input: TEXTS,
      dimensions: 2,
      user: 'someone@example.com',
    });
    expect(data.map(({ embedding }) => embedding)).toEqual(VECTORS);
    expect({ model, usage }).toEqual({
      model: SMALL,
      usage: { prompt_tokens: 5, total_tokens: 5, cost: expect.any(Number) },
    });
    const { path, body } = upstream.seen(NAME)[0] ?? {};
    expect(path).toBe('/v1/embeddings');
    const { user, ...rest } = body ?? {};
    expect(rest).toEqual({ model: NAME, input: TEXTS, dimensions: 2, encoding_format: 'base64' });
    expect(user).toMatch(/^[\w-]{20,64}$/);
  });

  test('reach it as base64 from a provider that only sends numbers, under its own names', async () => {
    upstream.script('mistral-embed', list(VECTORS));
    const { data } = await client.embeddings.create({
      model: 'mistral/mistral-embed',
      input: TEXTS,
      dimensions: 2,
    });
    expect(data.map(({ embedding }) => embedding)).toEqual(VECTORS);
    expect(upstream.lastBody('mistral-embed')).toEqual({
      model: 'mistral-embed',
      input: TEXTS,
      output_dimension: 2,
    });
  });

  test('reach a client that wants numbers from a provider that sends base64', async () => {
    upstream.script(NAME, list(VECTORS.map(toBase64)));
    const { data } = await (await send({ model: SMALL, input: TEXTS })).json();
    expect(data.map((item: { embedding: number[] }) => item.embedding)).toEqual(VECTORS);
  });

  test('reach the AI SDK and LangChain', async () => {
    upstream.script(NAME, list(VECTORS));
    const provider = createOpenAI({ apiKey: person.userKey, baseURL: `${url}/v1` });
    const many = await embedMany({ model: provider.embeddingModel(SMALL), values: TEXTS });
    expect(many.embeddings).toEqual(VECTORS);
    expect(many.usage.tokens).toBe(5);

    const langchain = new OpenAIEmbeddings({
      model: SMALL,
      apiKey: person.userKey,
      configuration: { baseURL: `${url}/v1` },
    });
    expect(await langchain.embedDocuments(TEXTS)).toEqual(VECTORS);
  });
});

describe('an embeddings request', () => {
  test('is charged by its input tokens, with commission, and has a receipt', async () => {
    const buyer = await newPerson({ credits: 100, rateBp: 2500 });
    upstream.script(NAME, list([toBase64([1])], { prompt_tokens: 1_000_000, total_tokens: 1_000_000 }));
    const many = Array.from({ length: 2_000 }, (_, n) => `text ${n} ${'word '.repeat(600)}`);
    const response = await send({ model: SMALL, input: many }, buyer);
    // $0.02 for a million tokens, and 25 % more.
    expect(response.headers.get('x-svc-credits-charged')).toBe('2.5');
    expect((await response.json()).usage.cost).toBe(0.025);
    const id = response.headers.get('x-request-id');
    const receipt = await fetch(`${url}/v1/credits/receipts/${id}`, {
      headers: { authorization: `Bearer ${buyer.userKey}` },
    });
    expect(await receipt.json()).toMatchObject({
      model: SMALL,
      input_tokens: 1_000_000,
      output_tokens: 0,
      estimated: false,
    });
  });

  test('is charged for the tokens that its hold covers if the provider reports none', async () => {
    upstream.script(NAME, list([[1]], { prompt_tokens: 0, total_tokens: 0 }));
    const response = await send({ model: SMALL, input: 'x'.repeat(400) });
    const { usage } = await response.json();
    expect(usage.prompt_tokens).toBeGreaterThanOrEqual(100);
    expect(usage.total_tokens).toBe(usage.prompt_tokens);
  });

  test('may contain token ids', async () => {
    upstream.script(NAME, list(VECTORS));
    expect((await send({ model: SMALL, input: [[1, 2, 100_257], [3]] })).status).toBe(200);
    expect(upstream.lastBody(NAME).input).toEqual([[1, 2, 100_257], [3]]);
    expect((await send({ model: SMALL, input: [1, 2, 3] })).status).toBe(200);
  });

  test('is refused if the user cannot pay for its input', async () => {
    upstream.script(NAME, list([[1]]));
    const poor = await newPerson({ credits: 1 });
    const input = Array.from({ length: 200 }, () => 'word '.repeat(4_000));
    expect((await send({ model: SMALL, input }, poor)).status).toBe(402);
    expect(upstream.seen(NAME)).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['no input', { input: undefined }, 'input: '],
    ['an empty text', { input: ['a', ''] }, 'input: '],
    ['no texts', { input: [] }, 'input: '],
    [
      'too many texts',
      { input: Array(2_049).fill('a') },
      'input: must be a non-empty string, or an array of at most 2048',
    ],
    ['a message', { input: [{ role: 'user', content: 'hi' }] }, 'input: '],
    ['dimensions of zero', { dimensions: 0 }, 'dimensions: '],
    ['another encoding', { encoding_format: 'int8' }, 'encoding_format: '],
    [
      'a model that chats',
      { model: 'openai/gpt-4.1-mini' },
      'model: openai/gpt-4.1-mini is a language model: use POST /v1/chat/completions, /v1/messages or /v1/responses',
    ],
  ])('with %s is refused', async (_, wrong, text) => {
    const response = await send({ model: SMALL, input: 'hi', ...wrong });
    const { error } = await response.json();
    expect([response.status, error.type]).toEqual([400, 'invalid_request']);
    expect(error.message).toContain(text);
  });

  test('names fields that do not reach the provider', async () => {
    upstream.script(NAME, list([[1]]));
    const response = await send({ model: SMALL, input: 'hi', truncate: 'END' });
    expect(response.headers.get('x-svc-warnings')).toBe('truncate was dropped');
  });
});

test('its estimate is that of the input alone', async () => {
  const estimate = async (output_tokens: number) => {
    const query = `publishable_key=${person.publishableKey}&models=${SMALL}&input_tokens=1000000&output_tokens=${output_tokens}`;
    const response = await fetch(`${url}/v1/credits/pricing?${query}`);
    const { models } = (await response.json()) as { models: Json[] };
    return models.map(({ credits_per_request: credits }) => credits);
  };
  // A million tokens for $0.02, with the commission.
  expect(await estimate(0)).toEqual([2.5]);
  expect(await estimate(5_000_000)).toEqual([2.5]);
});

test('an embedding model is listed as one, and cannot chat', async () => {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: Json[] };
  expect(data.find(({ id }) => id === SMALL)).toMatchObject({
    type: 'embedding',
    max_tokens: 0,
    architecture: { modality: 'text->embeddings', output_modalities: ['embeddings'] },
    pricing: { input: 0.02, output: 0 },
    supported_parameters: ['dimensions', 'encoding_format'],
  });
  await expect(
    client.chat.completions.create({ model: SMALL, messages: [{ role: 'user', content: 'hi' }] }),
  ).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(`${SMALL} is an embedding model: use POST /v1/embeddings`),
  });
});
