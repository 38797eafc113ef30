import { chatEnvelope, wantsUsage } from '../../protocols/chat/protocol';
import type { ChatRequest } from '../../protocols/chat/schema';
import { writeUsage } from '../../protocols/chat/write';
import type { Json } from '../../protocols/neutral';
import { isObject } from '../../protocols/read-fields';
import type { MeteredUsage } from '../metered-usage';
import type { PassThrough, WireFormat } from '../wire-format';
import { passChatStream } from './pass-stream';
import { repairCompletion } from './repair-chunks';
import { repairChatRequest } from './request';
import { parseCompletion, readFacts, readResponse } from './response';
import { readChatEvents } from './stream';
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
  return {
    repairRequest: (target) => repairChatRequest(request, target),
    parseResponse: parseCompletion,
    repairResponse: (completion, metered, options) =>
      [repairCompletion(completion, chatEnvelope(options)), reportUsage(completion, metered)].includes(true),
    passStream: (facts, options) =>
      passChatStream({
        profile: options.provider,
        facts,
        envelope: chatEnvelope(options),
        includeUsage: wantsUsage(request),
        newId: options.newId,
        estimate: (isHidden) => options.estimate(facts.outputBytes, isHidden),
      }),
  };
}

/** Reports the billed usage to the client if the provider reports none or an implausible one. */
function reportUsage(completion: Json, { usage, estimated }: MeteredUsage): boolean {
  if (isObject(completion.usage) && !estimated) return reportCounts(completion, usage);
  completion.usage = writeUsage(usage);
  return true;
}
