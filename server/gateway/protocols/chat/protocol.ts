import type { ConversationProtocol, ResponseLabels } from '../client-protocol';
import { parseExactly, writeExactly } from '../exact-numbers';
import { asArray, asObject, asText, validateRequest } from '../read-fields';
import { audioUnits } from './audio';
import { measureChat, messagesOf } from './measure';
import { readChatPrompt } from './read';
import { refuseUnpricedChat } from './refuse-unpriced';
import { type ChatRequest, chatRequestSchema, requestedOutputTokens } from './schema';
import { allowedSearches } from './search-options';
import { CHAT_KEEPALIVE, writeChatError, writeChatStream } from './stream';
import { type Envelope, writeResponse } from './write';

export type ChatClientRequest = { format: 'chat'; body: ChatRequest };

export const chatProtocol: ConversationProtocol<ChatClientRequest> = {
  modelType: 'language',
  validate: (json) => ({ format: 'chat', body: validateRequest(chatRequestSchema, json) }),
  requestedOutputTokens: ({ body }) => requestedOutputTokens(body),
  wantsStream: ({ body }) => body.stream === true,
  choices: ({ body }) => body.n ?? 1,
  prompts: () => 1,
  searches: ({ body }) => allowedSearches(body),
  messages: ({ body }) => messagesOf(body),
  measure: ({ body }, counted) => measureChat(body, counted),
  units: (_, model, media) => audioUnits(media, model),
  refuseUnpriced: ({ body }, deniedFields, searches) => refuseUnpricedChat(body, deniedFields, searches),
  callIds: ({ body }) =>
    body.messages.flatMap(({ tool_calls: calls }) => asArray(calls).map((call) => asText(asObject(call).id))),
  readPrompt: ({ body }, warnings) => readChatPrompt(body, warnings),
  writeResponse: (response, usage, labels) => writeResponse(response, usage, chatEnvelope(labels)),
  addCost: ({ body }, response, cost) => (asksForCost(body) ? addCost(response, cost) : response),
  writeStream: ({ body }, labels) =>
    writeChatStream(chatEnvelope(labels), { includeUsage: wantsUsage(body) }),
  frames: { fail: writeChatError, keepalive: CHAT_KEEPALIVE },
};

export function chatEnvelope({ newId, created, requestedModel }: ResponseLabels): Envelope {
  return { id: `chatcmpl-${newId()}`, created, model: requestedModel };
}

/** OpenRouter's way to ask for usage with its cost. */
const asksForCost = ({ usage }: ChatRequest): boolean => asObject(usage).include === true;

/** Whether a stream ends with a usage chunk. */
export const wantsUsage = (request: ChatRequest): boolean =>
  request.stream_options?.include_usage === true || asksForCost(request);

function addCost(response: string, cost: number): string {
  const json = asObject(parseExactly(response));
  return writeExactly(Object.assign({}, json, { usage: Object.assign({}, json.usage, { cost }) }));
}
