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
    this.requests = [entry, ...this.requests].slice(0, KEPT_REQUESTS);
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
