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

/** The parts of a tool's result are measured as those of a message, and text that becomes an argument as JSON. */
function withContent(item: Json): Json {
  if (typeof item.input === 'string')
    return Object.assign({}, item, { input: JSON.stringify({ input: item.input }) });
  return Array.isArray(item.output)
    ? Object.assign({}, item, { content: item.output, output: undefined })
    : item;
}
