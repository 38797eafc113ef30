import { arrangeTurns } from '../arrange-turns';
import type { Json, Message, Part, TextPart, ToolCallPart } from '../neutral';
import { isPlaceholderSignature } from '../placeholder-signature';
import { asArray, asObject, asText, isObject, readObject, refuse } from '../read-fields';
import { requireName } from '../read-options';
import { noteUnparsed, readArguments, scanArguments } from '../tool-arguments';
import { readCacheBreakpoint, readContent } from './read-parts';

export type Conversation = { system: TextPart[]; messages: Message[] };

/** The instructions before the conversation, and the conversation in turns. */
export function readConversation(wire: readonly Json[], warnings: string[]): Conversation {
  const isSystem = ({ role }: Json): boolean => role === 'system' || role === 'developer';
  const leading = wire.findIndex((message) => !isSystem(message));
  if (leading === -1) throw refuse('messages', 'needs at least one message that is not a system message');
  scanArguments(argumentsOf(wire), 'messages');
  const warn = noteUnparsed(warnings);
  const legacy = pairLegacyCalls();
  const messages = wire
    .slice(leading)
    .map((message, index) => readMessage(message, `messages.${index + leading}`, { legacy, warn }));
  return {
    system: wire
      .slice(0, leading)
      .flatMap((message, index) => readSystem(message, `messages.${index}.content`)),
    messages: arrangeTurns(messages, { merge: true }),
  };
}

/** The arguments of all calls. */
export function* argumentsOf(wire: readonly Json[]): Generator<unknown> {
  for (const { tool_calls, function_call } of wire) {
    for (const call of [...asArray(tool_calls), { function: function_call }])
      yield asObject(asObject(call).function).arguments;
  }
}

/** `warn` is called for arguments that are no JSON. */
type Reading = { legacy: LegacyIds; warn: () => void };

function readSystem(message: Json, param: string): TextPart[] {
  return readContent(message.content, param).map((part) => {
    if (part.type !== 'text') throw refuse(param, 'must be text only');
    return { ...part, ...readCacheBreakpoint(message) };
  });
}

function readMessage(message: Json, param: string, reading: Reading): Message {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', parts: readSystem(message, `${param}.content`) };
    case 'assistant':
      return { role: 'assistant', parts: readAssistant(message, param, reading) };
    case 'tool':
      return readResult(message, requireName(message.tool_call_id, `${param}.tool_call_id`), param);
    case 'function':
      return readResult(message, reading.legacy.returned(asText(message.name)), param);
    default:
      return { role: 'user', parts: readContent(message.content, `${param}.content`) };
  }
}

function readResult(message: Json, callId: string, param: string): Message {
  const content = readContent(message.content, `${param}.content`);
  return {
    role: 'user',
    parts: [{ type: 'tool-result', callId, content, isError: false, ...readCacheBreakpoint(message) }],
  };
}

function readAssistant(message: Json, param: string, reading: Reading): Part[] {
  if (message.audio)
    throw refuse(`${param}.audio`, 'refers to an earlier response that this model cannot see');
  const refusal: Part[] =
    asText(message.refusal).trim() === '' ? [] : [{ type: 'text', text: asText(message.refusal) }];
  return [
    ...readThoughts(message),
    ...readContent(message.content, `${param}.content`),
    ...refusal,
    ...readCalls(message.tool_calls, `${param}.tool_calls`, reading),
    ...(isObject(message.function_call) ? [readLegacyCall(message.function_call, param, reading)] : []),
  ];
}

/**
 * Reads reasoning in the form in which we or other gateways return it. A model can continue only its own
 * signed reasoning; plain text and reasoning of other providers are omitted.
 */
function readThoughts(message: Json): Part[] {
  const blocks = [...asArray(message.reasoning_details), ...asArray(message.thinking_blocks)].map(asObject);
  return blocks.flatMap((block): Part[] => {
    const signature = asText(block.signature);
    if (block.type === 'reasoning.encrypted' || block.type === 'redacted_thinking') {
      return asText(block.data) === '' ? [] : [{ type: 'redacted-reasoning', data: asText(block.data) }];
    }
    if (signature === '' || isPlaceholderSignature(signature)) return [];
    return [{ type: 'reasoning', text: asText(block.text) || asText(block.thinking), signature }];
  });
}

function readCalls(calls: unknown, param: string, reading: Reading): ToolCallPart[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) throw refuse(param, 'must be an array of tool calls');
  return calls.map((call, index) =>
    readCall(readObject(call, `${param}.${index}`), `${param}.${index}`, reading),
  );
}

function readCall(call: Json, param: string, { warn }: Reading): ToolCallPart {
  if (call.type !== undefined && call.type !== 'function')
    throw refuse(param, 'only function tools are supported by this model');
  const called = readObject(call.function, `${param}.function`);
  const id = requireName(call.id, `${param}.id`);
  const name = requireName(called.name, `${param}.function.name`);
  return { type: 'tool-call', id, name, input: readArguments(asText(called.arguments), warn) };
}

/** Calls and results of the old function format have no ids: paired by name, in order. */
type LegacyIds = { called(name: string): string; returned(name: string): string };

function pairLegacyCalls(): LegacyIds {
  const open = new Map<string, { ids: string[]; answered: number }>();
  let count = 0;
  return {
    called(name) {
      const id = `call_legacy_${count++}`;
      const ofName = open.get(name);
      if (ofName === undefined) open.set(name, { ids: [id], answered: 0 });
      else ofName.ids.push(id);
      return id;
    },
    returned(name) {
      const ofName = open.get(name);
      return ofName?.ids[ofName.answered++] ?? `unanswered_${name}`;
    },
  };
}

function readLegacyCall(call: Json, param: string, { legacy, warn }: Reading): ToolCallPart {
  const name = requireName(call.name, `${param}.function_call.name`);
  const input = readArguments(asText(call.arguments), warn);
  return { type: 'tool-call', id: legacy.called(name), name, input };
}
