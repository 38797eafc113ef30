import { type CountedPart, type Measured, measureInput } from '../measure-size';
import { isObject } from '../read-fields';
import type { ChatRequest } from './schema';
import { searchToolOf } from './search-options';

export const messagesOf = ({ messages }: ChatRequest): readonly unknown[] => messages;

export function measureChat(request: ChatRequest, counted?: CountedPart): Measured {
  const { tools, functions, tool_choice, function_call, response_format } = request;
  const options = {
    tools: [...(tools ?? []), ...(functions ?? []), ...searchToolOf(request)],
    toolChoice: function_call == null ? tool_choice : [tool_choice, function_call],
    forcesTool: tool_choice === 'required' || isObject(tool_choice) || isObject(function_call),
    output: [response_format],
  };
  return measureInput(messagesOf(request), options, counted);
}
