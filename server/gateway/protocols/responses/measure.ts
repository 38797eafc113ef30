import { type Measured, measureInput } from '../measure-size';
import type { Json } from '../neutral';
import { itemsOf, type ResponsesRequest } from './schema';
import { longestTools } from './tools';

export function measureResponses(request: ResponsesRequest): Measured {
  const { instructions, tools, tool_choice, text } = request;
  const items = itemsOf(request).map(withContent);
  return measureInput(instructions == null ? items : [instructions, ...items], {
    tools: longestTools(tools ?? []),
    toolChoice: tool_choice,
    output: [text?.format],
  });
}

/** The parts of a tool's result are measured as those of a message, and text that becomes an argument as JSON. */
function withContent(item: Json): Json {
  if (typeof item.input === 'string')
    return Object.assign({}, item, { input: JSON.stringify({ input: item.input }) });
  return Array.isArray(item.output)
    ? Object.assign({}, item, { content: item.output, output: undefined })
    : item;
}
