import { type Measured, measureInput } from '../measure-size';
import type { MessagesRequest } from './schema';

/** Accepts the body of a `count_tokens` request too, which has no output limit. */
export function measureMessages(
  request: Pick<MessagesRequest, 'messages' | 'system' | 'tools' | 'output_config' | 'output_format'>,
): Measured {
  const { messages, system, tools, output_config, output_format } = request;
  return measureInput(system == null ? messages : [system, ...messages], {
    tools: tools ?? [],
    output: [output_config, output_format],
  });
}
