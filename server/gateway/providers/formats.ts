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

type Called = {
  model: { provider: string; upstreamModel: string };
  profile: { format: WireFormatName };
};

/** The tokenizer of a model: other providers serve Claude in their own format. */
export function tokenKindOf({ model: { provider, upstreamModel }, profile }: Called): TokenKind {
  if (/claude/i.test(upstreamModel)) return 'anthropic';
  return provider === 'openai' ? 'o200k' : FORMATS[profile.format].tokenKind;
}
