import type { Json, ModelResponse, ResponsePart } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject, parseObject } from '../../protocols/read-fields';
import type { ResponseFacts } from '../exchange';
import type { ProviderProfile } from '../profiles';
import { brokenResponse, findFailure, RefusedResponse, readEmbeddedFailure } from '../provider-failure';
import type { ReadContext } from '../wire-format';
import { countOutputBytes, FAILED, readContent, readStopReason } from './content';
import { wholeCalls } from './fit-chat';
import { findSearch, readAnnotations } from './router-search';
import { collectToolSlots, readThoughtSignature } from './tool-slots';
import { findUsage, readCost, readUsage } from './usage';

/** The parsed completion; throws when it is an error, or not a completion. */
export function parseCompletion(text: string): Json {
  const completion = parseObject(text);
  const choices = asArray(completion?.choices).filter(isObject);
  const failure = completion === null ? null : findFailure(completion, { says: choices.length > 0 });
  if (failure !== null) throw choices.length === 0 ? new RefusedResponse(failure) : failure.error;
  if (completion === null || choices.length === 0)
    throw brokenResponse('the provider sent no response').error;
  const failed = choices.find((choice) => choice.finish_reason === FAILED);
  if (failed !== undefined)
    throw readEmbeddedFailure({ error: failed.error ?? { message: 'finish_reason: error' } }).error;
  return completion;
}

export function readFacts(completion: Json, profile: ProviderProfile): ResponseFacts {
  const usage = findUsage(completion);
  const messages = asArray(completion.choices).map((choice) => asObject(asObject(choice).message));
  return {
    usage: readUsage(usage, profile),
    providerCost: usage === null ? null : readCost(usage, profile),
    outputBytes: messages.reduce((sum, message) => sum + countOutputBytes(message), 0),
  };
}

/** The first choice as a response: reasoning, text, calls. */
export function readResponse(completion: Json, { provider, newId }: ReadContext): ModelResponse {
  const choice = asObject(asArray(completion.choices)[0]);
  const message = asObject(choice.message);
  const reported = asText(choice.finish_reason);
  const { reasoning, text, refusal } = readContent(message);
  const calls = readCalls(message);
  const citations = readAnnotations(message, provider);
  const parts: ResponsePart[] = findSearch(citations, newId);
  if (reasoning !== '') parts.push({ type: 'reasoning', text: reasoning, signature: null });
  if (text !== '') parts.push({ type: 'text', text, citations });
  if (refusal !== '') parts.push({ type: 'refusal', text: refusal });
  parts.push(...calls);
  const reason = readStopReason(reported, { hasCalls: calls.length > 0 });
  return {
    parts,
    usage: readUsage(findUsage(completion), provider),
    reason: refusal === '' ? reason : 'refusal',
    stopSequence: null,
    explanation: refusal === '' ? null : refusal,
  };
}

function readCalls(message: Json): ResponsePart[] {
  const legacy = isObject(message.function_call) ? [{ function: message.function_call }] : [];
  const given = asArray(message.tool_calls).length > 0 ? asArray(message.tool_calls) : legacy;
  return wholeCalls(given, collectToolSlots(String)).map((call) => {
    const { name, arguments: json } = asObject(call.function);
    const thoughtSignature = readThoughtSignature(call);
    return {
      type: 'tool-call',
      id: asText(call.id),
      name: asText(name),
      json: asText(json),
      ...(thoughtSignature !== null && { thoughtSignature }),
    };
  });
}
