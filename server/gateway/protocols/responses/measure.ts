import { type CountedPart, type Measured, measureInput } from '../measure-size';
import type { Json } from '../neutral';
import { itemsOf, type ResponsesRequest } from './schema';
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
 * The parts of a tool's result are measured as those of a message, and text that becomes an argument as JSON. No item
 * has both a content and a list as its output (`validateResponses`): one would hide the other.
 */
function withContent(item: Json): Json {
  const { input, output } = item;
  const isText = typeof input === 'string';
  const isList = Array.isArray(output);
  if (!isText && !isList) return item;
  return Object.assign(
    {},
    item,
    isText && { input: JSON.stringify({ input }) },
    isList && { content: output, output: undefined },
  );
}
