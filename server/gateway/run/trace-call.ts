import { now, SECOND_MS } from '../../base/clock';
import { traceOf } from '../../base/tracing';
import type { ModelType } from '../protocols/neutral';
import type { Exchange } from '../providers/exchange';
import type { Attempt } from './attempt';
import type { Candidate } from './candidates';
import type { Run } from './run';

/** The span of a call to a provider, with the names of OpenTelemetry's conventions for generative AI. */

const OPERATIONS: Partial<Record<ModelType, string>> = { language: 'chat', embedding: 'embeddings' };

/** Begins the span, and lets the provider continue the trace if the operator has chosen to. */
export function beginCall(run: Run, { model, target }: Candidate, exchange: Exchange): void {
  const trace = traceOf(run.requestId);
  if (trace === undefined) return;
  const operation = OPERATIONS[model.type] ?? 'generate_content';
  run.call = trace.begin(`${operation} ${model.upstreamModel}`, 'client', {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': model.provider,
    'gen_ai.request.model': model.upstreamModel,
    'gen_ai.request.stream': run.wantsStream,
    'server.address': new URL(target.origin).hostname,
  });
  Object.assign(exchange.headers, run.call.headersForProvider());
}

/** The span of a stream goes on until its last byte. */
export function endCall({ call }: Run, attempt: Attempt): void {
  if (call === undefined) return;
  if (!attempt.ok) call.fail(attempt.failure.kind);
  else if ('stream' in attempt.response) return;
  call.end();
}

export function noteFirstChunk({ call }: Run): (() => void) | undefined {
  if (call === undefined) return undefined;
  return () => call.set({ 'gen_ai.response.time_to_first_chunk': (now() - call.beganAt) / SECOND_MS });
}
