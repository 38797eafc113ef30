import type { StreamWriter } from '../protocols/client-protocol';
import type { StreamEvent, TokenUsage } from '../protocols/neutral';
import type { ToolNames } from '../protocols/tool-ids';
import type { EventHandler } from './stream-relay';
import type { ResponseReader } from './wire-format';

export type TranslateOptions = {
  reader: ResponseReader;
  writer: StreamWriter;
  names: ToolNames;
  /** The usage that is billed. */
  usage: () => TokenUsage;
};

/** Turns the stream of a provider into that of a client of another format. */
export function translateStream({ reader, writer, names, usage }: TranslateOptions): EventHandler {
  const write = (events: StreamEvent[]): string => {
    let out = '';
    for (const event of events) {
      out += writer.write(
        event.type === 'tool-start' ? { ...event, name: names.toClient(event.name) } : event,
      );
    }
    return out;
  };
  return {
    event: (data) => write(reader.read(data)),
    close: () => write(reader.close()),
    finish: (cost) => writer.close(usage(), cost),
    fail: writer.fail,
  };
}
