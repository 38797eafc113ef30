import type { ConversationProtocol, ResponseLabels } from '../client-protocol';
import { writePlaceholderSignature } from '../placeholder-signature';
import { asArray, asObject, asText, validateRequest } from '../read-fields';
import { unpackSignature } from '../tool-ids';
import { measureMessages, messagesOf } from './measure';
import { readMessagesPrompt } from './read';
import { refuseUnpricedMessages } from './refuse-unpriced';
import {
  type CountTokensRequest,
  countTokensSchema,
  type MessagesRequest,
  messagesRequestSchema,
} from './schema';
import { allowedSearches, refuseSearchTool } from './search-tool';
import { MESSAGES_KEEPALIVE, writeMessagesError, writeMessagesStream } from './stream';
import { type Envelope, writeResponse } from './write';

export type MessagesClientRequest = { format: 'messages'; body: MessagesRequest };

export const messagesProtocol: ConversationProtocol<MessagesClientRequest> = {
  modelType: 'language',
  validate: (json) => ({ format: 'messages', body: validateRequest(messagesRequestSchema, json) }),
  requestedOutputTokens: ({ body }) => body.max_tokens,
  wantsStream: ({ body }) => body.stream === true,
  choices: () => 1,
  prompts: () => 1,
  searches: ({ body }) => allowedSearches(body.tools),
  messages: ({ body }) => messagesOf(body),
  measure: ({ body }, counted) => measureMessages(body, counted),
  refuseUnpriced: ({ body }, _, searches) => {
    refuseUnpricedMessages(body);
    refuseSearchTool(body.tools, searches);
  },
  callIds: ({ body }) =>
    body.messages
      .flatMap(({ content }) => asArray(content).map(asObject))
      .filter(({ type }) => type === 'tool_use')
      .map(({ id }) => unpackSignature(asText(id)).id),
  readPrompt: ({ body }, warnings) => readMessagesPrompt(body, warnings),
  writeResponse: (response, usage, labels) => writeResponse(response, usage, messagesEnvelope(labels)),
  addCost: (_, response) => response,
  writeStream: (_, labels, expected) => writeMessagesStream(messagesEnvelope(labels), expected),
  frames: { fail: writeMessagesError, keepalive: MESSAGES_KEEPALIVE },
};

export function messagesEnvelope({
  newId,
  requestedModel,
  provider,
  upstreamModel,
}: ResponseLabels): Envelope {
  return {
    id: `msg_${newId()}`,
    model: requestedModel,
    placeholderSignature: writePlaceholderSignature(provider.name, upstreamModel),
  };
}

/** The body of `count_tokens`: a messages request without an output limit. */
export function validateCountTokens(json: Record<string, unknown>): CountTokensRequest {
  return validateRequest(countTokensSchema, json);
}
