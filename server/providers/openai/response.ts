import type { Json, ModelResponse, ResponsePart } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject, parseObject } from '../../protocols/read-fields';
import type { ResponseFacts } from '../exchange';
import type { ProviderProfile } from '../profiles';
import { brokenResponse, RefusedResponse, readEmbeddedFailure } from '../provider-failure';
import type { ReadContext } from '../wire-format';
import { countOutputBytes, FAILED, readContent, readStopReason } from './content';
import { findSearch, readAnnotations } from './router-search';
import { readArguments, readThoughtSignature } from './tool-slots';
import { findUsage, readCost, readUsage } from './usage';

/** The parsed completion; throws when it is an error, or not a completion. */
export function parseCompletion(text: string): Json {
  const completion = parseObject(text);
  const choices = asArray(completion?.choices).map(asObject);
  if (completion?.error) {
    const failure = readEmbeddedFailure(completion);
    throw choices.length === 0 ? new RefusedResponse(failure) : failure.error;
  }
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
export function readResponse(completion: Json, { provider, newId, warnings }: ReadContext): ModelResponse {
  const choice = asObject(asArray(completion.choices)[0]);
  const message = asObject(choice.message);
  const reported = asText(choice.finish_reason);
  const { reasoning, text, refusal } = readContent(message);
  const calls = readCalls(message, newId, warnings);
  const citations = readAnnotations(message, provider);
  const parts: ResponsePart[] = findSearch(citations, newId);
  if (reasoning !== '') parts.push({ type: 'reasoning', text: reasoning, signature: null });
  if (text !== '') parts.push({ type: 'text', text, citations });
  if (refusal !== '') parts.push({ type: 'refusal', text: refusal });
  parts.push(...calls.parts);
  const reason = calls.isTruncated
    ? 'length'
    : readStopReason(reported, { hasCalls: calls.parts.length > 0 });
  return {
    parts,
    usage: readUsage(findUsage(completion), provider),
    reason: refusal === '' ? reason : 'refusal',
    stopSequence: null,
    explanation: refusal === '' ? null : refusal,
  };
}

type Calls = { parts: ResponsePart[]; isTruncated: boolean };

function readCalls(message: Json, newId: () => string, warnings: string[]): Calls {
  const legacy = isObject(message.function_call) ? [{ function: message.function_call }] : [];
  const pieces = asArray(message.tool_calls).length > 0 ? asArray(message.tool_calls) : legacy;
  const ids = new Map<string, number>();
  const calls: Calls = { parts: [], isTruncated: false };
  for (const call of pieces.map(asObject)) {
    const called = asObject(call.function);
    const json = readArguments(called.arguments).trim() || '{}';
    const isWhole = parseObject(json) !== null;
    if (!isWhole) {
      calls.isTruncated = true;
      warnings.push('the arguments of a tool call were cut off');
    }
    const id = uniqueId(asText(call.id) || `call_${newId()}`, ids);
    const thoughtSignature = readThoughtSignature(call);
    calls.parts.push({
      type: 'tool-call',
      id,
      name: asText(called.name),
      json: isWhole ? json : '{}',
      ...(thoughtSignature !== null && { thoughtSignature }),
    });
  }
  return calls;
}

/**
 * Some servers use the same id for two calls, which would make their results ambiguous. `taken` counts the uses
 * of each id.
 */
export function uniqueId(id: string, taken: Map<string, number>): string {
  let uses = taken.get(id) ?? 0;
  let unique = id;
  for (; taken.has(unique); uses++) unique = `${id}_${uses + 1}`;
  taken.set(id, Math.max(1, uses));
  if (unique !== id) taken.set(unique, 1);
  return unique;
}
