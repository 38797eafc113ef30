import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { now } from '../base/clock';
import { settings } from '../base/env';
import type { ApiError } from '../base/errors';
import type { Connection } from '../base/http/api-request';
import { leaveRest } from '../base/http/receive-body';
import { securityHeaders } from '../base/http/security-headers';
import { sendRefusal } from '../base/http/send-refusal';
import { describeError, log } from '../base/log';
import { noteResponse } from './access-log';
import { apiListener, isForApi } from './api-listener';
import { createClientIpWriter } from './client-ip';
import { Connections } from './connections';
import { findFault, MAX_HEAD_BYTES } from './gate';
import type { Lifetime } from './lifetime';
import { type Listener, type PagesOptions, startPagesHere, startPagesThread } from './pages';

/** Slow senders must not hold a connection forever. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 120_000;
/** Longer than load balancers keep idle connections, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

export type HttpServer = { server: Server; connections: Connections };

/** One server: the API directly from its route files, everything else through Next. */
export async function createHttpServer(
  life: Lifetime,
  options: PagesOptions & { dev: boolean },
): Promise<HttpServer> {
  const pages = options.dev ? await startPagesHere(options) : await startPagesThread(options);
  life.onStop('pages', pages.close);
  const writeClientIp = createClientIpWriter(settings().TRUSTED_PROXIES);
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    maxHeaderSize: MAX_HEAD_BYTES,
    insecureHTTPParser: false,
  });
  // Those that Node would leave out of `headers` still frame the body.
  server.maxHeadersCount = 0;
  const connections = new Connections(server);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!connections.begin(request, response)) return;
    const receivedAtMs = now();
    response.once('close', () => {
      connections.end(request);
      noteResponse(request, response, receivedAtMs);
    });
    const fault = findFault(request);
    if (fault !== null) return refuse({ incoming: request, outgoing: response }, fault);
    writeClientIp(request);
    const isApi = !options.dev && isForApi(request);
    const listener: Listener = isApi ? apiListener : pages.listener;
    listener(request, response).catch((error: unknown) => failResponse(response, error));
  });
  return { server, connections };
}

function refuse(connection: Connection, fault: ApiError): void {
  leaveRest(connection);
  sendRefusal(connection.outgoing, fault);
}

function failResponse(response: ServerResponse, error: unknown): void {
  log().error({ error: describeError(error) }, 'request failed');
  if (!response.headersSent) response.writeHead(500, securityHeaders());
  response.end();
}
