import type { IncomingMessage, ServerResponse } from 'node:http';
import { inflateSync } from 'node:zlib';
import { parseJson, readBody, sendJson } from '../loopback-server';
import type { RequestLog } from './request-log';
import { countPromptTokens } from './token-usage';

/** OpenAI's moderation, Cohere's reranking and Mistral's OCR, each small and without a model. */

type Body = Record<string, unknown>;
/** Null is an invalid request. */
type Respond = (body: Body) => object | null;

const ENDPOINTS: Readonly<Record<string, { model: string; respond: Respond }>> = {
  '/v1/moderations': { model: 'moderation', respond: moderate },
  '/v1/rerank': { model: 'rerank', respond: rerank },
  '/v1/ocr': { model: 'ocr', respond: readPages },
};

export const isDocumentPath = (pathname: string): boolean => Object.hasOwn(ENDPOINTS, pathname);

export async function sendDocuments(
  log: RequestLog,
  { request, response, pathname }: { request: IncomingMessage; response: ServerResponse; pathname: string },
): Promise<void> {
  const { model, respond } = ENDPOINTS[pathname] ?? { model: '', respond: () => null };
  const text = await readBody(request);
  const body = parseJson(text)?.value as Body | undefined;
  log.add(request, body ?? text);
  if (body?.model === `${model}-error-500`)
    return sendJson(response, 500, { error: { message: 'The server had an error', type: 'server_error' } });
  const result = body?.model === model ? respond(body) : null;
  if (result !== null) return sendJson(response, 200, result);
  sendJson(response, 400, { error: { message: 'Invalid request', type: 'invalid_request_error' } });
}

const CATEGORIES: Readonly<Record<string, RegExp>> = {
  harassment: /\b(idiot|stupid|loser)s?\b/i,
  hate: /\bhate\b/i,
  'self-harm': /\b(hurt|harm) myself\b/i,
  sexual: /\bnude\b/i,
  violence: /\b(kill|attack|bomb)\b/i,
};

function moderate({ input }: Body): object | null {
  if (typeof input !== 'string' && !Array.isArray(input)) return null;
  const items: unknown[] = typeof input === 'string' ? [input] : input;
  const texts = items.every((item) => typeof item === 'string')
    ? items.map(String)
    : [items.map((part) => String((part as Body).text ?? '')).join(' ')];
  return { id: 'modr-sandbox', model: 'moderation', results: texts.map(judge) };
}

function judge(text: string): object {
  const found = Object.entries(CATEGORIES).map(([name, words]) => [name, words.test(text)] as const);
  return {
    flagged: found.some(([, applies]) => applies),
    categories: Object.fromEntries(found),
    category_scores: Object.fromEntries(found.map(([name, applies]) => [name, applies ? 0.97 : 0.0001])),
    category_applied_input_types: Object.fromEntries(found.map(([name]) => [name, ['text']])),
  };
}

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/** By the part of the words of the query that a document has. */
function rerank({ query, documents, top_n, max_tokens_per_doc }: Body): object | null {
  if (typeof query !== 'string' || !Array.isArray(documents)) return null;
  const wanted = wordsOf(query);
  const results = documents.map((document, index) => {
    const words = wordsOf(String(document));
    const common = [...wanted].filter((word) => words.has(word)).length;
    return { index, relevance_score: Math.round((1e4 * common) / Math.max(1, wanted.size)) / 1e4 };
  });
  const most = typeof top_n === 'number' ? top_n : results.length;
  return {
    id: 'rerank-sandbox',
    results: results
      .sort((a, b) => b.relevance_score - a.relevance_score || a.index - b.index)
      .slice(0, most),
    meta: {
      api_version: { version: '2' },
      billed_units: { search_units: countUnits(query, documents.map(String), Number(max_tokens_per_doc)) },
    },
  };
}

const tokensOf = (text: string): number => countPromptTokens([{ role: 'user', text }]);

function countUnits(query: string, documents: readonly string[], most: number): number {
  const ofQuery = tokensOf(query);
  const parts = documents.map((document) => Math.ceil((ofQuery + Math.min(most, tokensOf(document))) / 500));
  return Math.ceil(parts.reduce((sum, count) => sum + count, 0) / 100);
}

/** The text of a PDF that shows it with plain strings; an image is one page without text. */
function readPages({ document, pages }: Body): object | null {
  const { type, document_url = '' } = (document ?? {}) as Body;
  const data = String(document_url).split(';base64,')[1];
  const texts = type === 'document_url' && data !== undefined ? textsOf(Buffer.from(data, 'base64')) : [''];
  const wanted = Array.isArray(pages) ? pages.map(Number) : texts.map((_, index) => index);
  const found = wanted.filter((index) => index < texts.length);
  if (found.length === 0) return null;
  return {
    pages: found.map((index) => ({
      index,
      markdown: texts[index],
      images: [],
      dimensions: { dpi: 200, height: 2200, width: 1700 },
    })),
    model: 'ocr',
    document_annotation: null,
    usage_info: { pages_processed: found.length, doc_size_bytes: data === undefined ? null : data.length },
  };
}

function textsOf(pdf: Buffer): string[] {
  const parts = pdf.toString('latin1').split('endstream').slice(0, -1);
  const streams = parts.map((part) => {
    const content = part.slice(part.lastIndexOf('stream') + 'stream'.length);
    return inflate(Buffer.from(content.replace(/^\r?\n/, '').replace(/\r?\n$/, ''), 'latin1'));
  });
  const shown = streams.filter((content) => /\bT[jJ]\b/.test(content)).map(readStrings);
  return shown.length > 0 ? shown : [''];
}

function inflate(stream: Buffer): string {
  try {
    return inflateSync(stream).toString('latin1');
  } catch {
    return stream.toString('latin1');
  }
}

/** The strings in brackets. A backslash takes the next character as it is. */
function readStrings(content: string): string {
  let text = '';
  let isInside = false;
  for (let at = 0; at < content.length; at++) {
    const character = content[at] ?? '';
    if (character === '\\') at++;
    if (character === '(' || character === ')') isInside = character === '(';
    else if (isInside) text += content[at] ?? '';
  }
  return text;
}
