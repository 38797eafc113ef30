import type { Json, ModelResponse, ResponsePart } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject, parseObject } from '../../protocols/read-fields';
import type { ResponseFacts } from '../metered-usage';
import type { ProviderProfile } from '../profiles';
import {
  brokenResponse,
  FailedResponse,
  findFailure,
  type ProviderFailure,
  readEmbeddedFailure,
} from '../provider-failure';
import type { ReadContext } from '../wire-format';
import { countOutputBytes, FAILED, readContent, readStopReason } from './content';
import { wholeCalls } from './fit-chat';
import { findSearch, readAnnotations } from './router-search';
import { collectToolSlots, readThoughtSignature } from './tool-slots';
import { findCost, findUsages, readUsage } from './usage';

/** The parsed completion; throws when it is an error, or not a completion. */
export function parseCompletion(text: string, profile: ProviderProfile): Json {
  const completion = parseObject(text) ?? {};
  const choices = asArray(completion.choices).filter(isObject);
  const reported = findFailure(completion, { says: choices.length > 0 });
  const failure = reported ?? findIncomplete(choices);
  if (failure === null) return completion;
  const isError = reported !== null && choices.length === 0;
  throw new FailedResponse(failure, readFacts(completion, profile), { isError });
}

function findIncomplete(choices: readonly Json[]): ProviderFailure | null {
  if (choices.length === 0) return brokenResponse('the provider sent no response');
  const failed = choices.find((choice) => choice.finish_reason === FAILED);
  if (failed === undefined) return null;
  return readEmbeddedFailure({ error: failed.error ?? { message: 'finish_reason: error' } });
}

export function readFacts(completion: Json, profile: ProviderProfile): ResponseFacts {
  const messages = asArray(completion.choices).map((choice) => asObject(asObject(choice).message));
  return {
    ...readUsage(completion, profile),
    providerCost: findCost(findUsages(completion), profile),
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
