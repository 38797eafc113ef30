import type { ClientProtocol, ResponseLabels } from '../client-protocol';
import { validateRequest } from '../read-fields';
import { measureChat } from './measure';
import { readChatPrompt } from './read';
import { refuseUnpricedChat } from './refuse-unpriced';
import { type ChatRequest, chatRequestSchema, requestedOutputTokens } from './schema';
import { CHAT_KEEPALIVE, writeChatError, writeChatStream } from './stream';
import { type Envelope, writeResponse } from './write';

export type ChatClientRequest = { format: 'chat'; body: ChatRequest };

export const chatProtocol: ClientProtocol<ChatClientRequest> = {
  validate: (json) => ({ format: 'chat', body: validateRequest(chatRequestSchema, json) }),
  requestedOutputTokens: ({ body }) => requestedOutputTokens(body),
  wantsStream: ({ body }) => body.stream === true,
  choices: ({ body }) => body.n ?? 1,
  measure: ({ body }) => measureChat(body),
  refuseUnpriced: ({ body }, deniedFields) => refuseUnpricedChat(body, deniedFields),
  readPrompt: ({ body }, warnings) => readChatPrompt(body, warnings),
  writeResponse: (response, usage, labels) => writeResponse(response, usage, chatEnvelope(labels)),
  writeStream: ({ body }, labels) =>
    writeChatStream(chatEnvelope(labels), { includeUsage: wantsUsage(body) }),
  frames: { fail: writeChatError, keepalive: CHAT_KEEPALIVE },
};

export function chatEnvelope({ newId, created, requestedModel }: ResponseLabels): Envelope {
  return { id: `chatcmpl-${newId()}`, created, model: requestedModel };
}

/** Whether a stream ends with a usage chunk. */
export const wantsUsage = (request: ChatRequest): boolean => request.stream_options?.include_usage === true;
