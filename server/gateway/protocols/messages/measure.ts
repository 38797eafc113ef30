import { type CountedPart, type Measured, measureInput } from '../measure-size';
import type { CountTokensRequest, MessagesRequest } from './schema';

export const messagesOf = ({
  messages,
  system,
}: Pick<CountTokensRequest, 'messages' | 'system'>): readonly unknown[] =>
  system == null ? messages : [system, ...messages];

/** Accepts the body of a `count_tokens` request too, which has no output limit. */
export function measureMessages(
  request: Pick<CountTokensRequest, 'messages' | 'system' | 'tools' | 'output_config' | 'output_format'> &
    Pick<MessagesRequest, 'tool_choice'>,
  counted?: CountedPart,
): Measured {
  const { tools, tool_choice, output_config, output_format } = request;
  const options = { tools: tools ?? [], toolChoice: tool_choice, output: [output_config, output_format] };
  return measureInput(messagesOf(request), options, counted);
}
