import type { ApiError } from '../../base/errors';
import { parseExactly, writeExactly } from '../protocols/exact-numbers';
import type { Json, ModelResponse, StreamEvent, ToolDefinition } from '../protocols/neutral';
import { asObject, asText, isObject, refuse } from '../protocols/read-fields';
import type { ResponseReader } from './wire-format';

/**
 * A forced tool call at a model that cannot be forced: the model writes the call as structured output, and the
 * client receives it as a call.
 */
export type ForcedCall = {
  schema: Json;
  instruction: string;
  /** The tool whose arguments are the whole output; null if the output names the tool. */
  tool: string | null;
};

export const cannotForceTool = (): ApiError =>
  refuse(
    'tool_choice',
    'this model cannot be forced to call these tools. Use auto, response_format or another model',
  );

/** Null if the definitions of the tools contradict each other. `nameOf` returns the provider's name of a tool. */
export function planForcedCall(
  tools: readonly ToolDefinition[],
  nameOf: (name: string) => string,
): ForcedCall | null {
  const [first, ...others] = tools;
  if (first !== undefined && others.length === 0 && hasParameters(first)) {
    const tool = nameOf(first.name);
    const instruction = `Answer with the arguments of a call of the tool ${tool}, as JSON.`;
    return { schema: first.schema, instruction, tool };
  }
  const definitions: Record<string, Json> = { $defs: {}, definitions: {} };
  const calls: Json[] = [];
  for (const tool of tools) {
    const { $defs, definitions: legacy, ...parameters } = tool.schema;
    if (!addAll(definitions.$defs, $defs) || !addAll(definitions.definitions, legacy)) return null;
    const named = { tool: { type: 'string', enum: [nameOf(tool.name)] } };
    calls.push(closed(hasParameters(tool) ? { ...named, arguments: parameters } : named));
  }
  return {
    schema: { ...closed({ call: { anyOf: calls } }), ...withContent(definitions) },
    instruction: 'Answer with one call of a tool, as JSON: the name of the tool and its arguments.',
    tool: null,
  };
}

const hasParameters = ({ schema }: ToolDefinition): boolean =>
  Object.keys(asObject(schema.properties)).length > 0;

const closed = (properties: Json): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const withContent = (groups: Record<string, Json>): Json =>
  Object.fromEntries(Object.entries(groups).filter(([, group]) => Object.keys(group).length > 0));

/** False if two tools define the same name differently. */
function addAll(group: Json = {}, added: unknown): boolean {
  for (const [name, schema] of Object.entries(asObject(added))) {
    if (name in group && JSON.stringify(group[name]) !== JSON.stringify(schema)) return false;
    group[name] = schema;
  }
  return true;
}

type Call = { type: 'tool-call'; id: string; name: string; json: string };
type ReadOptions = { newId: () => string };

/** Null if the text is no complete call, because the model refused or was cut off. */
function readCall(text: string, { tool }: ForcedCall, { newId }: ReadOptions): Call | null {
  const written = parseExactly(text);
  if (!isObject(written)) return null;
  const id = `call_${newId()}`;
  if (tool !== null) return { type: 'tool-call', id, name: tool, json: text };
  const call = asObject(written.call);
  const name = asText(call.tool);
  return name === '' ? null : { type: 'tool-call', id, name, json: writeExactly(asObject(call.arguments)) };
}

/** The response with its text as a call. */
export function readForcedCall(
  response: ModelResponse,
  forced: ForcedCall,
  options: ReadOptions,
): ModelResponse {
  const text = response.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const call = response.reason === 'end' ? readCall(text, forced, options) : null;
  if (call === null) return response;
  const others = response.parts.filter(({ type }) => type !== 'text');
  return { ...response, parts: [...others, call], reason: 'tool-use' };
}

/** The same for a stream, whose text is held until it is a complete call. */
export function readForcedStream(
  reader: ResponseReader,
  forced: ForcedCall,
  options: ReadOptions,
): ResponseReader {
  let text = '';

  const holdText = (events: StreamEvent[]): StreamEvent[] =>
    events.filter((event) => {
      if (event.type === 'text-delta') text += event.text;
      return event.type !== 'text-delta' && event.type !== 'text-end';
    });

  function close(): StreamEvent[] {
    const events = holdText(reader.close());
    const finish = events.find((event) => event.type === 'finish');
    if (finish === undefined) return events;
    const others = events.filter((event) => event !== finish);
    const called = finish.reason === 'end' ? readCall(text, forced, options) : null;
    if (called === null)
      return [...others, { type: 'text-delta', text }, { type: 'text-end', citations: [] }, finish];
    const { id, name, json } = called;
    return [
      ...others,
      { type: 'tool-start', call: 0, id, name },
      { type: 'tool-delta', call: 0, json },
      { type: 'tool-end', call: 0 },
      { ...finish, reason: 'tool-use' },
    ];
  }

  return { read: (data, name) => holdText(reader.read(data, name)), close };
}
