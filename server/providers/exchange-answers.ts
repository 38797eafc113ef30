import { CHAT_KEEPALIVE, writeChatError, writeChatStream } from '../protocols/chat/stream';
import { writeAnswer as writeChatAnswer, writeUsage as writeChatUsage } from '../protocols/chat/write';
import { parseExactly, writeExactly } from '../protocols/exact-numbers';
import { MESSAGES_KEEPALIVE, writeMessagesError, writeMessagesStream } from '../protocols/messages/stream';
import {
  writeAnswer as writeMessagesAnswer,
  writeUsage as writeMessagesUsage,
} from '../protocols/messages/write';
import type { Answer, Json, TokenUsage } from '../protocols/neutral';
import { isObject, parseJson } from '../protocols/read-fields';
import { writeReasoningMark } from '../protocols/reasoning-mark';
import type { ToolNames } from '../protocols/tool-ids';
import { passMessagesStream } from './anthropic/pass-through';
import * as anthropicResponse from './anthropic/response';
import { readMessageEvents } from './anthropic/stream';
import type { Exchange, ExchangeOptions, WholeAnswer } from './exchange';
import { type MeteredUsage, meteredUsage } from './metered-usage';
import { renameModel } from './model-name';
import { passChatStream } from './openai/pass-through';
import { repairCompletion } from './openai/repair-chunks';
import * as openaiResponse from './openai/response';
import { readChatEvents } from './openai/stream';
import { tellOutput } from './openai/usage';
import type { ProviderFormat } from './profiles';
import { type EventHandler, newFacts, relayStream, type StreamFacts, type StreamRelay } from './stream-relay';
import { translateStream } from './translate-stream';

export type AnswerContext = ExchangeOptions & {
  sameFormat: boolean;
  names: ToolNames;
  jsonTool: string | null;
  warnings: string[];
};

/** The way back of an exchange: whole or as a stream, in the client's format. */
export function exchangeAnswers(context: AnswerContext): Pick<Exchange, 'readWhole' | 'openStream'> {
  return {
    readWhole: (text) => readWhole(text, context),
    openStream: () => openStream(context),
  };
}

function readWhole(text: string, context: AnswerContext): WholeAnswer {
  const { provider, requestedModel, sameFormat } = context;
  const isAnthropic = provider.format === 'anthropic';
  const json = isAnthropic
    ? anthropicResponse.parseMessage(text, sameFormat ? parseJson : parseExactly)
    : openaiResponse.parseCompletion(text);
  const facts = isAnthropic ? anthropicResponse.readFacts(json) : openaiResponse.readFacts(json, provider);
  const metered = meteredUsage(facts, () => context.estimate(facts.outputBytes));
  if (sameFormat) {
    const repairs = [!isAnthropic && repairCompletion(json), tellUsage(json, metered, provider.format)];
    const body = repairs.includes(true) ? JSON.stringify(json) : text;
    return { body: renameModel(body, requestedModel), ...facts };
  }
  const answer = isAnthropic
    ? anthropicResponse.readAnswer(json, context)
    : openaiResponse.readAnswer(json, provider, context.newId, context.warnings);
  return { body: writeExactly(writeAnswer(answer, metered.usage, context)), ...facts };
}

/** Where the provider told nothing, or what cannot be true, the client is told what is billed. */
function tellUsage(json: Json, { usage, estimated }: MeteredUsage, format: ProviderFormat): boolean {
  if (isObject(json.usage) && !estimated) return format === 'openai' && tellOutput(json, usage);
  json.usage = format === 'anthropic' ? writeMessagesUsage(usage) : writeChatUsage(usage);
  return true;
}

function writeAnswer(answer: Answer, usage: TokenUsage, context: AnswerContext): object {
  const parts = answer.parts.map((part) =>
    part.type === 'tool-call' ? { ...part, name: context.names.toClient(part.name) } : part,
  );
  return context.client.format === 'chat'
    ? writeChatAnswer({ ...answer, parts }, usage, chatEnvelope(context))
    : writeMessagesAnswer({ ...answer, parts }, usage, messagesEnvelope(context));
}

function openStream(context: AnswerContext): StreamRelay {
  const facts = newFacts();
  const isChat = context.client.format === 'chat';
  const frames = isChat
    ? { fail: writeChatError, keepalive: CHAT_KEEPALIVE }
    : { fail: writeMessagesError, keepalive: MESSAGES_KEEPALIVE };
  const handler = context.sameFormat ? passStream(context, facts) : translate(context, facts);
  return relayStream(handler, facts, frames);
}

function passStream(context: AnswerContext, facts: StreamFacts): EventHandler {
  const { client, provider: profile, newId } = context;
  const estimate = () => context.estimate(facts.outputBytes);
  if (client.format === 'messages')
    return passMessagesStream({ facts, envelope: messagesEnvelope(context), estimate });
  const includeUsage = client.body.stream_options?.include_usage === true;
  return passChatStream({ profile, facts, envelope: chatEnvelope(context), includeUsage, newId, estimate });
}

function translate(context: AnswerContext, facts: StreamFacts): EventHandler {
  const { client, provider, newId, names } = context;
  const estimate = () => context.estimate(facts.outputBytes);
  if (client.format === 'messages') {
    const reader = readChatEvents(provider, facts, newId);
    return translateStream({
      reader,
      writer: writeMessagesStream(messagesEnvelope(context), () => meteredUsage(facts, estimate).usage),
      facts,
      names,
      estimate,
    });
  }
  const reader = readMessageEvents(facts, context);
  const includeUsage = client.body.stream_options?.include_usage === true;
  const writer = writeChatStream(chatEnvelope(context), { includeUsage });
  return translateStream({ reader, writer, facts, names, estimate });
}

function chatEnvelope({ newId, created, requestedModel }: AnswerContext) {
  return { id: `chatcmpl-${newId()}`, created, model: requestedModel };
}

function messagesEnvelope({ newId, requestedModel, provider, upstreamModel }: AnswerContext) {
  return {
    id: `msg_${newId()}`,
    model: requestedModel,
    mark: writeReasoningMark(provider.name, upstreamModel),
  };
}
