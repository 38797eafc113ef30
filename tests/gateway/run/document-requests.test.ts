import { test } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import * as pdf from '../../harness/honest/write-pdf';
import { seededRandom } from '../../harness/random';
import type { Reply } from '../../harness/scripted-upstream';
import { startClientWorld } from '../clients/world';
import { TOKENIZERS } from '../tokens/tokenizers';
import { checkBills, checkHolds, type RequestKind } from './unit-requests';

/**
 * The dearest and the most lying requests for moderation, reranking and OCR, at providers that bill what they publish: the
 * hold covers the bill, and every bill is a charge or a recorded loss.
 */

// Losses by the hundred would pause the user.
process.env.LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY = '1000000000';
process.env.LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY = '1000000000';
const world = await startClientWorld({ more: ['COHERE', 'VOYAGE', 'JINA', 'MISTRAL'] });
const random = seededRandom();
/** More with CASES=10000. */
const CASES = Number(process.env.CASES ?? 1_000);
const SENT = Number(process.env.SENT ?? 60);

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
const upTo = (most: number): number => Math.floor(random() * (most + 1));
const several = <Item>(most: number, make: () => Item): Item[] => Array.from({ length: upTo(most) }, make);

const PIECES = [
  'the sea ',
  '灯台',
  '🦑',
  'xq',
  '\u0001',
  '  ',
  'Zażółć',
  '0123456789',
  '"}',
  'é',
  '\n\n',
  'word ',
];
const write = (most: number): string => several(most, () => pick(PIECES)).join('');

/** Sets one field to something that nobody should send. */
function lie(body: Json, lies: readonly (readonly [string, readonly unknown[]])[]): Json {
  if (random() > 0.4) return body;
  const [name, values] = pick(lies);
  body[name] = pick(values);
  return body;
}

const tokensOf = (text: unknown): number =>
  Math.max(...Object.values(TOKENIZERS).map((count) => count(String(text))));

/** What a provider does: most often what it is asked for. */
const ENDINGS = ['serves', 'serves', 'serves', 'refuses', 'fails', 'is empty', 'breaks off', 'lies'] as const;

function answerWith(whole: Json, { empty, lying, bill }: { empty: Json; lying: Json; bill: bigint }) {
  const free = (reply: Reply) => ({ reply, bill: 0n });
  const ending = pick(ENDINGS);
  switch (ending) {
    case 'refuses':
      return free({ status: 400, body: { message: 'invalid request' } });
    case 'fails':
      return free({ status: 500, body: { error: { message: 'no' } } });
    case 'is empty':
      return free({ body: empty });
    case 'breaks off':
      return { reply: { body: JSON.stringify(whole).slice(0, 20), breaksOff: true }, bill };
    default:
      return { reply: { body: ending === 'lies' ? lying : whole }, bill };
  }
}

const MODERATION: RequestKind = {
  format: 'moderations',
  path: '/v1/moderations',
  upstreamModels: ['omni-moderation-2024-09-26'],
  write: () =>
    lie(
      {
        model: 'openai/omni-moderation-2024-09-26',
        input: pick([
          () => write(60),
          () => [write(20), ...several(9, () => write(20))],
          () => [{ type: 'text', text: write(20) }],
        ])(),
      },
      [
        ['input', [7, null, [], [7], [[]], { text: 'a' }, [{ type: 'audio' }], Array(3_000).fill('a')]],
        [
          'input',
          [[{ type: 'image_url', image_url: { url: 'https://127.0.0.1/a.png' } }], ['a', { type: 'text' }]],
        ],
        ['__proto__', [{ input: 'a' }]],
      ],
    ),
  mostBill: () => 0n,
  answer: () =>
    answerWith(
      { id: 'm', results: [{ flagged: false }] },
      { empty: { results: [] }, lying: { results: 7 }, bill: 0n },
    ),
};

/** Picocredits of a query, or of a token. */
const RERANK_PRICES: Record<string, { unit: bigint; token: bigint }> = {
  'rerank-v3.5': { unit: 200_000_000_000n, token: 0n },
  'rerank-v4.0-pro': { unit: 250_000_000_000n, token: 0n },
  'rerank-v5.0-fast': { unit: 0n, token: 2_000_000n },
  'rerank-2.5': { unit: 0n, token: 5_000_000n },
  'jina-reranker-v3.5': { unit: 0n, token: 5_000_000n },
};
const RERANKERS = [
  'cohere/rerank-v3.5',
  'cohere/rerank-v4.0-pro',
  'cohere/rerank-v5.0-fast',
  'voyage/rerank-2.5',
  'jina/jina-reranker-v3.5',
];

/** Either reading of the published rule: parts of 500 tokens of both, or of a document next to its query. */
function honestUnits({ query, documents, max_tokens_per_doc: most }: Json, repeatsQuery: boolean): number {
  const ofQuery = Math.min(2_048, tokensOf(query));
  const parts = (documents as string[]).map((document) => {
    const tokens = Math.min(Number(most), tokensOf(document));
    if (!repeatsQuery) return Math.max(1, Math.ceil((ofQuery + tokens) / 500));
    return Math.max(1, Math.ceil(tokens / (500 - Math.min(256, ofQuery))));
  });
  return Math.ceil(parts.reduce((sum, count) => sum + count, 0) / 100);
}

function honestTokens({ query, documents }: Json): number {
  const texts = documents as string[];
  const perPair = tokensOf(query) + 70;
  return texts.reduce((sum, text) => sum + tokensOf(text), texts.length * perPair);
}

function billRerank(sent: Json): bigint {
  const { unit, token } = RERANK_PRICES[String(sent.model)] ?? { unit: 0n, token: 0n };
  const units = unit > 0n ? Math.max(honestUnits(sent, false), honestUnits(sent, true)) : 0;
  return BigInt(units) * unit + (token > 0n ? BigInt(honestTokens(sent)) * token : 0n);
}

const RERANK: RequestKind = {
  format: 'rerank',
  path: '/v1/rerank',
  upstreamModels: Object.keys(RERANK_PRICES),
  write: () => {
    const length = pick([5, 20, 400]);
    return lie(
      {
        model: pick(RERANKERS),
        query: `a${write(pick([5, 5, 200]))}`,
        documents: Array.from({ length: 1 + upTo(pick([3, 30, 150])) }, () =>
          random() < 0.1 ? { text: write(length) } : write(length),
        ),
        ...(random() < 0.5 && { top_n: 1 + upTo(200) }),
        ...(random() < 0.3 && { max_tokens_per_doc: 1 + upTo(9_000) }),
        ...(random() < 0.3 && { return_documents: true }),
      },
      [
        ['documents', [[], null, 'a', [7], [null], [[]], Array(1_001).fill('a'), { 0: 'a' }]],
        ['query', ['', 7, null, ['a'], 'a'.repeat(100_001)]],
        ['top_n', [0, -1, 1.5, '3', 1e12]],
        ['max_tokens_per_doc', [0, -1, 1e12, '9', null]],
        ['rank_fields', [['a']]],
        ['__proto__', [{ documents: [] }]],
      ],
    );
  },
  mostBill: billRerank,
  answer: (sent) => {
    const results = (sent.documents as string[]).map((_, index) => ({ index, relevance_score: random() }));
    const whole = {
      id: 'r',
      results,
      meta: {
        billed_units: {
          search_units: Math.max(honestUnits({ max_tokens_per_doc: 4_096, ...sent }, true), 1),
        },
      },
      usage: { total_tokens: honestTokens(sent) },
    };
    const isByUnits = (RERANK_PRICES[String(sent.model)]?.unit ?? 0n) > 0n;
    const reported = isByUnits
      ? BigInt(whole.meta.billed_units.search_units) * (RERANK_PRICES[String(sent.model)]?.unit ?? 0n)
      : BigInt(whole.usage.total_tokens) * (RERANK_PRICES[String(sent.model)]?.token ?? 0n);
    const lying = { ...whole, meta: { billed_units: { search_units: -1 } }, usage: { total_tokens: 'many' } };
    return answerWith(whole, { empty: { results: [] }, lying, bill: reported });
  },
};

const PAGE: Record<string, bigint> = {
  'mistral-ocr-2512': 200_000_000_000n,
  'mistral-ocr-4-1': 400_000_000_000n,
};
/** By its data URL, how many pages a document really has. */
const truePages = new Map<string, number>();

function writePdf(): string {
  const times = 1 + upTo(20);
  const texts = Array<string>(times).fill('text');
  const { file, pages } = pick([
    () => pdf.plainPdf(texts),
    () => pdf.plainPdf(texts, { type: '/Type /P#61ge' }),
    () => pdf.repeatedPagePdf(times, 'page'),
    () => pdf.sharedContentPdf(times, 'text'),
    () => pdf.objectStreamPdf(times, 'text', pick(['/Type /ObjStm', '/Type /Obj#53tm'])),
    () => pdf.twiceDeflatedPdf('text'),
  ])();
  const url = `data:application/pdf;base64,${file.toString('base64')}`;
  truePages.set(url, pages);
  return url;
}

function pagesOf({ document, pages }: Json): number {
  const { type, document_url } = document as Json;
  const known = type === 'document_url' ? (truePages.get(String(document_url)) ?? 1_000) : 9;
  const wanted = Array.isArray(pages) ? new Set(pages).size : known;
  // An image that the request contains is one page; what an address leads to may be anything.
  const isContained = type === 'image_url' && !JSON.stringify(document).includes('https:');
  return isContained ? 1 : Math.min(known, wanted);
}

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const OCR: RequestKind = {
  format: 'ocr',
  path: '/v1/ocr',
  upstreamModels: Object.keys(PAGE),
  write: () =>
    lie(
      {
        model: `mistral/${pick(Object.keys(PAGE))}`,
        document: pick<() => Json>([
          () => ({ type: 'document_url', document_url: writePdf() }),
          () => ({ type: 'document_url', document_url: writePdf() }),
          () => ({ type: 'document_url', document_url: 'https://example.com/a.pdf' }),
          () => ({ type: 'image_url', image_url: PNG }),
          () => ({ type: 'image_url', image_url: { url: 'https://example.com/a.tiff' } }),
        ])(),
        ...(random() < 0.4 && { pages: pick([[0], [0, 0, 1], [5, 900], '0-3', '1,1,2']) }),
        ...(random() < 0.2 && { include_image_base64: true, image_limit: upTo(900) + 1 }),
      },
      [
        ['pages', [[], [-1], [1.5], ['0'], '', '5-2', '0-99999', 'a', null, Array(1_001).fill(0), { 0: 1 }]],
        [
          'document',
          [null, 7, {}, [], { type: 'file', file_id: 'f' }, { type: 'document_url', document_url: PNG }],
        ],
        ['document', [{ type: 'image_url', image_url: 'data:application/pdf;base64,JVBERi0xLjQ=' }]],
        ['document_annotation_format', [{ type: 'json_schema' }]],
        ['bbox_annotation_format', [{}]],
        ['id', ['x']],
        ['__proto__', [{ pages: [0] }]],
      ],
    ),
  mostBill: (sent) => BigInt(pagesOf(sent)) * (PAGE[String(sent.model)] ?? 0n),
  answer: (sent) => {
    const count = pagesOf(sent);
    const pages = Array.from({ length: count }, (_, index) => ({ index, markdown: 'text', images: [] }));
    const whole = { pages, model: sent.model, usage_info: { pages_processed: count } };
    const bill = BigInt(count) * (PAGE[String(sent.model)] ?? 0n);
    return answerWith(whole, {
      empty: { pages: [] },
      lying: { ...whole, usage_info: { pages_processed: 0 } },
      bill,
    });
  },
};

const KINDS: [string, RequestKind][] = [
  ['moderation', MODERATION],
  ['reranking', RERANK],
  ['OCR', OCR],
];

test.each(KINDS)(
  'the hold covers the bill of every request: %s',
  { timeout: 60_000 + 60 * CASES },
  async (_, kind) => checkHolds(kind, CASES),
);

test.each(KINDS)(
  'every bill is charged or recorded as lost: %s',
  { timeout: 60_000 + 900 * SENT },
  async (_, kind) => checkBills(world, kind, SENT),
);
