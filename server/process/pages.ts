import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  request as sendRequest,
} from 'node:http';
import { pipeline } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { Channel } from '../base/channel';
import { ApiError } from '../base/errors';
import { CLIENT_IP_HEADER } from '../base/http/client-ip';
import { withPageStatus } from '../base/http/page-failures';
import { ownSiteHeaders } from '../base/http/security-headers';
import { sendRefusal } from '../base/http/send-refusal';
import { askPrimary } from '../base/primary';
import { MAX_HEAD_BYTES } from './gate';
import { receiveForm } from './receive-form';
import { StartError } from './start-error';
import { targetOf } from './target';

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
  // What the pages ask the primary of several instances.
  new Channel({ send: (message) => worker.postMessage(message), from: worker }, askPrimary);
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
  const { parseAndValidateFlightRouterState } = await import(
    'next/dist/server/app-render/parse-and-validate-flight-router-state.js'
  );
  const listener = withPageStatus(app.getRequestHandler());
  return {
    listener: async (request, response) => {
      const refusal = findStateRefusal(request, parseAndValidateFlightRouterState);
      if (refusal !== null) return sendRefusal(response, refusal);
      await listener(request, response);
    },
    close: () => app.close(),
  };
}

/** Next responds with 500 to a state of its router that it cannot read. */
function findStateRefusal(
  { headers }: IncomingMessage,
  parse: (state: string | string[] | undefined) => unknown,
): ApiError | null {
  try {
    parse(headers['next-router-state-tree']);
    return null;
  } catch {
    return new ApiError('invalid_request', 'next-router-state-tree: must be a state of the router.');
  }
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

/** What our pages and Next read of a request. Whatever else a client sends, they never see. */
const OF_REQUEST = `${CLIENT_IP_HEADER} host accept accept-encoding accept-language cache-control
  content-type cookie if-modified-since if-none-match if-range next-action next-router-prefetch next-router-segment-prefetch
  next-router-state-tree next-url origin range referer rsc sec-fetch-dest sec-fetch-mode
  sec-fetch-site sec-fetch-user stripe-signature user-agent`.split(/\s+/);
/** They describe the connection to the pages, not their response. */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade']);

/** Sends the pages a request of our own that asks for the same: what frames a message is never copied. */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  agent: Agent,
): Promise<void> {
  const received = await receiveForm({ incoming: request, outgoing: response });
  if (received instanceof ApiError) return sendRefusal(response, received);
  const { method = 'GET', url = '/' } = request;
  const path = STAND_INS.includes(targetOf(request).pathname) ? UNKNOWN : url;
  const body = method === 'GET' || method === 'HEAD' ? undefined : received;
  const headers = { ...pick(request.headers), ...(body && { 'content-length': body.length }) };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, agent, method, path, headers };
    const onward = sendRequest({ ...options, maxHeaderSize: MAX_HEAD_BYTES });
    response.once('close', () => onward.destroy());
    onward.once('error', (error) =>
      response.writableEnded || response.destroyed ? resolve() : reject(error),
    );
    onward.once('response', (page) => {
      response.writeHead(page.statusCode ?? 502, { ...headersFor(url), ...endToEnd(page.headers) });
      pipeline(page, response, () => resolve());
    });
    onward.end(body);
  });
}

/** Pages that Next shows in place of others. Under their own paths, it would serve them as a success or a failure. */
const STAND_INS = ['/_global-error', '/_not-found'];
const UNKNOWN = '/404';

const pick = (headers: IncomingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(
    OF_REQUEST.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );

const endToEnd = (headers: IncomingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)));

/**
 * Next serves its files, and its own errors outside the pages, without running `proxy.ts`. The checkout loads its
 * scripts in a sandboxed frame too, where it has no origin, to say why it is refused.
 */
function headersFor(url: string): Record<string, string> {
  const isAsset = url.startsWith('/_next/static/');
  return isAsset ? { ...ownSiteHeaders(), 'cross-origin-resource-policy': 'cross-origin' } : ownSiteHeaders();
}
