import { type CountedPart, type Measured, measureInput } from '../measure-size';
import type { Json } from '../neutral';
import { asText } from '../read-fields';
import { itemsOf, type ResponsesRequest } from './schema';
import { unpackReasoning } from './sealed-reasoning';
import { longestTools } from './tools';

export function messagesOf(request: ResponsesRequest): readonly unknown[] {
  const { instructions } = request;
  const items = itemsOf(request).map(withContent);
  return instructions == null ? items : [instructions, ...items];
}

export function measureResponses(request: ResponsesRequest, counted?: CountedPart): Measured {
  const { tools, tool_choice, text } = request;
  const options = { tools: longestTools(tools ?? []), toolChoice: tool_choice, output: [text?.format] };
  return measureInput(messagesOf(request), options, counted);
}

/**
 * The parts of a tool's result are measured as those of a message, text that becomes an argument as JSON, and packed
 * reasoning as its text. No item has both a content and a list as its output (`validateResponses`): one would hide
 * the other.
 */
function withContent(item: Json): Json {
  const { type, input, output, encrypted_content } = item;
  const isText = typeof input === 'string';
  const isList = Array.isArray(output);
  const thought = type === 'reasoning' ? unpackReasoning(asText(encrypted_content)) : null;
  if (!isText && !isList && thought === null) return item;
  return Object.assign(
    {},
    item,
    isText && { input: JSON.stringify({ input }) },
    isList && { content: output, output: undefined },
    thought && { thought, encrypted_content: undefined },
  );
}
