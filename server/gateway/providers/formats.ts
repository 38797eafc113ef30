import type { WireFormatName } from '../../base/endpoints';
import type { TokenKind } from '../protocols/measure-size';
import { anthropicFormat } from './anthropic/format';
import { openaiFormat } from './openai/format';
import type { WireFormat } from './wire-format';

/** The formats that providers speak. */
export const FORMATS: Readonly<Record<WireFormatName, WireFormat>> = {
  openai: openaiFormat,
  anthropic: anthropicFormat,
};

/** The tokenizer of a model: other providers serve Claude in their own format. */
export function tokenKindOf(format: WireFormatName, upstreamModel: string): TokenKind {
  return /claude/i.test(upstreamModel) ? 'anthropic' : FORMATS[format].tokenKind;
}
