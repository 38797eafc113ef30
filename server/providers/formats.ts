import type { WireFormatName } from '../endpoints';
import { anthropicFormat } from './anthropic/format';
import { openaiFormat } from './openai/format';
import type { WireFormat } from './wire-format';

/** The formats that providers speak. */
export const FORMATS: Readonly<Record<WireFormatName, WireFormat>> = {
  openai: openaiFormat,
  anthropic: anthropicFormat,
};
