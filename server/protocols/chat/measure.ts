import { type InputSize, measureInput, type TokenKind } from '../measure-size';
import type { ChatRequest } from './schema';

export function measureChat(request: ChatRequest, kind: TokenKind = 'openai'): InputSize {
  return measureInput(request.messages, [request.tools, request.functions, request.response_format], kind);
}
