import type { IncomingMessage, ServerResponse } from 'node:http';
import { now } from '../base/clock';
import { settings } from '../base/env';
import { log } from '../base/log';
import { httpDurations, httpRequests } from '../base/measures';
import { countResponse } from '../gateway/counts/status-counts';
import { labelRoute } from './route-label';
import { targetOf } from './target';

/** As in nginx: the client disconnected before the response began. */
const CLIENT_DISCONNECTED = 499;

/** Called when a response has ended. Counts it and, with `ACCESS_LOG`, writes a line. */
export function noteResponse(request: IncomingMessage, response: ServerResponse, receivedAtMs: number): void {
  const status = response.headersSent ? response.statusCode : CLIENT_DISCONNECTED;
  const route = labelRoute(targetOf(request));
  const durationMs = now() - receivedAtMs;
  httpRequests.add(route, status);
  httpDurations.add(route, durationMs);
  countResponse(route, status);
  if (!settings().ACCESS_LOG) return;
  log().info(
    {
      request_id: readRequestId(response),
      method: request.method,
      route,
      status,
      duration_ms: durationMs,
      // Of a response that had begun.
      ...(!response.writableFinished && { disconnected: true }),
    },
    'request',
  );
}

/** `getHeader` does not have the headers that were given to `writeHead`. */
function readRequestId(response: ServerResponse): string | undefined {
  const { _header: written } = response as { _header?: string | null };
  return /\r\nx-request-id: (\w+)/i.exec(written ?? '')?.[1];
}
