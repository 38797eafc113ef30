import { StringDecoder } from 'node:string_decoder';

const MAX_EVENT_CHARACTERS = 20 * 1024 * 1024;
const MAX_STREAM_BYTES = 512 * 1024 * 1024;
/** A blank line, with any of the three line endings that the event-stream format allows. */
const EVENT_END = /\r\n\r\n|\n\n|\r\r|\r\n\n|\n\r\n|\n\r/g;
/** A line ending may begin in the previous chunk, so the last characters of that chunk are searched again. */
const OVERLAP = 3;

/** Receives the events of a stream in their order. */
export type EventSink = {
  /** The data of an event, and its name: '' if it has none. */
  event(data: string, name: string): void;
  /** Takes whole events from this position, if it recognises them. Returns the position after the last one. */
  skim(text: string, from: number): number;
};

export type EventReader = {
  push(chunk: Uint8Array): void;
  /** Called at the end of the body: the last event may lack its blank line. */
  end(): void;
  /** The reason why reading stopped. */
  readonly failure: string | null;
};

/**
 * Splits a server-sent event stream into the data of its events. More lenient than the standard in one
 * respect: the last event needs no blank line. A body that begins as JSON is one event in full, for providers
 * that respond to a stream request with one object.
 */
export function readEvents({ event, skim }: EventSink): EventReader {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let length = 0;
  let streamBytes = 0;
  let carry = '';
  let kind: 'unknown' | 'events' | 'whole' = 'unknown';
  let failure: string | null = null;

  function push(chunk: Uint8Array): void {
    if (failure !== null) return;
    const isBetweenEvents = carry === '';
    streamBytes += chunk.length;
    let text = carry + decoder.write(chunk as Buffer);
    if (kind === 'unknown') {
      text = text.replace(/^[\uFEFF\s]+/, '');
      if (text !== '') kind = /^[[{<]/.test(text) ? 'whole' : 'events';
    }
    if (kind === 'events') takeEvents(text, isBetweenEvents);
    else keep(text);
    if (length > MAX_EVENT_CHARACTERS) failure = 'an event of the provider is too large';
    if (streamBytes > MAX_STREAM_BYTES) failure = 'the response of the provider is too large';
  }

  function takeEvents(text: string, isBetweenEvents: boolean): void {
    // An event in parts is joined once, when it is complete, and can then be recognised like any other.
    if (!isBetweenEvents && text.search(EVENT_END) === -1) return keep(text);
    const events = pieces.join('') + text;
    pieces = [];
    length = 0;
    let read = skim(events, 0);
    EVENT_END.lastIndex = read;
    for (let match = EVENT_END.exec(events); match; match = EVENT_END.exec(events)) {
      readData(events.slice(read, match.index));
      read = skim(events, match.index + match[0].length);
      EVENT_END.lastIndex = read;
    }
    keep(events.slice(read));
  }

  function keep(text: string): void {
    carry = text.slice(-OVERLAP);
    if (text.length > OVERLAP) {
      pieces.push(text.slice(0, -OVERLAP));
      length += text.length - OVERLAP;
    }
  }

  function end(): void {
    const tail = pieces.join('') + carry + decoder.end();
    pieces = [];
    carry = '';
    if (failure !== null || tail.trim() === '') return;
    if (kind === 'whole') event(tail, '');
    else readData(tail);
  }

  /** Joins the `data:` lines of an event. One without data says nothing, unless it is named an error. */
  function readData(lines: string): void {
    let data: string | null = null;
    let name = '';
    for (const line of lines.split(/\r\n|\n|\r/)) {
      if (line.startsWith('event:')) name = line.slice(6).trim();
      if (!line.startsWith('data:')) continue;
      const value = line.slice(line.startsWith('data: ') ? 6 : 5);
      data = data === null ? value : `${data}\n${value}`;
    }
    if (data || name === 'error') event(data ?? '', name);
  }

  return {
    push,
    end,
    get failure() {
      return failure;
    },
  };
}
