import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { nowDate } from '../../server/base/clock';

type LoggedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
  received_at: string;
};

const KEPT_REQUESTS = 100;
/** Of all but the newest: bodies with media have up to 32 MB. */
const KEPT_BYTES = 32 * 1024 * 1024;
const UNKNOWN_BYTES = 1024 * 1024;
const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];

/** Records what svc sent upstream, for tests to inspect. Credentials are redacted. */
export class RequestLog {
  private requests: LoggedRequest[] = [];
  aborted = 0;

  add(request: IncomingMessage, body: unknown): void {
    const headers = { ...request.headers };
    for (const name of CREDENTIAL_HEADERS) if (headers[name] !== undefined) headers[name] = '[redacted]';
    const entry = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers,
      body,
      received_at: nowDate().toISOString(),
    };
    let bytes = 0;
    const isKept = ({ headers: { 'content-length': length } }: LoggedRequest): boolean => {
      bytes += length === undefined ? UNKNOWN_BYTES : Number(length);
      return bytes <= KEPT_BYTES;
    };
    this.requests = [entry, ...this.requests.slice(0, KEPT_REQUESTS - 1).filter(isKept)];
  }

  clear(): void {
    this.requests = [];
    this.aborted = 0;
  }

  /** Newest first. */
  toJson(): { requests: LoggedRequest[]; aborted: number } {
    return { requests: this.requests, aborted: this.aborted };
  }
}
