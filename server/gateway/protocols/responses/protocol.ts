import type { ConversationProtocol } from '../client-protocol';
import { asText } from '../read-fields';
import { unpackSignature } from '../tool-ids';
import { measureResponses, messagesOf } from './measure';
import { readResponsesPrompt } from './read';
import { refuseUnpricedResponses } from './refuse-unpriced';
import { itemsOf, type ResponsesRequest, validateResponses } from './schema';
import { allowedSearches } from './search-tool';
import { RESPONSES_KEEPALIVE, writeResponsesError, writeResponsesStream } from './stream';
import { writeResponse } from './write';

export type ResponsesClientRequest = { format: 'responses'; body: ResponsesRequest };

export const responsesProtocol: ConversationProtocol<ResponsesClientRequest> = {
  modelType: 'language',
  validate: (json) => ({ format: 'responses', body: validateResponses(json) }),
  requestedOutputTokens: ({ body }) => body.max_output_tokens ?? null,
  wantsStream: ({ body }) => body.stream === true,
  choices: () => 1,
  prompts: () => 1,
  searches: ({ body }) => allowedSearches(body),
  messages: ({ body }) => messagesOf(body),
  measure: ({ body }, counted) => measureResponses(body, counted),
  refuseUnpriced: ({ body }, deniedFields, searches) => refuseUnpricedResponses(body, deniedFields, searches),
  callIds: ({ body }) =>
    itemsOf(body)
      .filter(({ type }) => type === 'function_call' || type === 'custom_tool_call')
      .map(({ call_id: id }) => unpackSignature(asText(id)).id),
  readPrompt: ({ body }, warnings) => readResponsesPrompt(body, warnings),
  writeResponse: (response, usage, labels, { body }) => writeResponse(response, usage, labels, body),
  addCost: (_, response) => response,
  writeStream: ({ body }, labels) => writeResponsesStream(body, labels),
  frames: { fail: writeResponsesError, keepalive: RESPONSES_KEEPALIVE },
};
