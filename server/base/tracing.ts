import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * The spans of paid requests. `server/process/telemetry.ts` loads OpenTelemetry if an operator has configured it.
 * Without it, each place that would write a span checks one variable. No span contains a key, a user, a prompt or a
 * completion.
 */

export type Attributes = Record<string, string | number | boolean>;

export type Span = {
  readonly traceId: string;
  /** In milliseconds of the clock. */
  readonly beganAt: number;
  set(attributes: Attributes): void;
  /** `type` is an error code, a status or the kind of a failure. */
  fail(type: string): void;
  end(): void;
  /** `client` is a call to another server. */
  begin(name: string, kind: 'internal' | 'client', attributes?: Attributes): Span;
  /** What a provider receives to continue the trace: nothing, unless the operator has chosen to. */
  headersForProvider(): Record<string, string>;
};

export type Tracing = (name: string, headers: IncomingMessage['headers'], attributes: Attributes) => Span;

/** The span of a request. It ends when its response has ended and its run is settled, whichever is later. */
type Trace = { span: Span; pending: number };

let beginSpan: Tracing | undefined;
const traces = new Map<string, Trace>();

export function provideTracing(given: Tracing | undefined): void {
  beginSpan = given;
}

/** The span of a running request; undefined without tracing. */
export const traceOf = (requestId: string): Span | undefined =>
  beginSpan === undefined ? undefined : traces.get(requestId)?.span;

/** Begins the span of a paid request, which is a child of the span that its client names in `traceparent`. */
export function traceRequest(
  { incoming, outgoing }: { incoming: IncomingMessage; outgoing: ServerResponse },
  route: string,
  requestId: string,
): void {
  if (beginSpan === undefined) return;
  const span = beginSpan(`POST ${route}`, incoming.headers, {
    'http.request.method': 'POST',
    'http.route': route,
    'svc.request.id': requestId,
  });
  traces.set(requestId, { span, pending: 1 });
  outgoing.once('close', () => {
    if (outgoing.headersSent) span.set({ 'http.response.status_code': outgoing.statusCode });
    if (!outgoing.writableFinished) span.set({ 'svc.client_disconnected': true });
    finishTrace(requestId);
  });
}

/** The request runs, possibly longer than its client is connected. */
export function extendTrace(requestId: string): void {
  const trace = traces.get(requestId);
  if (trace !== undefined) trace.pending++;
}

export function finishTrace(requestId: string): void {
  const trace = traces.get(requestId);
  if (trace === undefined || --trace.pending > 0) return;
  traces.delete(requestId);
  trace.span.end();
}

/** Only a failure of the service makes the span fail. */
export function noteError(requestId: string, { code, status }: { code: string; status: number }): void {
  const span = traceOf(requestId);
  if (status >= 500) span?.fail(code);
  else span?.set({ 'error.type': code });
}

/** For a log line about a request. */
export function traceIdOf(line: object): { trace_id?: string } {
  if (beginSpan === undefined || !('request_id' in line)) return {};
  const trace = traces.get(String(line.request_id));
  return trace === undefined ? {} : { trace_id: trace.span.traceId };
}
