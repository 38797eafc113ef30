import { type Measured, measureInput } from '../measure-size';
import type { CountTokensRequest, MessagesRequest } from './schema';

/** Accepts the body of a `count_tokens` request too, which has no output limit. */
export function measureMessages(
  request: Pick<CountTokensRequest, 'messages' | 'system' | 'tools' | 'output_config' | 'output_format'> &
    Pick<MessagesRequest, 'tool_choice'>,
): Measured {
  const { messages, system, tools, tool_choice, output_config, output_format } = request;
  return measureInput(system == null ? messages : [system, ...messages], {
    tools: tools ?? [],
    toolChoice: tool_choice,
    output: [output_config, output_format],
  });
}
