import { type ChatClientRequest, chatProtocol } from './chat/protocol';
import type { ClientProtocol, ConversationProtocol } from './client-protocol';
import { type EmbeddingsClientRequest, embeddingsProtocol } from './embeddings/protocol';
import {
  type ImageEditsClientRequest,
  type ImagesClientRequest,
  imageEditsProtocol,
  imagesProtocol,
} from './images/protocol';
import { type MessagesClientRequest, messagesProtocol } from './messages/protocol';
import { type ResponsesClientRequest, responsesProtocol } from './responses/protocol';
import { type VideosClientRequest, videosProtocol } from './videos/protocol';

export type ConversationRequest = ChatClientRequest | MessagesClientRequest | ResponsesClientRequest;

/** A request in one of the formats that we serve, validated as far as metering needs it. */
export type ClientRequest =
  | ConversationRequest
  | EmbeddingsClientRequest
  | ImagesClientRequest
  | ImageEditsClientRequest
  | VideosClientRequest;

export const CONVERSATION_PROTOCOLS: Readonly<
  Record<ConversationRequest['format'], ConversationProtocol<ConversationRequest>>
> = {
  chat: chatProtocol,
  messages: messagesProtocol,
  responses: responsesProtocol,
};

/** The formats that we serve. */
export const CLIENT_PROTOCOLS: Readonly<Record<ClientRequest['format'], ClientProtocol<ClientRequest>>> = {
  ...CONVERSATION_PROTOCOLS,
  embeddings: embeddingsProtocol,
  images: imagesProtocol,
  'image-edits': imageEditsProtocol,
  videos: videosProtocol,
};
