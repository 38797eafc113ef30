import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { settings } from '@/server/base/env';
import { escapeHtml } from '@/server/base/html';
import { CHECKOUT_TEXTS } from '@/texts/checkout';
import { chooseLanguage, findFirstLanguage, type Language } from '@/texts/languages';
import type { VisitFacts } from './[visit]/visit-script';

/** The documents of the checkout, with the scripts of `build.mjs` instead of Next's. */

/** `build.mjs` writes it. */
type Files = {
  gate: string;
  script: string;
  style: string;
  font: string;
  /** By language, in lower case. */
  texts: Record<string, string>;
};

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
  respond(request, ({ gate, scripts, nonce }) => ({
    head: `<script nonce="${nonce}">${gate}</script>
${scripts.map((file) => `<link rel="modulepreload" nonce="${nonce}" href="${file}">`).join('')}`,
    data: `data-script="${scripts[0]}"`,
  }));

/** The first script imports the second, the texts: naming both has the browser fetch them at once. */
export const visitDocument = (request: Request, facts: VisitFacts): Promise<Response> =>
  respond(request, ({ scripts, nonce }) => ({
    head: scripts.map((file) => `<script type="module" nonce="${nonce}" src="${file}"></script>`).join(''),
    data: `data-facts="${escapeHtml(JSON.stringify(facts))}"`,
  }));

type Parts = (of: { gate: string; scripts: string[]; nonce: string }) => { head: string; data: string };

async function respond(request: Request, parts: Parts): Promise<Response> {
  const files = await readFiles();
  const language = readLocale(request) ?? chooseLanguage(request.headers.get('accept-language'));
  const scripts = [files.script, files.texts[language.toLowerCase()]].map((file) => `${FOLDER}/${file}`);
  const html = write(files, language, parts({ gate: files.gate, scripts, nonce: findNonce(request) }));
  return new Response(html, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'private, no-store' },
  });
}

/** The language that the app chose. Null if it chose none that we have. */
export const readLocale = ({ url }: Request): Language | null =>
  findFirstLanguage(new URL(url).searchParams.get('locale'));

/** Set by `proxy.ts`. */
function findNonce({ headers }: Request): string {
  return /'nonce-([\w+/=]+)'/.exec(headers.get('content-security-policy') ?? '')?.[1] ?? '';
}

/** What is in `head` comes first: a script waits for the styles before it. */
function write({ style, font, texts }: Files, language: Language, { head, data }: ReturnType<Parts>): string {
  const { pageTitle, loading } = CHECKOUT_TEXTS[language];
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8">
${head}
<link rel="stylesheet" href="${FOLDER}/${style}">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${FOLDER}/${font}">
<title>${pageTitle} · ${escapeHtml(settings().BRAND_NAME)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark"><link rel="icon" href="/icon.svg"></head>
<body class="min-h-dvh text-[15px] leading-normal"><div id="view" data-texts="${escapeHtml(JSON.stringify(texts))}" ${data}>${opening(loading)}</div></body></html>`;
}

/** As `OpeningMessage` shows it. */
const opening = (loading: string): string =>
  `<main><div role="status" class="grid min-h-dvh place-content-center justify-items-center gap-3 bg-surface text-muted">
<svg width="24" height="24" viewBox="0 0 24 24" fill="none" aria-hidden="true" class="animate-turn"><circle cx="12" cy="12" r="9.5" stroke="currentColor" stroke-width="2.5" opacity="0.22"/><path d="M21.5 12A9.5 9.5 0 0 0 12 2.5" stroke="currentColor" stroke-width="2.5" stroke-linecap="round"/></svg>
<h1 class="tracking-normal">${loading}</h1></div></main>`;
