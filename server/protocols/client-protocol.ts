import type { ApiError } from '../errors';
import type { InputSize, TokenKind } from './measure-size';
import type { ModelResponse, Prompt, StreamEvent, TokenUsage } from './neutral';

/** What a response says about itself, whichever provider it comes from. */
export type ResponseLabels = {
  /** Random text for ids, without a prefix. */
  newId: () => string;
  /** Unix time in seconds, for responses that we write. */
  created: number;
  /** The model as the client requested it. */
  requestedModel: string;
  provider: { name: string };
  /** The model as the provider calls it. */
  upstreamModel: string;
};

/** Writes a response to the client as it arrives. */
export type StreamWriter = {
  write(event: StreamEvent): string;
  /** What ends the stream. */
  close(usage: TokenUsage): string;
};

/** What a stream may need besides the response. */
export type StreamFrames = {
  /** The error in the client's shape. Nothing may follow it. */
  fail(error: ApiError): string;
  /** Keeps a silent connection open. */
  readonly keepalive: string;
};

/**
 * A wire format that we serve: what a request asks for, in numbers, and the way between it and the
 * neutral shape. A further one is a folder with this object and a line in `client-protocols.ts`.
 */
export interface ClientProtocol<Request> {
  /** The checked request, or `invalid_request` that names the field. */
  validate(json: Record<string, unknown>): Request;
  /** Null when the client set no limit. */
  requestedOutputTokens(request: Request): number | null;
  wantsStream(request: Request): boolean;
  /** Choices requested (`n`): each may use the whole output limit. */
  choices(request: Request): number;
  /** Input in the tokens of the kind of provider that will be called. */
  measure(request: Request, kind?: TokenKind): InputSize;
  /** Refuses what the catalogue does not price. `deniedFields` are those of one provider. */
  refuseUnpriced(request: Request, deniedFields: readonly string[]): void;
  /** The request for a provider of another format; `warnings` gets what had to be dropped. */
  readPrompt(request: Request, warnings: string[]): Prompt;
  /** A provider's whole response for the client. */
  writeResponse(response: ModelResponse, usage: TokenUsage, labels: ResponseLabels): object;
  /** `expected`: usage as far as it is known at the start, for clients that read it only there. */
  writeStream(request: Request, labels: ResponseLabels, expected: () => TokenUsage): StreamWriter;
  readonly frames: StreamFrames;
}
