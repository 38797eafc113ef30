import { expect, test } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import { pngOf } from '../../harness/honest/images';
import type { Behaviour } from '../../harness/honest/upstream';
import * as pdf from '../../harness/honest/write-pdf';
import { randomFrom } from '../../harness/random';
import { chargeOf, type Leaving, openHonestWorld, overrunLoss } from './honest-world';
import type { ApiRequest } from './random-requests';

/** Requests that once cost the operator more than the user. Each is charged what is billed, or refused. */

const { upstream, send } = await openHonestWorld();
const random = randomFrom(17);
const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const bytes = (count: number): Buffer => Buffer.from(times(count, () => Math.floor(random() * 256)));
const from = (first: number, count: number, length: number): string =>
  times(length, () => String.fromCodePoint(first + Math.floor(random() * count))).join('');

const CSV = times(40_000, () => (random() * 100).toFixed(4)).join(',');
const WORDS = times(90_000, () => from(0x61, 26, 1 + Math.floor(random() * 6))).join(' ');
const OPUS = 'anthropic/claude-opus-5-5';
const GPT = 'openai/gpt-4.1';
const GEMINI = 'google/gemini-3.1-pro-preview';

const chat = (model: string, content: unknown, more: Json = {}): ApiRequest => ({
  path: '/v1/chat/completions',
  body: { model, max_tokens: 1, messages: [{ role: 'user', content }], ...more },
});
const messages = (model: string, content: unknown, more: Json = {}): ApiRequest => ({
  path: '/v1/messages',
  body: { model, max_tokens: 1, messages: [{ role: 'user', content }], ...more },
});
const filePart = (file: Json) => [
  { type: 'text', text: 'Summarise' },
  { type: 'file', file },
];
const chatPdf = (model: string, { file }: pdf.WrittenPdf): ApiRequest =>
  chat(
    model,
    filePart({ filename: 'a.pdf', file_data: `data:application/pdf;base64,${file.toString('base64')}` }),
  );
const documentOf = (source: Json): Json[] => [{ type: 'document', source }];
const messagesPdf = (model: string, { file }: pdf.WrittenPdf): ApiRequest =>
  messages(
    model,
    documentOf({ type: 'base64', media_type: 'application/pdf', data: file.toString('base64') }),
  );
const image = (url: string) => [{ type: 'image_url', image_url: { url } }];

type Attack = {
  request: ApiRequest;
  behaviour?: Partial<Behaviour>;
  leaving?: Leaving;
  /** By default both a charge and a refusal are right. */
  outcome?: 'charged' | 'refused';
  /** Without reported usage, the charge errs high: by at most this factor. */
  atMost?: number;
};

const THINKS = { reasoningTokens: 19_950, visibleTokens: 50, pauses: true };
const THOUGHTFUL = { max_tokens: 24_000, stream: true };
const left: Leaving = 'once output arrived';

const LEAVING: Record<string, Attack> = {
  ...Object.fromEntries(
    ['openai/o3', 'openai/gpt-6-sol', GEMINI, 'xai/grok-4.5'].map((model) => [
      `a stream of ${model} that is left before its hidden thoughts are reported`,
      {
        request: chat(model, 'Think', THOUGHTFUL),
        behaviour: THINKS,
        leaving: left,
        outcome: 'charged' as const,
      },
    ]),
  ),
  'a stream of Claude that is left before its thoughts are reported': {
    request: messages(OPUS, 'Think', THOUGHTFUL),
    behaviour: THINKS,
    leaving: left,
    outcome: 'charged',
  },
  'a stream of Claude in the other format that is left before its thoughts are reported': {
    request: chat(OPUS, 'Think', THOUGHTFUL),
    behaviour: THINKS,
    leaving: left,
    outcome: 'charged',
  },
  'a stream that is left while the model thinks': {
    request: chat('openai/o3', 'Think', THOUGHTFUL),
    behaviour: { ...THINKS, visibleTokens: 0 },
    leaving: 'once the provider works',
    outcome: 'charged',
  },
  'a whole response that is left while the model thinks': {
    request: chat('openai/o3', 'Think', { max_tokens: 24_000 }),
    behaviour: THINKS,
    leaving: 'once the provider works',
    outcome: 'charged',
  },
  'a table of numbers whose response is left after its first words': {
    request: chat(GPT, CSV, { max_tokens: 100, stream: true }),
    behaviour: { pauses: true },
    leaving: left,
    outcome: 'charged',
    atMost: 2,
  },
  'a PDF whose response is left after its first words': {
    request: {
      ...chatPdf(GPT, pdf.plainPdf([WORDS])),
      body: { ...chatPdf(GPT, pdf.plainPdf([WORDS])).body, max_tokens: 100, stream: true },
    },
    behaviour: { pauses: true },
    leaving: left,
    outcome: 'charged',
    atMost: 4,
  },
};

const PDFS: Record<string, pdf.WrittenPdf> = {
  'one page with a book of text': pdf.plainPdf([WORDS]),
  '100 pages with an escaped type': pdf.plainPdf(
    times(100, () => 'page'),
    { type: '/Type /#50age' },
  ),
  '299 pages with another escaped type': pdf.plainPdf(
    times(299, () => 'page'),
    { type: '/Type /P#61ge' },
  ),
  'one page that is listed 100 times': pdf.repeatedPagePdf(100, 'page'),
  'a line break before its header': pdf.plainPdf(
    times(100, () => 'page'),
    { before: '\n' },
  ),
  'pages in an object stream with an escaped type': pdf.objectStreamPdf(100, 'page', '/Type /Obj#53tm'),
  'a content stream that many pages share': pdf.sharedContentPdf(50, WORDS.slice(0, 20_000)),
  'a content stream that one page lists many times': pdf.repeatedContentPdf(50, WORDS.slice(0, 20_000)),
  'a form that one page draws many times': pdf.formPdf(50, WORDS.slice(0, 20_000)),
  'text that is compressed twice': pdf.twiceDeflatedPdf(WORDS),
  'text that is not compressed': pdf.uncompressedPdf(WORDS),
};

const DOCUMENTS: Record<string, Attack> = Object.fromEntries(
  Object.entries(PDFS).flatMap(([name, written]) => [
    [`a PDF with ${name}, to Claude`, { request: messagesPdf(OPUS, written) }],
    [`a PDF with ${name}, to GPT`, { request: chatPdf(GPT, written) }],
  ]),
);

const FILES: Record<string, Attack> = {
  'a PDF by URL': {
    request: messages(OPUS, documentOf({ type: 'url', url: 'https://documents.example.com/long.pdf' })),
  },
  'an office document in a file part': {
    request: chat(GPT, filePart({ filename: 'a.docx', file_data: bytes(60_000).toString('base64') })),
    outcome: 'refused',
  },
  'a file part that names a URL': {
    request: chat(GPT, filePart({ file_url: 'https://documents.example.com/long.pdf' })),
    outcome: 'refused',
  },
  'a PDF as an image URL': {
    request: chat(
      GEMINI,
      image(`data:application/pdf;base64,${pdf.plainPdf([WORDS]).file.toString('base64')}`),
    ),
    outcome: 'refused',
  },
  'a video as an image URL': {
    request: chat(GEMINI, image(`data:video/mp4;base64,${bytes(40_000).toString('base64')}`)),
    outcome: 'refused',
  },
  'a video that is declared an image': {
    request: chat(GEMINI, image(`data:image/png;base64,${bytes(40_000).toString('base64')}`)),
    outcome: 'refused',
  },
  'an image URL of the local network': {
    request: chat(GPT, image('http://169.254.169.254/latest/meta-data')),
    outcome: 'refused',
  },
  'an image URL of the file system': { request: chat(GPT, image('file:///etc/passwd')), outcome: 'refused' },
  'an image with small patches': {
    request: chat(
      'mistral/pixtral-12b',
      image(`data:image/png;base64,${pngOf({ width: 1_024, height: 1_024 }).toString('base64')}`),
    ),
  },
};

const TEXTS: Record<string, string> = {
  'a table of numbers': CSV,
  'an array of digits': `[${times(60_000, () => Math.floor(random() * 2)).join(',')}]`,
  'a grid': times(400, () => times(80, () => Math.floor(random() * 10)).join(' ')).join('\n'),
  hieroglyphs: from(0x13000, 1_000, 9_000),
  Tibetan: from(0x0f40, 40, 20_000),
  Amharic: from(0x1200, 350, 20_000),
  Cherokee: from(0x13a0, 80, 20_000),
  'private use': from(0xe000, 6_000, 20_000),
  hexadecimal: bytes(40_000).toString('hex'),
  base64: bytes(60_000).toString('base64'),
  punctuation: from(0x21, 15, 60_000),
  'random letters': from(0x21, 94, 60_000),
};

const TEXT: Record<string, Attack> = Object.fromEntries(
  Object.entries(TEXTS).flatMap(([name, text]) => [
    [`${name}, to GPT`, { request: chat(GPT, text), outcome: 'charged' as const }],
    [`${name}, to Claude`, { request: messages(OPUS, text), outcome: 'charged' as const }],
  ]),
);

const schema = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};
const tool = (more: Json) => ({ tools: [more] });

const FIELDS: Record<string, Attack> = {
  'a prompt that reaches the price tier which its size seemed to miss': {
    request: messages('anthropic/claude-haiku-5-5', CSV.slice(0, 160_000)),
    outcome: 'charged',
  },
  'a response format that becomes a tool': {
    request: chat('anthropic/claude-sonnet-4-0', 'Go', {
      response_format: { type: 'json_schema', json_schema: { name: 'r', schema } },
    }),
    outcome: 'charged',
  },
  'an endpoint of OpenRouter that is dearer than its list price': {
    request: chat('openrouter/xiaomi/mimo-v2.5-pro', WORDS.slice(0, 40_000)),
    behaviour: { priceFactor: 7n },
  },
  'a cache of the account in a nested field': {
    request: chat(GEMINI, 'Go', { extra_body: { google: { cached_content: 'cachedContents/1' } } }),
  },
  'a cache of the account in a field of Google': {
    request: chat(GEMINI, 'Go', { google: { cached_content: 'cachedContents/1' } }),
  },
  'a search by Google': { request: chat(GEMINI, 'Go', tool({ google_search: {} })), outcome: 'refused' },
  ...Object.fromEntries(
    ['web_search', 'bash_code_execution_20250825', 'image_generation_1', 'file_search_1'].map((type) => [
      `a tool of the type ${type}`,
      { request: messages(OPUS, 'Go', tool({ type, name: 'x' })), outcome: 'refused' as const },
    ]),
  ),
  'a file of the account inside a document': {
    request: messages(
      OPUS,
      documentOf({
        type: 'content',
        content: [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }],
      }),
    ),
    outcome: 'refused',
  },
  'a file of the account in the system prompt': {
    request: messages(OPUS, 'Go', {
      system: documentOf({ type: 'file', file_id: 'file_1' }),
    }),
    outcome: 'refused',
  },
  'content that xAI refuses and bills': {
    request: chat('xai/grok-4.5', 'Forbidden'),
    behaviour: { refuses: true },
  },
  'reasoning of xAI up to the limit': {
    request: chat('xai/grok-4.5', 'Think', { max_tokens: 500 }),
    behaviour: { reasoningTokens: 90_000 },
    outcome: 'charged',
  },
};

const ALL = Object.entries({ ...LEAVING, ...DOCUMENTS, ...FILES, ...TEXT, ...FIELDS });

test.each(ALL)('%s is charged what its provider bills, or refused', async (_, attack) => {
  upstream.behave(attack.behaviour ?? {});
  const { status, error, billed, receipt } = await send(attack.request, attack.leaving);
  const isRefused = receipt === null;
  if (attack.outcome !== undefined) expect(isRefused ? 'refused' : 'charged').toBe(attack.outcome);
  if (isRefused) {
    expect([400, 402, 413, 502, 503]).toContain(status);
    expect(error?.message).toMatch(/\w{3}/);
    if (attack.outcome === 'refused') expect(status).toBe(400);
  }
  const charge = receipt?.charge ?? 0n;
  const due = chargeOf(billed);
  if (attack.atMost === undefined) return expect(charge).toBe(due);
  expect(charge).toBeGreaterThanOrEqual(due);
  expect(Number(charge)).toBeLessThan(attack.atMost * Number(due));
});

test('none of these requests cost more than its hold', async () => {
  expect(await overrunLoss()).toBe(0n);
});
