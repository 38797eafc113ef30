import type { StreamEvent, TokenUsage } from '../protocols/neutral';
import type { ToolNames } from '../protocols/tool-ids';
import { meteredUsage } from './metered-usage';
import type { AnswerReader } from './openai/stream';
import type { EventHandler, StreamFacts } from './stream-relay';

export type StreamWriter = {
  write(event: StreamEvent): string;
  /** What ends the stream. */
  close(usage: TokenUsage): string;
};

export type TranslateOptions = {
  reader: AnswerReader;
  writer: StreamWriter;
  facts: StreamFacts;
  names: ToolNames;
  /** What is told when the provider told nothing. */
  estimate: () => TokenUsage;
};

/** Turns the stream of a provider into that of a client of the other format. */
export function translateStream({ reader, writer, facts, names, estimate }: TranslateOptions): EventHandler {
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
    close() {
      const last = write(reader.close());
      return facts.failure === null ? last + writer.close(meteredUsage(facts, estimate).usage) : '';
    },
  };
}
