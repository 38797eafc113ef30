import type { ResponsesRequest } from '../../protocols/responses/schema';
import { openaiFormat } from '../openai/format';
import type { NativeFormat } from '../wire-format';
import { passResponsesStream } from './pass-stream';
import { repairResponsesRequest } from './request';
import { parseResponse, readFacts, repairResponse } from './response';

/** OpenAI's own responses format, for clients of that format. */
export const openaiResponsesFormat: NativeFormat = {
  path: '/responses',
  writeHeaders: openaiFormat.writeHeaders,
  readFacts,
  passThrough: (client) => (client.format === 'responses' ? passResponses(client.body) : null),
};

function passResponses(request: ResponsesRequest): ReturnType<NativeFormat['passThrough']> {
  return {
    repairRequest: (target) => repairResponsesRequest(request, target),
    parseResponse,
    repairResponse(response, metered, options) {
      const repaired = repairResponse(response, request, options, metered);
      options.noteResponse?.(repaired);
      return true;
    },
    passStream: (facts, options) => passResponsesStream(request, facts, options),
  };
}
