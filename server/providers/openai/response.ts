import type { Json, ModelResponse, ResponsePart } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject, parseObject } from '../../protocols/read-fields';
import type { ResponseFacts } from '../metered-usage';
import type { ProviderProfile } from '../profiles';
import {
  brokenResponse,
  FailedResponse,
  type ProviderFailure,
  readEmbeddedFailure,
} from '../provider-failure';
import type { ReadContext } from '../wire-format';
import { countOutputBytes, FAILED, readContent, readStopReason } from './content';
import { findSearch, readAnnotations } from './router-search';
import { readArguments, readThoughtSignature } from './tool-slots';
import { findCost, findUsages, readUsage } from './usage';

/** The parsed completion; throws when it is an error, or not a completion. */
export function parseCompletion(text: string, profile: ProviderProfile): Json {
  const completion = parseObject(text) ?? {};
  const choices = asArray(completion.choices).map(asObject);
  const failure = findFailure(completion, choices);
  if (failure === null) return completion;
  const isError = Boolean(completion.error) && choices.length === 0;
  throw new FailedResponse(failure, readFacts(completion, profile), { isError });
}

function findFailure(completion: Json, choices: readonly Json[]): ProviderFailure | null {
  if (completion.error) return readEmbeddedFailure(completion);
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
    reason: refusal === '' ? reason : 'refusal',
    stopSequence: null,
    explanation: refusal === '' ? null : refusal,
  };
}

type Calls = { parts: ResponsePart[]; isTruncated: boolean };

function readCalls(message: Json, newId: () => string, warnings: string[]): Calls {
  const legacy = isObject(message.function_call) ? [{ function: message.function_call }] : [];
  const pieces = asArray(message.tool_calls).length > 0 ? asArray(message.tool_calls) : legacy;
  const ids = new Set<string>();
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

/** Some servers use the same id for two calls, which would make their results ambiguous. */
export function uniqueId(id: string, taken: Set<string>): string {
  let unique = id;
  for (let count = 2; taken.has(unique); count++) unique = `${id}_${count}`;
  taken.add(unique);
  return unique;
}
