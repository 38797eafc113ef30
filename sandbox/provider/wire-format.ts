import type { Answer } from './answers';
import type { GenerationRequest, ReadResult } from './generation-request';
import type { StreamScript } from './stream-steps';

export type Failure = {
  status: number;
  kind: FailureKind;
  message: string;
  param?: string | null;
  retryAfterSeconds?: number;
};
export type FailureKind = 'bad_request' | 'authentication' | 'not_found' | 'rate_limit' | 'server_error';

/** How one of the two APIs reads requests and writes responses. */
export type WireFormat = {
  readRequest(body: unknown): ReadResult;
  writeWhole(request: GenerationRequest, answer: Answer): unknown;
  writeStream(request: GenerationRequest, answer: Answer): StreamScript;
  writeError(failure: Failure): unknown;
};
