import { refuseUnpricedMessages } from '../../protocols/messages/refuse-unpriced';
import type { CountTokensRequest } from '../../protocols/messages/schema';
import type { Json } from '../../protocols/neutral';
import { parseObject } from '../../protocols/read-fields';
import { readCount } from '../count';
import { toTarget } from '../request-target';
import type { TokenCount, TokenCountOptions } from '../wire-format';
import { writeHeaders } from './headers';
import { repairMessages } from './request';
import { keepMessagesFields } from './request-fields';

const COUNTED_FIELDS = [
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'cache_control',
];

/**
 * Prepares a request that lets the provider count tokens, which is free. It contains only the fields that
 * count.
 */
export function prepareTokenCount(request: CountTokensRequest, options: TokenCountOptions): TokenCount {
  refuseUnpricedMessages(request);
  const target = toTarget({ outputCap: 1, ...options });
  const known = keepMessagesFields(request, target.warnings);
  const counted = COUNTED_FIELDS.flatMap((field) =>
    known[field] == null ? [] : [[field, known[field]] as const],
  );
  const body: Json = {
    ...Object.fromEntries(counted),
    model: target.upstreamModel,
    messages: repairMessages(known.messages, target),
  };
  return {
    path: '/messages/count_tokens',
    headers: writeHeaders(options.clientHeaders, { isNative: true, warnings: [] }),
    body,
    readCount: (text) => readCount(parseObject(text)?.input_tokens),
  };
}
