import { ApiError } from '../errors';
import type { Message, Part, ToolCallPart, ToolResultPart } from './neutral';

/**
 * Puts the results of tools where every provider wants them: all results that answer one turn of
 * the assistant stand together in the user turn behind it, first in it, in the order of the calls.
 * Results that answer nothing and calls without results are refused: made-up ones would hide a
 * bug of the client. `merge` joins turns of one role that follow each other.
 */
export function arrangeTurns(messages: readonly Message[], { merge }: { merge: boolean }): Message[] {
  const results = collectResults(messages);
  const turns: Message[] = [];
  for (const { role, parts } of messages) {
    const own = parts.filter((part) => part.type !== 'tool-result');
    if (own.length > 0) addTurn(turns, { role, parts: own }, merge);
    const calls = parts.filter((part) => part.type === 'tool-call');
    if (calls.length > 0) turns.push({ role: 'user', parts: calls.map((call) => takeResult(results, call)) });
  }
  const orphan = [...results.values()].flat()[0];
  if (orphan !== undefined) throw refuseHistory(`a tool result answers no call: ${orphan.callId}`);
  return turns;
}

/** By the id of the call; in order, for clients that use an id again in a later turn. */
function collectResults(messages: readonly Message[]): Map<string, ToolResultPart[]> {
  const results = new Map<string, ToolResultPart[]>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type !== 'tool-result') continue;
    results.set(part.callId, [...(results.get(part.callId) ?? []), part]);
  }
  return results;
}

function takeResult(results: Map<string, ToolResultPart[]>, call: ToolCallPart): Part {
  const [result, ...later] = results.get(call.id) ?? [];
  if (result === undefined) throw refuseHistory(`the tool call ${call.id} has no result`);
  results.set(call.id, later);
  return result;
}

function addTurn(turns: Message[], turn: Message, merge: boolean): void {
  const last = turns.at(-1);
  // A turn of results takes what the user says next, so that the results stay first in it.
  const joins = last?.role === turn.role && (merge || last.parts.some((part) => part.type === 'tool-result'));
  if (joins && turn.role !== 'system') last?.parts.push(...turn.parts);
  else turns.push(turn);
}

function refuseHistory(reason: string): ApiError {
  return new ApiError('invalid_request', `messages: ${reason.slice(0, 200)}`, { param: 'messages' });
}
