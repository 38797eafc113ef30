import { type Measured, measureInput } from '../measure-size';
import { isObject } from '../read-fields';
import type { ChatRequest } from './schema';
import { searchToolOf } from './search-options';

export function measureChat(request: ChatRequest): Measured {
  const { messages, tools, functions, tool_choice, function_call, response_format } = request;
  return measureInput(messages, {
    tools: [...(tools ?? []), ...(functions ?? []), ...searchToolOf(request)],
    toolChoice: function_call == null ? tool_choice : [tool_choice, function_call],
    forcesTool: tool_choice === 'required' || isObject(tool_choice) || isObject(function_call),
    output: [response_format],
  });
}
