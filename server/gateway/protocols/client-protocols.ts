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
import { type ModerationsClientRequest, moderationsProtocol } from './moderations/protocol';
import { type OcrClientRequest, ocrProtocol } from './ocr/protocol';
import { type RerankClientRequest, rerankProtocol } from './rerank/protocol';
import { type ResponsesClientRequest, responsesProtocol } from './responses/protocol';
import { type SpeechClientRequest, speechProtocol } from './speech/protocol';
import {
  type TranscriptionsClientRequest,
  type TranslationsClientRequest,
  transcriptionsProtocol,
  translationsProtocol,
} from './transcriptions/protocol';
import { type VideosClientRequest, videosProtocol } from './videos/protocol';

export type ConversationRequest = ChatClientRequest | MessagesClientRequest | ResponsesClientRequest;

/** A request in one of the formats that we serve, validated as far as metering needs it. */
export type ClientRequest =
  | ConversationRequest
  | EmbeddingsClientRequest
  | ModerationsClientRequest
  | OcrClientRequest
  | RerankClientRequest
  | ImagesClientRequest
  | ImageEditsClientRequest
  | SpeechClientRequest
  | TranscriptionsClientRequest
  | TranslationsClientRequest
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
  moderations: moderationsProtocol,
  ocr: ocrProtocol,
  rerank: rerankProtocol,
  images: imagesProtocol,
  'image-edits': imageEditsProtocol,
  speech: speechProtocol,
  videos: videosProtocol,
  transcriptions: transcriptionsProtocol,
  translations: translationsProtocol,
};
