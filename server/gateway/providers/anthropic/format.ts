import { parseExactly } from '../../protocols/exact-numbers';
import { messagesEnvelope, messagesProtocol } from '../../protocols/messages/protocol';
import type { MessagesRequest } from '../../protocols/messages/schema';
import { writeUsage } from '../../protocols/messages/write';
import type { Json } from '../../protocols/neutral';
import { asObject } from '../../protocols/read-fields';
import { uniqueIds } from '../../protocols/tool-ids';
import type { MeteredUsage } from '../metered-usage';
import type { PassThrough, WireFormat } from '../wire-format';
import { prepareTokenCount } from './count-tokens';
import { fitMessage } from './fit-message';
import { writeHeaders } from './headers';
import { passMessagesStream } from './pass-stream';
import { repairMessagesRequest } from './request';
import { parseMessage, readFacts, readResponse } from './response';
import { readMessageEvents } from './stream';
import { writeMessagesPrompt } from './write-prompt';

export const anthropicFormat: WireFormat = {
  path: '/messages',
  tokenKind: 'anthropic',
  writeKey: (apiKey) => ({ 'x-api-key': apiKey }),
  writeHeaders,
  writePrompt: writeMessagesPrompt,
  parseResponse: (text) => parseMessage(text, parseExactly),
  readFacts,
  readResponse,
  readStream: readMessageEvents,
  passThrough: (client) => (client.format === 'messages' ? passMessages(client.body) : null),
  prepareTokenCount,
};

function passMessages(request: MessagesRequest): PassThrough {
  const callIds = () => messagesProtocol.callIds({ format: 'messages', body: request });
  return {
    repairRequest: (target) => repairMessagesRequest(request, target),
    parseResponse: (text) => parseMessage(text),
    repairResponse(message, metered, options) {
      const isFitted = fitMessage(message, messagesEnvelope(options), uniqueIds(callIds, options.newId));
      return [isFitted, reportUsage(message, metered)].includes(true);
    },
    passStream: (facts, options) =>
      passMessagesStream({
        facts,
        envelope: messagesEnvelope(options),
        uniqueId: uniqueIds(callIds, options.newId),
        estimate: (isHidden) => options.estimate(facts.outputBytes, isHidden),
      }),
  };
}

/** Reports the billed usage to the client if the provider reports none, or implausible counts. */
function reportUsage(message: Json, { usage, estimated }: MeteredUsage): boolean {
  const { input_tokens, output_tokens } = asObject(message.usage);
  if (typeof input_tokens === 'number' && typeof output_tokens === 'number' && !estimated) return false;
  message.usage = writeUsage(usage);
  return true;
}
