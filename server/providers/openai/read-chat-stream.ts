import type { ChatRequest } from '../../protocols/chat/schema';
import { CHAT_DONE } from '../../protocols/chat/stream';
import { NO_TOKENS } from '../../protocols/neutral';
import { profileOf } from '../profiles';
import { newFacts, relayStream, type StreamFacts } from '../stream-relay';
import { passChatStream } from './pass-through';
import { repairChatRequest } from './request';

export type ChatStream = {
  push: (chunk: Uint8Array) => string;
  end: () => string;
  readonly facts: Omit<StreamFacts, 'failure' | 'providerCost' | 'outputReported'> & {
    failure: string | null;
  };
};

/** The pass-through alone, without the closing `[DONE]`. */
export function readChatStream({
  model,
  includeUsage,
}: {
  model: string;
  includeUsage: boolean;
}): ChatStream {
  const facts = newFacts();
  const envelope = { id: 'chatcmpl-stream', created: 0, model };
  const profile = profileOf('generic');
  const handler = passChatStream({
    profile,
    facts,
    envelope,
    includeUsage,
    newId: () => 'call',
    estimate: () => NO_TOKENS,
  });
  const relay = relayStream(handler, facts, { fail: () => '', keepalive: '' });
  const told = {
    get usage() {
      return facts.usage;
    },
    get outputBytes() {
      return facts.outputBytes;
    },
    get started() {
      return facts.started;
    },
    get finished() {
      return facts.finished;
    },
    get failure() {
      const { failure } = facts;
      return failure === null ? null : failure.error.message;
    },
  };
  return { push: relay.push, end: () => relay.end().replace(CHAT_DONE, ''), facts: told };
}

export function writeChatRequest(
  request: ChatRequest,
  { upstreamModel, outputCap, reasoning }: { upstreamModel: string; outputCap: number; reasoning: boolean },
): string {
  const target = {
    profile: profileOf('sandbox'),
    upstreamModel,
    outputCap,
    reasoning,
    userHash: null,
    withoutReasoning: false,
    warnings: [],
  };
  return JSON.stringify(repairChatRequest(request, target));
}
