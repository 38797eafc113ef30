import { chatEnvelope, chatProtocol, wantsUsage } from '../../protocols/chat/protocol';
import type { ChatRequest } from '../../protocols/chat/schema';
import { writeUsage } from '../../protocols/chat/write';
import type { Json } from '../../protocols/neutral';
import { uniqueIds } from '../../protocols/tool-ids';
import type { MeteredUsage } from '../metered-usage';
import type { PassThrough, WireFormat } from '../wire-format';
import { fitCompletion, isWholeUsage } from './fit-chat';
import { passChatStream } from './pass-stream';
import { repairChatRequest } from './request';
import { parseCompletion, readFacts, readResponse } from './response';
import { readChatEvents } from './stream';
import { collectToolSlots } from './tool-slots';
import { reportCounts } from './usage';
import { writeChatPrompt } from './write-prompt';

export const openaiFormat: WireFormat = {
  path: '/chat/completions',
  tokenKind: 'openai',
  writeKey: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  writeHeaders: () => ({ 'content-type': 'application/json' }),
  writePrompt: (prompt, target, names) => ({
    body: writeChatPrompt(prompt, target, names),
    jsonTool: null,
    forcedCall: null,
  }),
  parseResponse: parseCompletion,
  readFacts,
  readResponse,
  readStream: (facts, { provider, newId }) => readChatEvents(provider, facts, newId),
  passThrough: (client) => (client.format === 'chat' ? passChat(client.body) : null),
  prepareTokenCount: null,
};

function passChat(request: ChatRequest): PassThrough {
  const callIds = () => chatProtocol.callIds({ format: 'chat', body: request });
  return {
    repairRequest: (target) => repairChatRequest(request, target),
    parseResponse: parseCompletion,
    repairResponse(completion, metered, options) {
      const newSlots = () => collectToolSlots(uniqueIds(callIds, options.newId));
      const isFitted = fitCompletion(completion, chatEnvelope(options), newSlots);
      return [isFitted, reportUsage(completion, metered)].includes(true);
    },
    passStream: (facts, options) =>
      passChatStream({
        profile: options.provider,
        facts,
        envelope: chatEnvelope(options),
        includeUsage: wantsUsage(request),
        choices: request.n ?? 1,
        newSlots: () => collectToolSlots(uniqueIds(callIds, options.newId)),
        estimate: (isHidden) => options.estimate(facts.outputBytes, isHidden),
      }),
  };
}

/** Reports the billed usage to the client if the provider reports none or an implausible one. */
function reportUsage(completion: Json, { usage, estimated }: MeteredUsage): boolean {
  const changes = { any: false };
  const isWhole = isWholeUsage(completion.usage, changes);
  if (isWhole && !estimated) return [reportCounts(completion, usage), changes.any].includes(true);
  completion.usage = writeUsage(usage);
  return true;
}
