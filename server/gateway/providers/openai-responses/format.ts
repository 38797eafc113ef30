import type { ResponsesRequest } from '../../protocols/responses/schema';
import { openaiFormat } from '../openai/format';
import type { NativeFormat, WireFormat } from '../wire-format';
import { fitResponse } from './fit-response';
import { passResponsesStream } from './pass-stream';
import { readOutput } from './read-output';
import { repairResponsesRequest } from './request';
import { parseResponse, readFacts, repairResponse, toFitOptions } from './response';
import { readResponseEvents } from './stream';
import { writeResponsesPrompt } from './write-prompt';

/** OpenAI's own responses format: for its clients, and for those of other formats whose models search the web. */
export const openaiResponsesFormat: WireFormat = {
  path: '/responses',
  tokenKind: openaiFormat.tokenKind,
  writeKey: openaiFormat.writeKey,
  writeHeaders: openaiFormat.writeHeaders,
  writePrompt: (prompt, target, names) => ({
    body: writeResponsesPrompt(prompt, target, names),
    jsonTool: null,
    forcedCall: null,
  }),
  parseResponse,
  readResponse: readOutput,
  readStream: readResponseEvents,
  readFacts,
  passThrough: (client) => (client.format === 'responses' ? passResponses(client.body) : null),
  prepareTokenCount: null,
};

function passResponses(request: ResponsesRequest): ReturnType<NativeFormat['passThrough']> {
  return {
    repairRequest: (target) => repairResponsesRequest(request, target),
    parseResponse,
    repairResponse(response, metered, options) {
      fitResponse(response, toFitOptions(request, options), new Map(), { any: false });
      const repaired = repairResponse(response, request, options, metered);
      options.noteResponse?.(repaired);
      return true;
    },
    passStream: (facts, options) => passResponsesStream(request, facts, options),
  };
}
