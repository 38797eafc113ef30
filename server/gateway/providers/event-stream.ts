import { StringDecoder } from 'node:string_decoder';
import { requireParsable } from './response-limits';

const MAX_EVENT_CHARACTERS = 20 * 1024 * 1024;
const MAX_STREAM_BYTES = 512 * 1024 * 1024;
/** Even JSON with a line for every value has fewer. */
const MAX_LINES_PER_EVENT = 100_000;
/** Of those that are read one by one: most of a long response is recognised by its pattern. */
const MAX_EVENTS = 2_000_000;
/** A blank line, with any of the three line endings that the event-stream format allows. */
const EVENT_END = /\r\n\r\n|\n\n|\r\r|\r\n\n|\n\r\n|\n\r/g;
const LINE_END = /\r\n|\n|\r/g;
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
  let events = 0;
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
    const found = pieces.join('') + text;
    pieces = [];
    length = 0;
    let read = skim(found, 0);
    EVENT_END.lastIndex = read;
    for (let match = EVENT_END.exec(found); match && failure === null; match = EVENT_END.exec(found)) {
      readData(found.slice(read, match.index));
      read = skim(found, match.index + match[0].length);
      EVENT_END.lastIndex = read;
    }
    keep(found.slice(read));
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
    if (kind === 'whole') event(requireParsable(tail), '');
    else readData(tail);
  }

  /** Joins the `data:` lines of an event. One without data says nothing, unless it is named an error. */
  function readData(lines: string): void {
    const data: string[] = [];
    let name = '';
    let count = 0;
    if (++events > MAX_EVENTS) failure = 'the response of the provider has too many events';
    for (let from = 0; from <= lines.length && failure === null; ) {
      LINE_END.lastIndex = from;
      const end = LINE_END.exec(lines);
      const to = end === null ? lines.length : end.index;
      if (lines.startsWith('data:', from))
        data.push(lines.slice(from + (lines[from + 5] === ' ' ? 6 : 5), to));
      else if (lines.startsWith('event:', from)) name = lines.slice(from + 6, to).trim();
      from = end === null ? lines.length + 1 : to + end[0].length;
      if (++count > MAX_LINES_PER_EVENT) failure = 'an event of the provider has too many lines';
    }
    const joined = data.join('\n');
    if (failure === null && (joined !== '' || name === 'error')) event(requireParsable(joined), name);
  }

  return {
    push,
    end,
    get failure() {
      return failure;
    },
  };
}
