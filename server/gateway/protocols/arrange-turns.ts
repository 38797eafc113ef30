import { ApiError } from '../../base/errors';
import type { Message, ToolCallPart, ToolResultPart } from './neutral';
import { uniqueIds } from './tool-ids';

/**
 * Arranges tool results as every provider expects them: all results for one assistant turn come first in the
 * next user turn, in the order of the calls. Results without a call and calls without a result are refused,
 * because inventing them would hide a bug of the client. A call whose id an earlier one has gets another, and so does
 * its result: Anthropic refuses repeated ids. `merge` joins consecutive turns of one role; `param` is
 * the field that an error names.
 */
export function arrangeTurns(
  messages: readonly Message[],
  { merge, param = 'messages' }: { merge: boolean; param?: string },
): Message[] {
  const results = collectResults(messages);
  const uniqueId = uniqueIds(() => [], String);
  const turns: Message[] = [];
  for (const { role, parts } of messages) {
    const given = parts.filter((part) => part.type !== 'tool-result');
    const answers: ToolResultPart[] = [];
    const own = given.map((part) => {
      if (part.type !== 'tool-call') return part;
      const result = takeResult(results, part, param);
      const id = uniqueId(part.id);
      answers.push(id === part.id ? result : { ...result, callId: id });
      return id === part.id ? part : { ...part, id };
    });
    if (own.length > 0) addTurn(turns, { role, parts: own }, merge);
    if (answers.length > 0) turns.push({ role: 'user', parts: answers });
  }
  const [orphan] = [...results.values()].flatMap((left) => left.slice(-1));
  if (orphan !== undefined) throw refuseHistory(`a tool result belongs to no call: ${orphan.callId}`, param);
  return turns;
}

/** By the id of the call; the last one first, for clients that reuse an id in a later turn. */
function collectResults(messages: readonly Message[]): Map<string, ToolResultPart[]> {
  const results = new Map<string, ToolResultPart[]>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type !== 'tool-result') continue;
    const ofCall = results.get(part.callId);
    if (ofCall === undefined) results.set(part.callId, [part]);
    else ofCall.push(part);
  }
  for (const ofCall of results.values()) ofCall.reverse();
  return results;
}

function takeResult(
  results: Map<string, ToolResultPart[]>,
  call: ToolCallPart,
  param: string,
): ToolResultPart {
  const result = results.get(call.id)?.pop();
  if (result === undefined) throw refuseHistory(`the tool call ${call.id} has no result`, param);
  return result;
}

function addTurn(turns: Message[], turn: Message, merge: boolean): void {
  const last = turns.at(-1);
  // The user's next text joins the turn of results, so that the results stay first in it.
  const joins = last?.role === turn.role && (merge || last.parts.some((part) => part.type === 'tool-result'));
  if (!joins || turn.role === 'system') turns.push(turn);
  else for (const part of turn.parts) last.parts.push(part);
}

function refuseHistory(reason: string, param: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${reason.slice(0, 200)}`, { param });
}
