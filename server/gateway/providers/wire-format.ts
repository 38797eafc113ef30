import type { ClientRequest } from '../protocols/client-protocols';
import type { TokenKind } from '../protocols/measure-size';
import type { CountTokensRequest } from '../protocols/messages/schema';
import type { Json, ModelResponse, Prompt, StreamEvent } from '../protocols/neutral';
import type { ToolNames } from '../protocols/tool-ids';
import type { ClientHeaders, ExchangeOptions } from './exchange';
import type { ForcedCall } from './forced-call';
import type { MeteredUsage, ResponseFacts } from './metered-usage';
import type { RequestTarget } from './request-target';
import type { EventHandler, StreamFacts } from './stream-relay';

export type WrittenPrompt = {
  body: Json;
  /** The tool that replaces JSON output: its arguments are the text of the response. */
  jsonTool: string | null;
  /** The call that the response contains as JSON output. */
  forcedCall: ForcedCall | null;
};

/** The context for reading a response in the provider's format. */
export type ReadContext = Pick<ExchangeOptions, 'provider' | 'newId'> & {
  jsonTool: string | null;
  /** Descriptions of content dropped while reading a complete response. */
  warnings: string[];
};

export type ResponseReader = {
  /** The neutral events of one event's data and name. */
  read(data: string, name: string): StreamEvent[];
  /**
   * Called at the end of the body. Returns the events that close the response, unless `facts.failure` reports
   * that it is incomplete.
   */
  close(): StreamEvent[];
};

/** A request in the provider's format: it passes through, and is only repaired and metered. */
export type PassThrough = {
  repairRequest(target: RequestTarget): Json;
  parseResponse(text: string, provider: ExchangeOptions['provider']): Json;
  /** True when the response was changed. */
  repairResponse(response: Json, metered: MeteredUsage, options: ExchangeOptions): boolean;
  passStream(facts: StreamFacts, options: ExchangeOptions): EventHandler;
};

export type TokenCountOptions = Pick<ExchangeOptions, 'provider' | 'upstreamModel' | 'clientHeaders'>;

export type TokenCount = {
  path: string;
  headers: Record<string, string>;
  /** Written with `writeExactly`. */
  body: Json;
  /** Null when the provider did not count. */
  readCount(text: string): number | null;
};

/** What an exchange needs that passes through. */
export type NativeFormat = {
  /** Appended to the provider's base URL. */
  path: string;
  /** Without the key. Contains only the client headers that the implementation names. */
  writeHeaders(
    client: ClientHeaders,
    { isNative, warnings }: { isNative: boolean; warnings: string[] },
  ): Record<string, string>;
  readFacts(response: Json, provider: ExchangeOptions['provider']): ResponseFacts;
  /** Null when the client uses another format, so that the request has to be translated. */
  passThrough(client: ClientRequest): PassThrough | null;
};

/** A wire format of providers. To add one, create a folder with this object and a line in `formats.ts`. */
export type WireFormat = NativeFormat & {
  tokenKind: TokenKind;
  writeKey(apiKey: string): Record<string, string>;
  writePrompt(prompt: Prompt, target: RequestTarget, names: ToolNames): WrittenPrompt;
  /** Throws a `FailedResponse` when the response is an error, or none at all. */
  parseResponse(text: string, provider: ExchangeOptions['provider']): Json;
  readResponse(response: Json, context: ReadContext): ModelResponse;
  readStream(facts: StreamFacts, context: ReadContext): ResponseReader;
  /** Null when the format has no endpoint that counts for free. */
  prepareTokenCount: ((request: CountTokensRequest, options: TokenCountOptions) => TokenCount) | null;
};
