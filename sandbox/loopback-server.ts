import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { type MultipartForm, readMultipart } from '../server/base/http/read-multipart';
import { describeError, log } from '../server/base/log';

export type LoopbackServer = { url: string; close(): Promise<void> };
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const HOST = '127.0.0.1';
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Sandbox servers listen on the loopback address only, even if svc itself does not. */
export async function listenOnLoopback(handler: Handler, port = 0): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    handler(request, response).catch((error: unknown) => failResponse(response, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${actualPort}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function failResponse(response: ServerResponse, error: unknown): void {
  log().error({ error: describeError(error) }, 'sandbox request failed');
  if (response.headersSent) response.destroy();
  else
    sendJson(response, 500, {
      error: { type: 'api_error', message: 'The sandbox failed. Check the log of svc.' },
    });
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES)
      throw new Error(`The request body exceeds the sandbox's limit of ${MAX_BODY_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The parts of multipart/form-data. */
export function readForm(request: IncomingMessage): Promise<MultipartForm> {
  const headers = new Headers({ 'content-type': request.headers['content-type'] ?? '' });
  const body = Readable.toWeb(request) as ReadableStream<Uint8Array>;
  return readMultipart({ headers, body }, { limitBytes: MAX_BODY_BYTES, key: '' });
}

/** Null when the text is not JSON. */
export function parseJson(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body, null, 2));
}
