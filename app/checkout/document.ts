import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { settings } from '@/server/base/env';
import { escapeHtml } from '@/server/base/html';
import { type Language, readLanguage } from '../_ui/language';
import type { VisitFacts } from './[visit]/visit-script';
import { messagesFor } from './messages';

/** The documents of the checkout, with the scripts of `build.mjs` instead of Next's. */

/** `build.mjs` writes it. */
type Files = { gate: string; script: string; style: string; font: string };

const FOLDER = '/v1/checkout';
const LIST = path.join(/* turbopackIgnore: true */ process.cwd(), 'public', FOLDER, 'files.json');

let known: Promise<Files> | undefined;

function readFiles(): Promise<Files> {
  const read = async () => JSON.parse(await readFile(LIST, 'utf8')) as Files;
  // While developing, each change builds other files.
  if (settings().NODE_ENV === 'development') return read();
  known ??= read();
  return known;
}

/** The gate's script is part of its document. While it waits, the browser fetches the files of the visit. */
export const gateDocument = (request: Request): Promise<Response> =>
  respond(request, ({ files: { gate, script }, nonce }) => ({
    head: `<script nonce="${nonce}">${gate}</script>
<link rel="modulepreload" nonce="${nonce}" href="${FOLDER}/${script}">`,
    data: `data-script="${FOLDER}/${script}"`,
  }));

export const visitDocument = (request: Request, facts: VisitFacts): Promise<Response> =>
  respond(request, ({ files: { script }, nonce }) => ({
    head: `<script type="module" nonce="${nonce}" src="${FOLDER}/${script}"></script>`,
    data: `data-facts="${escapeHtml(JSON.stringify(facts))}"`,
  }));

type Parts = (of: { files: Files; nonce: string }) => { head: string; data: string };

async function respond(request: Request, parts: Parts): Promise<Response> {
  const [files, language] = await Promise.all([readFiles(), readLanguage()]);
  const html = write(files, language, parts({ files, nonce: findNonce(request) }));
  return new Response(html, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'private, no-store' },
  });
}

/** Set by `proxy.ts`. */
function findNonce({ headers }: Request): string {
  return /'nonce-([\w+/=]+)'/.exec(headers.get('content-security-policy') ?? '')?.[1] ?? '';
}

/** What is in `head` comes first: a script waits for the styles before it. */
function write({ style, font }: Files, language: Language, { head, data }: ReturnType<Parts>): string {
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8">
${head}
<link rel="stylesheet" href="${FOLDER}/${style}">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${FOLDER}/${font}">
<title>Checkout · ${escapeHtml(settings().BRAND_NAME)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark"><link rel="icon" href="/icon.svg"></head>
<body class="min-h-dvh text-[15px] leading-normal"><div id="view" ${data}>${opening(language)}</div></body></html>`;
}

/** As `OpeningMessage` shows it. */
const opening = (language: Language): string =>
  `<main><div role="status" class="grid min-h-dvh place-content-center justify-items-center gap-3 bg-surface text-muted">
<svg width="24" height="24" viewBox="0 0 24 24" fill="none" aria-hidden="true" class="animate-turn"><circle cx="12" cy="12" r="9.5" stroke="currentColor" stroke-width="2.5" opacity="0.22"/><path d="M21.5 12A9.5 9.5 0 0 0 12 2.5" stroke="currentColor" stroke-width="2.5" stroke-linecap="round"/></svg>
<h1 class="tracking-normal">${messagesFor(language).loading}</h1></div></main>`;
