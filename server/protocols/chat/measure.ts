import { type InputSize, measureInput, type TokenKind } from '../measure-size';
import type { ChatRequest } from './schema';

export function measureChat(request: ChatRequest, kind: TokenKind = 'openai'): InputSize {
  const { messages, tools, functions, response_format } = request;
  return measureInput(
    messages,
    { tools: [...(tools ?? []), ...(functions ?? [])], output: [response_format] },
    kind,
  );
}
