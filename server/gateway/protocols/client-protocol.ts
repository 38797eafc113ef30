import type { ApiError } from '../../base/errors';
import type { FormShape } from './form-fields';
import type { CountedPart, Measured } from './measure-size';
import type {
  Json,
  ModelResponse,
  ModelType,
  Prompt,
  Resolution,
  ShownMedia,
  StreamEvent,
  TokenUsage,
  UnitModel,
  Units,
} from './neutral';

/** The metadata of a response, whichever provider it comes from. */
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
  /** Receives the complete response, of a format whose responses are kept. */
  noteResponse?: ((response: Json) => void) | undefined;
};

/** Writes a response to the client as it arrives. */
export type StreamWriter = {
  write(event: StreamEvent): string;
  /** Returns the end of the stream. `cost` is what the client was charged, in USD; null where that is unknown. */
  close(usage: TokenUsage, cost: number | null): string;
  /** Instead of the end: the error, in formats whose error continues the stream. */
  fail?(error: ApiError): string;
};

/** `isRequired`: JSON is refused. */
export type FormFormat = { readonly shape: FormShape; readonly isRequired: boolean };

/** Frames that a stream may need in addition to the response. */
export type StreamFrames = {
  /** The error in the client's format. Nothing may follow it. */
  fail(error: ApiError): string;
  /** Keeps an idle connection open. */
  readonly keepalive: string;
};

/**
 * A wire format that we serve, as far as its requests are measured. To add one, create a folder with this object and
 * a line in `client-protocols.ts`.
 */
export interface ClientProtocol<Request> {
  /** The models that take its requests. */
  readonly modelType: ModelType;
  /** How its requests are read from multipart/form-data; absent in formats that are always JSON. */
  readonly form?: FormFormat;
  /** Returns the validated request, or throws `invalid_request` naming the field. */
  validate(json: Record<string, unknown>): Request;
  /** Null when the client set no limit. */
  requestedOutputTokens(request: Request): number | null;
  wantsStream(request: Request): boolean;
  /** Choices requested (`n`): each may use the whole output limit. */
  choices(request: Request): number;
  /** Prompts that the model reads one by one: each may fill its context window. */
  prompts(request: Request): number;
  /** The most web searches that the request lets the provider run. */
  searches(request: Request): number;
  /** The messages, in order, with the instructions before them. What is appended to them is read after them. */
  messages(request: Request): readonly unknown[];
  /** Measures the input once, for every kind of provider. */
  measure(request: Request, counted?: CountedPart): Measured;
  /** The most units of a request besides text tokens. Absent in formats whose prices count none. */
  units?(request: Request, model: UnitModel, media: ShownMedia): Units;
  /** Those that are charged if the provider reports none; by default, the most. */
  likelyUnits?(request: Request, model: UnitModel): Units;
  /** The resolution that decides the price. Absent in formats without one. */
  resolution?(request: Request): Resolution;
  /** The provider takes no limit of the output tokens, so the hold must cover the most that the model produces. */
  readonly hasFixedOutput?: boolean;
  /** Adds what the client was charged, in USD, to a written response, if the client asked for it. */
  addCost(request: Request, response: string, cost: number): string;
}

/** A format of conversations, which can be translated to the neutral shape and back. */
export interface ConversationProtocol<Request> extends ClientProtocol<Request> {
  /**
   * Refuses features that the catalogue does not price. `deniedFields` are those of one provider, and `searches` is
   * 0 where it runs none.
   */
  refuseUnpriced(request: Request, deniedFields: readonly string[], searches: number): void;
  /** The ids of the calls in the history. */
  callIds(request: Request): Iterable<string>;
  /** Reads the request for a provider of another format. Adds a warning for each dropped field. */
  readPrompt(request: Request, warnings: string[]): Prompt;
  /** Writes a provider's complete response for the client. */
  writeResponse(response: ModelResponse, usage: TokenUsage, labels: ResponseLabels, request: Request): object;
  /** `expected` is the usage known at the start, for clients that read it only there. */
  writeStream(request: Request, labels: ResponseLabels, expected: () => TokenUsage): StreamWriter;
  readonly frames: StreamFrames;
}
