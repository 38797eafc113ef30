import { measureChat } from './chat/measure';
import { type ChatRequest, chatRequestSchema, requestedOutputTokens } from './chat/schema';
import type { InputSize, TokenKind } from './measure-size';
import { measureMessages } from './messages/measure';
import {
  type CountTokensRequest,
  countTokensSchema,
  type MessagesRequest,
  messagesRequestSchema,
} from './messages/schema';
import { validateRequest } from './read-fields';

export type ChatClientRequest = { format: 'chat'; body: ChatRequest };
export type MessagesClientRequest = { format: 'messages'; body: MessagesRequest };

/** A request of one of the two formats that we serve, checked as far as metering needs it. */
export type ClientRequest = ChatClientRequest | MessagesClientRequest;

/**
 * A wire format that we serve, as the generation use case sees it: what a request asks for, in
 * numbers. How it is translated is the business of `providers/exchange.ts`.
 */
export interface ClientProtocol<Request extends ClientRequest = ClientRequest> {
  readonly format: Request['format'];
  /** The checked request, or `invalid_request` that names the field. */
  validate(json: Record<string, unknown>): Request;
  /** Null when the client set no limit. */
  requestedOutputTokens(request: Request): number | null;
  wantsStream(request: Request): boolean;
  /** Answers asked for (`n`): each may use the whole output limit. */
  answers(request: Request): number;
  /** Input in the tokens of the kind of provider that will be called. */
  measure(request: Request, kind?: TokenKind): InputSize;
}

export const chatProtocol: ClientProtocol<ChatClientRequest> = {
  format: 'chat',
  validate: (json) => ({ format: 'chat', body: validateRequest(chatRequestSchema, json) }),
  requestedOutputTokens: ({ body }) => requestedOutputTokens(body),
  wantsStream: ({ body }) => body.stream === true,
  answers: ({ body }) => body.n ?? 1,
  measure: ({ body }, kind) => measureChat(body, kind),
};

export const messagesProtocol: ClientProtocol<MessagesClientRequest> = {
  format: 'messages',
  validate: (json) => ({ format: 'messages', body: validateRequest(messagesRequestSchema, json) }),
  requestedOutputTokens: ({ body }) => body.max_tokens,
  wantsStream: ({ body }) => body.stream === true,
  answers: () => 1,
  measure: ({ body }, kind) => measureMessages(body, kind),
};

/** The body of `count_tokens`: a messages request without a limit. */
export function validateCountTokens(json: Record<string, unknown>): CountTokensRequest {
  return validateRequest(countTokensSchema, json);
}
