import { type Measured, measureInput } from '../measure-size';
import type { ChatRequest } from './schema';

export function measureChat(request: ChatRequest): Measured {
  const { messages, tools, functions, response_format } = request;
  return measureInput(messages, {
    tools: [...(tools ?? []), ...(functions ?? [])],
    output: [response_format],
  });
}
