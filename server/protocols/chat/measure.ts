import { type Measured, measureInput } from '../measure-size';
import type { ChatRequest } from './schema';

export function measureChat(request: ChatRequest): Measured {
  const { messages, tools, functions, tool_choice, function_call, response_format } = request;
  return measureInput(messages, {
    tools: [...(tools ?? []), ...(functions ?? [])],
    toolChoice: function_call == null ? tool_choice : [tool_choice, function_call],
    output: [response_format],
  });
}
