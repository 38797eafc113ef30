import { arrangeTurns } from '../arrange-turns';
import type { Json, Message, Part, TextPart } from '../neutral';
import { asText, refuse } from '../read-fields';
import { refuseType, requireName } from '../read-options';
import { noteUnparsed, readArguments, scanArguments } from '../tool-arguments';
import { unpackSignature } from '../tool-ids';
import { readContent } from './read-parts';
import { itemsOf, type ResponsesRequest } from './schema';
import { unpackReasoning } from './sealed-reasoning';
import { neutralName } from './tools';

export type Conversation = { system: TextPart[]; messages: Message[] };

/** The instructions before the conversation, and the conversation in turns. */
export function readConversation(request: ResponsesRequest, warnings: string[]): Conversation {
  const items = itemsOf(request);
  scanArguments(
    items.map(({ arguments: json }) => json),
    'input',
  );
  const warn = noteUnparsed(warnings);
  const messages = joinTurns(items.map((item, index) => readItem(item, `input.${index}`, warn)));
  const leading = messages.findIndex(({ role }) => role !== 'system');
  if (leading === -1) throw refuse('input', 'needs at least one item that is not a system message');
  const instructions = asText(request.instructions);
  const system = messages.slice(0, leading).flatMap(({ parts }) => parts as TextPart[]);
  return {
    system: instructions.trim() === '' ? system : [{ type: 'text', text: instructions }, ...system],
    messages: arrangeTurns(messages.slice(leading), { merge: true, param: 'input' }),
  };
}

/** Each item of one turn of the model is an item of its own: its reasoning, its text, each of its calls. */
function joinTurns(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  for (const { role, parts } of messages) {
    const last = turns.at(-1);
    if (role === 'assistant' && last?.role === 'assistant') for (const part of parts) last.parts.push(part);
    else turns.push({ role, parts });
  }
  return turns;
}

function readItem(item: Json, param: string, warn: () => void): Message {
  switch (item.type) {
    case undefined:
    case null:
    case 'message':
      return readMessage(item, param);
    case 'function_call':
      return {
        role: 'assistant',
        parts: [readCall(item, readArguments(asText(item.arguments), warn), param)],
      };
    case 'custom_tool_call':
      return { role: 'assistant', parts: [readCall(item, { input: asText(item.input) }, param)] };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'user', parts: [readOutput(item, param)] };
    case 'web_search_call':
      return { role: 'assistant', parts: [] };
    case 'reasoning': {
      const part = unpackReasoning(asText(item.encrypted_content));
      return { role: 'assistant', parts: part === null ? [] : [part] };
    }
    default:
      throw refuseType('items', item.type, param);
  }
}

function readMessage({ role, content }: Json, param: string): Message {
  const parts = readContent(content, `${param}.content`);
  switch (role) {
    case 'system':
    case 'developer':
      if (parts.some(({ type }) => type !== 'text')) throw refuse(`${param}.content`, 'must be text only');
      return { role: 'system', parts };
    case 'user':
    case 'assistant':
      return { role, parts };
    default:
      throw refuse(
        `${param}.role`,
        `${role === undefined ? 'is required' : 'must be'}: one of user, assistant, system, developer`,
      );
  }
}

function readCall(item: Json, input: Json, param: string): Part {
  const name = requireName(item.name, `${param}.name`);
  const id = requireName(item.call_id, `${param}.call_id`);
  return {
    type: 'tool-call',
    ...unpackSignature(id),
    name: neutralName(name, asText(item.namespace) || null),
    input,
  };
}

function readOutput(item: Json, param: string): Part {
  const { id } = unpackSignature(requireName(item.call_id, `${param}.call_id`));
  return {
    type: 'tool-result',
    callId: id,
    content: readContent(item.output, `${param}.output`),
    isError: false,
  };
}
