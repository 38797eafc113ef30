import { type ChatClientRequest, chatProtocol } from './chat/protocol';
import type { ClientProtocol } from './client-protocol';
import { type MessagesClientRequest, messagesProtocol } from './messages/protocol';
import { type ResponsesClientRequest, responsesProtocol } from './responses/protocol';

/** A request in one of the formats that we serve, validated as far as metering needs it. */
export type ClientRequest = ChatClientRequest | MessagesClientRequest | ResponsesClientRequest;

/** The formats that we serve. */
export const CLIENT_PROTOCOLS: Readonly<Record<ClientRequest['format'], ClientProtocol<ClientRequest>>> = {
  chat: chatProtocol,
  messages: messagesProtocol,
  responses: responsesProtocol,
};
