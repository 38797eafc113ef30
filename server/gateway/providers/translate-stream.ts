import { CallArguments } from '../protocols/call-arguments';
import type { StreamWriter } from '../protocols/client-protocol';
import type { StreamEvent, TokenUsage } from '../protocols/neutral';
import type { ToolNames } from '../protocols/tool-ids';
import { brokenResponse } from './provider-failure';
import type { EventHandler, StreamFacts } from './stream-relay';
import type { ResponseReader } from './wire-format';

export type TranslateOptions = {
  reader: ResponseReader;
  writer: StreamWriter;
  facts: StreamFacts;
  names: ToolNames;
  uniqueId: (id: string) => string;
  /** The client parses arguments as they arrive. */
  isStrict: boolean;
  /** The usage that is billed. */
  usage: () => TokenUsage;
};

/** Turns the stream of a provider into that of a client of another format. */
export function translateStream(options: TranslateOptions): EventHandler {
  const { reader, writer, facts, names, uniqueId, isStrict, usage } = options;
  /** The calls that are open. */
  const calls = new Map<number, CallArguments>();

  /** Each call has a name and an id of its own, and its arguments are one JSON object. */
  function writeEvent(event: StreamEvent): string {
    switch (event.type) {
      case 'tool-start':
        if (event.name === '') return failNameless();
        calls.set(event.call, new CallArguments({ isStrict }));
        return writer.write({ ...event, name: names.toClient(event.name), id: uniqueId(event.id) });
      case 'tool-delta':
        return writeArguments(event.call, calls.get(event.call)?.add(event.json) ?? '');
      case 'tool-end': {
        const rest = writeArguments(event.call, calls.get(event.call)?.end() ?? '');
        calls.delete(event.call);
        return rest + writer.write(event);
      }
      case 'finish': {
        const ends = [...calls.keys()].map((call) => writeEvent({ type: 'tool-end', call }));
        return ends.join('') + writer.write(event);
      }
      default:
        return writer.write(event);
    }
  }

  function failNameless(): string {
    facts.failure = brokenResponse('the provider sent a call without a name');
    return '';
  }

  const writeArguments = (call: number, json: string): string =>
    json === '' ? '' : writer.write({ type: 'tool-delta', call, json });

  function write(events: StreamEvent[]): string {
    let out = '';
    for (const event of events) if (facts.failure === null) out += writeEvent(event);
    return out;
  }

  return {
    event: (data, name) => write(reader.read(data, name)),
    close: () => write(reader.close()),
    finish: (cost) => writer.close(usage(), cost),
    fail: writer.fail,
  };
}
