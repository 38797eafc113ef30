import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import type { Json } from '@/server/gateway/protocols/neutral';
import { plainPdf } from '../../harness/honest/write-pdf';
import { newPerson, type Person } from '../../harness/people';
import { startClientWorld } from './world';

const { url, person, upstream } = await startClientWorld({ more: ['COHERE', 'VOYAGE', 'JINA', 'MISTRAL'] });

const pdfUrl = (texts: string[]) => `data:application/pdf;base64,${plainPdf(texts).file.toString('base64')}`;

async function send(path: string, body: object, { userKey }: Person = person, headers = {}) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}

async function receiptOf({ headers }: Awaited<ReturnType<typeof send>>, { userKey }: Person = person) {
  const where = `${url}/v1/credits/receipts/${headers.get('x-request-id')}`;
  return (await (await fetch(where, { headers: { authorization: `Bearer ${userKey}` } })).json()) as Json;
}

/** The error's type, and the field that it names. */
const refusalOf = ({ status, body }: Awaited<ReturnType<typeof send>>) => {
  const { param, message } = body.error as { param: string; message: string };
  return [status, param, message.slice(message.indexOf(': ') + 2)];
};

describe('moderation', () => {
  const MODEL = 'openai/omni-moderation-2024-09-26';
  const NAME = 'omni-moderation-2024-09-26';
  const verdict = {
    flagged: true,
    categories: { violence: true },
    category_scores: { violence: 0.9 },
    category_applied_input_types: { violence: ['text'] },
  };
  const reply = { body: { id: 'modr-1', model: NAME, results: [verdict] } };

  test('reaches the OpenAI SDK and costs nothing', async () => {
    upstream.script(NAME, reply);
    const client = new OpenAI({ apiKey: person.userKey, baseURL: `${url}/v1`, maxRetries: 0 });
    const { data, response } = await client.moderations
      .create({ model: MODEL, input: [{ type: 'text', text: 'I will hit you' }] })
      .withResponse();
    expect(data).toEqual({ id: 'modr-1', model: MODEL, results: [verdict] });
    expect(response.headers.get('x-svc-credits-charged')).toBe('0');
    expect(upstream.seen(NAME)[0]?.path).toBe('/v1/moderations');
    expect(upstream.lastBody(NAME)).toEqual({
      model: NAME,
      input: [{ type: 'text', text: 'I will hit you' }],
    });
  });

  test('is not refused to a user without credits, and has a receipt of 0', async () => {
    const poor = await newPerson();
    upstream.script(NAME, reply);
    const sent = await send('/v1/moderations', { model: MODEL, input: 'hi' }, poor);
    expect(sent.status).toBe(200);
    const { held_credits, charged_credits, output_tokens } = await receiptOf(sent, poor);
    expect({ held_credits, charged_credits, output_tokens }).toEqual({
      held_credits: 0,
      charged_credits: 0,
      output_tokens: 0,
    });
    const messages = [{ role: 'user', content: 'hi' }];
    const paid = await send('/v1/chat/completions', { model: 'openai/gpt-4.1-mini', messages }, poor);
    expect(paid.status).toBe(402);
  });

  test.each<[string, object, string]>([
    ['no input', { input: undefined }, 'input'],
    ['an unknown part', { input: [{ type: 'audio' }] }, 'input'],
    [
      'an image in a private network',
      { input: [{ type: 'image_url', image_url: { url: 'https://10.0.0.1/a.png' } }] },
      'input.image_url.url',
    ],
    ['another model', { model: 'openai/gpt-4.1-mini' }, 'model'],
  ])('with %s is refused', async (_, wrong, param) => {
    const sent = await send('/v1/moderations', { model: MODEL, input: 'hi', ...wrong });
    expect(refusalOf(sent).slice(0, 2)).toEqual([400, param]);
  });
});

describe('reranking', () => {
  const QUERY = 'capital of France';
  const DOCUMENTS = ['Berlin', { text: 'Paris' }, 'Rome'];
  const ranking = [
    { index: 1, relevance_score: 0.9 },
    { index: 2, relevance_score: 0.1 },
  ];

  test('has Cohere’s format, and is charged by the search units that the provider reports', async () => {
    const model = 'rerank-v4.0-fast';
    upstream.script(model, {
      body: { id: 'r1', results: ranking, meta: { billed_units: { search_units: 1 } } },
    });
    const request = { model: `cohere/${model}`, query: QUERY, documents: DOCUMENTS, top_n: 2 };
    const sent = await send('/v1/rerank', { ...request, return_documents: true, priority: 1 });
    expect(sent.body).toEqual({
      id: 'r1',
      model: `cohere/${model}`,
      results: [
        { index: 1, relevance_score: 0.9, document: { text: 'Paris' } },
        { index: 2, relevance_score: 0.1, document: { text: 'Rome' } },
      ],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
      // $2 for a thousand, and 25% more.
      usage: { search_units: 1, cost: 0.0025 },
    });
    expect(sent.headers.get('x-svc-warnings')).toBe('priority was dropped');
    expect(upstream.seen(model)[0]?.path).toBe('/v1/rerank');
    expect(upstream.lastBody(model)).toEqual({
      model,
      query: QUERY,
      documents: ['Berlin', 'Paris', 'Rome'],
      top_n: 2,
      max_tokens_per_doc: 4096,
    });
    const receipt = await receiptOf(sent);
    expect(receipt).toMatchObject({
      input_units: 1,
      charged_credits: 0.25,
      held_credits: 0.25,
      estimated: false,
    });
  });

  test('reaches Cohere’s clients at the path of its version', async () => {
    upstream.script('rerank-v3.5', { body: { results: ranking } });
    const sent = await send('/v2/rerank', {
      model: 'cohere/rerank-v3.5',
      query: QUERY,
      documents: ['a', 'b', 'c'],
    });
    expect(sent.status).toBe(200);
    // The provider reports no units: what the hold covers.
    expect(await receiptOf(sent)).toMatchObject({ input_units: 1, estimated: true });
  });

  test.each([
    ['voyage', 'rerank-2.5', { data: ranking, usage: { total_tokens: 1_000_000 } }, { top_k: 2 }],
    ['jina', 'jina-reranker-v3.5', { results: ranking, usage: { total_tokens: 1_000_000 } }, { top_n: 2 }],
  ])('is translated for %s, and charged by tokens', async (provider, name, body, limit) => {
    upstream.script(name, { body });
    const documents = Array.from({ length: 900 }, (_, n) => `document ${n} ${'word '.repeat(500)}`);
    const request = {
      model: `${provider}/${name}`,
      query: QUERY,
      documents,
      top_n: 2,
      max_tokens_per_doc: 9,
    };
    const sent = await send('/v1/rerank', request);
    expect(sent.headers.get('x-svc-warnings')).toBe('max_tokens_per_doc was dropped');
    expect(sent.body).toMatchObject({ results: ranking, usage: { total_tokens: 1_000_000, cost: 0.0625 } });
    const { documents: received, ...rest } = upstream.lastBody(name);
    expect(received).toEqual(documents);
    expect(rest).toEqual({ model: name, query: QUERY, ...limit, return_documents: false });
    expect(await receiptOf(sent)).toMatchObject({ input_tokens: 1_000_000, input_units: 0 });
  });

  test('a price per token is not skipped where the provider reports units only', async () => {
    upstream.script('rerank-v5.0-fast', {
      body: { results: ranking, meta: { billed_units: { search_units: 1 } } },
    });
    const sent = await send('/v1/rerank', {
      model: 'cohere/rerank-v5.0-fast',
      query: QUERY,
      documents: Array(50).fill('a document about something'),
    });
    const { input_tokens, charged_credits, estimated } = await receiptOf(sent);
    expect({ estimated, isCharged: Number(charged_credits) > 0 }).toEqual({
      estimated: true,
      isCharged: true,
    });
    expect(input_tokens).toBeGreaterThan(50 * 8);
  });

  test.each<[string, object, string]>([
    ['no query', { query: '' }, 'query'],
    ['no documents', { documents: [] }, 'documents'],
    ['too many documents', { documents: Array(1_001).fill('a') }, 'documents'],
    ['a document that is no text', { documents: [7] }, 'documents.0'],
    ['a limit of zero', { top_n: 0 }, 'top_n'],
  ])('with %s is refused', async (_, wrong, param) => {
    const sent = await send('/v1/rerank', {
      model: 'cohere/rerank-v3.5',
      query: QUERY,
      documents: ['a'],
      ...wrong,
    });
    expect(refusalOf(sent).slice(0, 2)).toEqual([400, param]);
  });

  test('a response has each document once, however often the provider names it @attack', async () => {
    const long = 'a'.repeat(1_000_000);
    const odd = [-1, 2, 0.5, '1', null, 1e308].map((index) => ({ index, relevance_score: 1 }));
    upstream.script('rerank-v3.5', { body: { results: [...odd, ...Array(100_000).fill(ranking[0])] } });
    const request = { model: 'cohere/rerank-v3.5', query: QUERY, documents: ['a', long] };
    const sent = await send('/v1/rerank', { ...request, return_documents: true });
    expect(sent.body.results).toEqual([{ index: 1, relevance_score: 1, document: { text: long } }]);
  });

  test.each([
    [{ error: { message: 'no' } }, 502],
    [{ results: [] }, 502],
    [{ results: [{ index: 1, relevance_score: 1 }] }, 502],
  ])('the response %j is a failure, and free', async (body, status) => {
    upstream.script('rerank-v3.5', { body });
    const sent = await send('/v1/rerank', { model: 'cohere/rerank-v3.5', query: QUERY, documents: ['a'] });
    expect(sent.status).toBe(status);
    expect((await receiptOf(sent)).error).toBeDefined();
  });
});

describe('OCR', () => {
  const NAME = 'mistral-ocr-2512';
  const MODEL = `mistral/${NAME}`;
  const page = (index: number) => ({ index, markdown: `page "usage_info" ${index}`, images: [] });
  const reply = (pages: number, processed: number | null = pages) => ({
    body: {
      pages: Array.from({ length: pages }, (_, index) => page(index)),
      model: NAME,
      usage_info: processed === null ? null : { pages_processed: processed },
    },
  });
  const pdf = { type: 'document_url', document_url: pdfUrl(['one', 'two', 'three']) };
  const image = (image_url: unknown) => ({ type: 'image_url', image_url });
  const PNG =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

  test('holds and charges the pages of a PDF', async () => {
    upstream.script(NAME, reply(3));
    const sent = await send('/v1/ocr', { model: MODEL, document: pdf, id: 'x', extract_header: true });
    expect(sent.body).toEqual({
      ...reply(3).body,
      model: MODEL,
      usage_info: { cost: 0.0075, pages_processed: 3 },
    });
    expect(sent.headers.get('x-svc-warnings')).toBe('id was dropped');
    expect(upstream.seen(NAME)[0]?.path).toBe('/v1/ocr');
    expect(upstream.lastBody(NAME)).toEqual({ model: NAME, document: pdf, extract_header: true });
    expect(await receiptOf(sent)).toMatchObject({
      input_tokens: 0,
      input_units: 3,
      held_credits: 0.75,
      charged_credits: 0.75,
      estimated: false,
    });
  });

  test('is charged for what was held if the provider reports no pages', async () => {
    upstream.script(NAME, reply(3, null));
    const sent = await send('/v1/ocr', { model: MODEL, document: pdf });
    expect(sent.body.usage_info).toEqual({ pages_processed: 3, cost: 0.0075 });
    expect(await receiptOf(sent)).toMatchObject({ input_units: 3, estimated: true });
  });

  test.each<[string, object, number]>([
    ['pages that are listed', { document: pdf, pages: [0, 2, 2] }, 2],
    ['a range of pages', { document: pdf, pages: '0-4, 7' }, 6],
    ['an image', { document: image(PNG) }, 1],
    ['an image in an object', { document: image({ url: PNG }) }, 1],
    [
      'a document at an address',
      { document: { type: 'document_url', document_url: 'https://example.com/a.docx' }, pages: [1] },
      1,
    ],
  ])('holds %s', async (_, more, held) => {
    upstream.script(NAME, reply(1));
    const sent = await send('/v1/ocr', { model: MODEL, ...more });
    expect(await receiptOf(sent)).toMatchObject({ held_credits: held * 0.25, charged_credits: 0.25 });
  });

  test('of an address reads the first page only: it may lead to more than an image', async () => {
    upstream.script(NAME, reply(1));
    await send('/v1/ocr', { model: MODEL, document: image('https://example.com/scan.png') });
    expect(upstream.lastBody(NAME).pages).toEqual([0]);
  });

  test('returns a number of images that fits a response', async () => {
    upstream.script(NAME, reply(1));
    const request = { model: MODEL, document: pdf, include_image_base64: true, image_limit: 900 };
    const sent = await send('/v1/ocr', request);
    expect(sent.headers.get('x-svc-warnings')).toBe('image_limit was reduced to 64');
    expect(upstream.lastBody(NAME)).toMatchObject({ image_limit: 64, include_image_base64: true });
  });

  test.each<[string, object, string]>([
    ['no document', { document: undefined }, 'document'],
    ['a file of the provider’s account', { document: { type: 'file', file_id: 'f' } }, 'document.type'],
    [
      'a document at an address without pages',
      { document: { type: 'document_url', document_url: 'https://example.com/a.pdf' } },
      'pages',
    ],
    [
      'a document that cannot be counted',
      { document: { type: 'document_url', document_url: 'data:application/pdf;base64,JVBERi0xLjQ=' } },
      'pages',
    ],
    [
      'a text document without pages',
      { document: { type: 'document_url', document_url: 'data:text/plain;base64,aGk=' } },
      'pages',
    ],
    [
      'a private address',
      { document: { type: 'document_url', document_url: 'https://localhost/a.pdf' }, pages: [0] },
      'document.document_url',
    ],
    [
      'an image that is none',
      { document: image('data:image/png;base64,JVBERi0xLjQ=') },
      'document.image_url',
    ],
    ['annotations', { document_annotation_format: { type: 'json_schema' } }, 'document_annotation_format'],
    ['too many pages', { pages: '0-2000' }, 'pages'],
    ['pages in disorder', { pages: '5-2' }, 'pages'],
    ['pages that are none', { pages: ['one'] }, 'pages.0'],
  ])('with %s is refused', async (_, wrong, param) => {
    const sent = await send('/v1/ocr', { model: MODEL, document: pdf, ...wrong });
    expect(refusalOf(sent).slice(0, 2)).toEqual([400, param]);
  });
});

test('a request with an Idempotency-Key is charged once, and its repetition gets the same response', async () => {
  const headers = { 'idempotency-key': 'rank once' };
  upstream.script('rerank-v3.5', {
    body: { results: [{ index: 0, relevance_score: 1 }], meta: { billed_units: { search_units: 1 } } },
  });
  const request = { model: 'cohere/rerank-v3.5', query: 'a', documents: ['b'] };
  const first = await send('/v1/rerank', request, person, headers);
  const second = await send('/v1/rerank', request, person, headers);
  expect(second.body).toEqual(first.body);
  expect(upstream.seen('rerank-v3.5')).toHaveLength(1);
});

test('no request leaves a hold', async () => {
  const { rows } = await pool().query('SELECT count(*)::int AS holds FROM hold WHERE NOT kept');
  expect(rows).toEqual([{ holds: 0 }]);
});

test('their models are listed with type and prices', async () => {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: Json[] };
  const listed = (id: string) => data.find((model) => model.id === id);
  expect(listed('openai/omni-moderation-2024-09-26')).toMatchObject({
    type: 'moderation',
    pricing: { input: 0, output: 0 },
  });
  expect(listed('cohere/rerank-v4.0-pro')).toMatchObject({
    type: 'rerank',
    architecture: { modality: 'text->rerank' },
    pricing: { input_unit: { kind: 'query', usd: '0.0025' } },
    supported_parameters: ['top_n', 'return_documents', 'max_tokens_per_doc'],
  });
  expect(listed('mistral/mistral-ocr-4-1')).toMatchObject({
    type: 'ocr',
    architecture: { modality: 'text+image+file->text' },
    pricing: { input_unit: { kind: 'page', usd: '0.004' } },
  });
});
