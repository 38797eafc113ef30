import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * One POST to a receiver that may be slow, broken or hostile. Connects only to the given addresses,
 * whatever the name resolves to by then. Redirects are not followed.
 */

export type PostRequest = {
  url: URL;
  /** Already checked. No other address is connected to. */
  addresses: readonly string[];
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
};

export type PostFailure = 'timeout' | 'connection' | 'tls' | 'bad_response';

export type PostResult =
  | { ok: true; status: number; excerpt: Buffer }
  /** No status line arrived. */
  | { ok: false; error: PostFailure };

export const EXCERPT_BYTES = 1_024;
/** The outcome depends only on the status line. The body is read this long, for the log. */
const EXCERPT_TIMEOUT_MS = 250;
/** A distant host needs more than Node's default of 250 ms before the next address is tried. */
const PER_ADDRESS_MS = 1_000;
const MAX_HEADER_BYTES = 16 * 1_024;

export function post({ url, addresses, headers, body, signal }: PostRequest): Promise<PostResult> {
  return new Promise((resolve) => {
    const open = url.protocol === 'https:' ? requestHttps : requestHttp;
    const options: RequestOptions & Pick<TcpNetConnectOpts, 'autoSelectFamilyAttemptTimeout'> = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      // A separate connection, so that apps do not share any state.
      agent: false,
      lookup: resolveTo(addresses),
      autoSelectFamilyAttemptTimeout: PER_ADDRESS_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
    };
    const request = open(url, options);
    const fail = (error?: unknown) =>
      resolve({ ok: false, error: signal.aborted ? 'timeout' : classify(error, request.socket) });
    request.on('error', fail);
    request.on('close', fail);
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ ok: true, status: response.statusCode ?? 0, excerpt: Buffer.alloc(0) });
    });
    request.on('response', async (response) => {
      // The outcome is known from the status line: later errors do not matter.
      request.off('error', fail).off('close', fail).on('error', ignore);
      const excerpt = await readExcerpt(response);
      request.destroy();
      resolve({ ok: true, status: response.statusCode ?? 0, excerpt });
    });
    request.end(body);
  });
}

const ignore = (): void => {};

/** Replaces the DNS lookup: the addresses were already found and checked. */
function resolveTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, done) => {
    const wanted = all.filter(({ family }) => !options.family || options.family === family);
    const [first] = wanted;
    if (first === undefined) done(new Error('no address of this family'), []);
    else if (options.all) done(null, wanted);
    else done(null, first.address, first.family);
  };
}

/** Reads the first bytes, if they arrive soon. The remainder is not read. */
function readExcerpt(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const finish = () => {
      clearTimeout(timeout);
      response.pause();
      resolve(Buffer.concat(parts).subarray(0, EXCERPT_BYTES));
    };
    const timeout = setTimeout(finish, EXCERPT_TIMEOUT_MS);
    response.on('data', (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      if (bytes >= EXCERPT_BYTES) finish();
    });
    response.on('end', finish).on('error', finish).on('close', finish);
  });
}

function classify(error: unknown, socket: unknown): PostFailure {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (code.startsWith('HPE_')) return 'bad_response';
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code)) return 'tls';
  const isHandshakeOpen = socket instanceof TLSSocket && socket.getProtocol() === null;
  return isHandshakeOpen && code === 'ECONNRESET' ? 'tls' : 'connection';
}
