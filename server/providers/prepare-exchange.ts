import { readChatPrompt } from '../protocols/chat/read';
import type { ClientRequest } from '../protocols/client-protocol';
import { mayHoldNumbers, writeExactly } from '../protocols/exact-numbers';
import { readMessagesPrompt } from '../protocols/messages/read';
import type { CountTokensRequest } from '../protocols/messages/schema';
import type { Json, Prompt } from '../protocols/neutral';
import { parseObject } from '../protocols/read-fields';
import { mapToolNames, type ToolNames } from '../protocols/tool-ids';
import { refuseUnpriced, repairMessagesRequest, writeCountRequest } from './anthropic/request';
import { writeMessagesPrompt } from './anthropic/write-prompt';
import { readCount as readTokenCount } from './count';
import type { Exchange, ExchangeOptions } from './exchange';
import { type AnswerContext, exchangeAnswers } from './exchange-answers';
import { writeHeaders } from './headers';
import { refuseUnpricedChat, repairChatRequest } from './openai/request';
import { writeChatPrompt } from './openai/write-prompt';
import type { RequestTarget } from './request-target';

/**
 * One request on its way to one provider, and its answer on the way back: the four paths between
 * the two formats that we serve and the two that we call. Same format: untouched but for what we
 * must set. Throws `invalid_request` for what cannot be told in the other format.
 */
export function prepareExchange(options: ExchangeOptions): Exchange {
  const { client, provider, clientHeaders } = options;
  const target = toTarget(options);
  const sameFormat = (client.format === 'messages') === (provider.format === 'anthropic');
  const { body, names, jsonTool } = sameFormat ? repairRequest(client, target) : writeRequest(client, target);
  const { warnings } = target;
  const headers = writeHeaders(provider, clientHeaders, { sameFormat, warnings });
  const context: AnswerContext = { sameFormat, names, jsonTool, warnings, ...options };
  return {
    path: provider.format === 'anthropic' ? '/messages' : '/chat/completions',
    headers,
    body: sameFormat && !mayHoldNumbers(client.body) ? JSON.stringify(body) : writeExactly(body),
    warnings,
    ...exchangeAnswers(context),
  };
}

function toTarget(
  options: Omit<
    ExchangeOptions,
    'client' | 'requestedModel' | 'clientHeaders' | 'newId' | 'created' | 'estimate'
  >,
): RequestTarget {
  const {
    provider,
    upstreamModel,
    outputCap,
    reasoning,
    userHash = null,
    withoutReasoning = false,
  } = options;
  return { profile: provider, upstreamModel, outputCap, reasoning, userHash, withoutReasoning, warnings: [] };
}

type Written = { body: Json; names: ToolNames; jsonTool: string | null };

const SAME_NAMES: ToolNames = { toProvider: (name) => name, toClient: (name) => name };

function repairRequest(client: ClientRequest, target: RequestTarget): Written {
  const body =
    client.format === 'chat'
      ? repairChatRequest(client.body, target)
      : repairMessagesRequest(client.body, target);
  return { body, names: SAME_NAMES, jsonTool: null };
}

function writeRequest(client: ClientRequest, target: RequestTarget): Written {
  if (client.format === 'chat') {
    refuseUnpricedChat(client.body, target.profile);
    const prompt = readChatPrompt(client.body, target.warnings);
    const names = namesOf(prompt);
    return { names, ...writeMessagesPrompt(prompt, target, names) };
  }
  refuseUnpriced(client.body);
  const prompt = readMessagesPrompt(client.body, target.warnings);
  const names = namesOf(prompt);
  return { body: writeChatPrompt(prompt, target, names), names, jsonTool: null };
}

function namesOf({ tools, messages }: Prompt): ToolNames {
  const called = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-call' ? [part.name] : [])),
  );
  return mapToolNames([...tools.map(({ name }) => name), ...called]);
}

export type TokenCount = {
  path: '/messages/count_tokens';
  headers: Record<string, string>;
  body: string;
  /** Null when the provider did not count. */
  readCount(text: string): number | null;
};

/** Asks a provider of the Anthropic format to count, which costs nothing. */
export function prepareTokenCount(
  request: CountTokensRequest,
  options: Pick<ExchangeOptions, 'provider' | 'upstreamModel' | 'clientHeaders'>,
): TokenCount {
  refuseUnpriced(request);
  const target = toTarget({ ...options, outputCap: 1 });
  return {
    path: '/messages/count_tokens',
    headers: writeHeaders(options.provider, options.clientHeaders, { sameFormat: true, warnings: [] }),
    body: writeExactly(writeCountRequest(request, target)),
    readCount: (text) => readTokenCount(parseObject(text)?.input_tokens),
  };
}
