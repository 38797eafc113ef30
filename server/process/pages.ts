import { Agent, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { pipeline } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { ApiError } from '../errors';
import { withPageStatus } from '../http/page-failures';
import { ownSiteHeaders } from '../http/security-headers';
import { sendRefusal } from '../http/send-refusal';
import { receiveForm } from './receive-form';
import { StartError } from './start-error';

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
export type Pages = { listener: Listener; close: () => Promise<unknown> };
export type PagesOptions = { host: string; port: number };

/** The message from the thread to the process. */
export type PagesMessage = { ready: number } | { failed: string };
export const STOP_PAGES = 'stop';

/**
 * Next in its own thread: it tracks every promise of its thread, which would cost the API a third of
 * its throughput. A slow page does not delay API requests either.
 */
export async function startPagesThread(options: PagesOptions): Promise<Pages> {
  const worker = new Worker(new URL('./pages-thread.mjs', import.meta.url), { workerData: options });
  const port = await whenReady(worker);
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  const agent = new Agent({ keepAlive: true });
  return {
    listener: (request, response) => forward(request, response, port, agent),
    close: () => {
      agent.destroy();
      worker.postMessage(STOP_PAGES);
      return ended;
    },
  };
}

/** For development: runs Next in this thread, so that its reload connection can be upgraded. */
export async function startPagesHere(options: PagesOptions & { dev: boolean }): Promise<Pages> {
  // Only the thread that serves pages loads Next.
  const { default: next } = await import('next');
  const app = next({ dev: options.dev, dir: process.cwd(), hostname: options.host, port: options.port });
  await app.prepare();
  return { listener: withPageStatus(app.getRequestHandler()), close: () => app.close() };
}

function whenReady(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', (code) =>
      reject(new StartError(`The pages stopped before they were ready (exit code ${code})`)),
    );
    worker.once('message', (message: PagesMessage) => {
      if ('ready' in message) resolve(message.ready);
      else reject(new StartError(`Could not prepare the pages: ${message.failed}`));
    });
  });
}

/** Headers that apply to a single connection. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection']);

/** Sends a request on to the pages, with its whole body: they buffer it too, but without our limits. */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  agent: Agent,
): Promise<void> {
  const body = await receiveForm({ incoming: request, outgoing: response });
  if (body instanceof ApiError) return sendRefusal(response, body);
  return new Promise((resolve, reject) => {
    const onward = sendRequest({
      host: '127.0.0.1',
      port,
      agent,
      method: request.method,
      path: request.url,
      headers: endToEnd(request.rawHeaders),
    });
    response.once('close', () => onward.destroy());
    onward.once('error', (error) =>
      response.writableEnded || response.destroyed ? resolve() : reject(error),
    );
    onward.once('response', (page) => {
      response.writeHead(page.statusCode ?? 502, withMissing(headersFor(request.url), page));
      pipeline(page, response, () => resolve());
    });
    onward.end(body);
  });
}

/** The checkout loads its scripts in a sandboxed frame too, where it has no origin, to say why it is refused. */
function headersFor(url = ''): Record<string, string> {
  const isAsset = url.startsWith('/_next/static/');
  return isAsset ? { ...ownSiteHeaders(), 'cross-origin-resource-policy': 'cross-origin' } : ownSiteHeaders();
}

/** Next serves its files, and its own errors outside the pages, without running `proxy.ts`. */
function withMissing(
  headers: Record<string, string>,
  { headers: given, rawHeaders }: IncomingMessage,
): string[] {
  return [...endToEnd(rawHeaders), ...Object.entries(headers).flatMap((h) => (h[0] in given ? [] : h))];
}

/** Names and values in one flat list, as `node:http` accepts them. */
function endToEnd(rawHeaders: string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (!HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, rawHeaders[i + 1] ?? '');
  }
  return kept;
}
