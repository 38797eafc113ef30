import { type InputSize, measureInput, type TokenKind } from '../measure-size';
import type { ChatRequest } from './schema';

export { likelyOutputTokens } from '../measure-size';

export function measureChat(request: ChatRequest, kind: TokenKind = 'openai'): InputSize {
  return measureInput(request.messages, [request.tools, request.functions, request.response_format], kind);
}

/** At least as many input tokens as any provider is likely to count. */
export function largestInputTokens(request: ChatRequest): number {
  return measureChat(request).largestInputTokens;
}

/** The best guess, for a bill without reported usage. */
export function likelyInputTokens(request: ChatRequest): number {
  return measureChat(request).likelyInputTokens;
}
