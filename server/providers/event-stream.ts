import { StringDecoder } from 'node:string_decoder';

const MAX_EVENT_CHARACTERS = 20 * 1024 * 1024;
const MAX_STREAM_BYTES = 512 * 1024 * 1024;
/** A blank line, with any of the three line endings that the event-stream format allows. */
const EVENT_END = /\r\n\r\n|\n\n|\r\r|\r\n\n|\n\r\n|\n\r/g;
/** A line ending may begin in the previous chunk, so the last characters of that chunk are searched again. */
const OVERLAP = 3;

export type EventReader = {
  /** Returns the data of the events that this chunk completes. */
  push(chunk: Uint8Array): string[];
  /**
   * Called at the end of the body. Returns a last event without its blank line, or a body that was not an
   * event stream.
   */
  end(): string[];
  /** The reason why reading stopped. */
  readonly failure: string | null;
};

/**
 * Splits a server-sent event stream into the data of its events. More lenient than the standard in one
 * respect: the last event needs no blank line. A body that begins as JSON is returned in full at its end, for
 * providers that respond to a stream request with one object.
 */
export function readEvents(): EventReader {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let length = 0;
  let streamBytes = 0;
  let carry = '';
  let kind: 'unknown' | 'events' | 'whole' = 'unknown';
  let failure: string | null = null;

  function push(chunk: Uint8Array): string[] {
    if (failure !== null) return [];
    streamBytes += chunk.length;
    let text = carry + decoder.write(chunk as Buffer);
    if (kind === 'unknown') {
      text = text.replace(/^[\uFEFF\s]+/, '');
      if (text !== '') kind = /^[[{<]/.test(text) ? 'whole' : 'events';
    }
    const events = kind === 'events' ? takeEvents(text) : keep(text);
    if (length > MAX_EVENT_CHARACTERS) failure = 'an event of the provider is too large';
    if (streamBytes > MAX_STREAM_BYTES) failure = 'the response of the provider is too large';
    return events;
  }

  function takeEvents(text: string): string[] {
    const events: string[] = [];
    let read = 0;
    EVENT_END.lastIndex = 0;
    for (let match = EVENT_END.exec(text); match; match = EVENT_END.exec(text)) {
      addData(pieces.join('') + text.slice(read, match.index), events);
      pieces = [];
      length = 0;
      read = match.index + match[0].length;
    }
    keep(text.slice(read));
    return events;
  }

  function keep(text: string): string[] {
    carry = text.slice(-OVERLAP);
    if (text.length > OVERLAP) {
      pieces.push(text.slice(0, -OVERLAP));
      length += text.length - OVERLAP;
    }
    return [];
  }

  function end(): string[] {
    const tail = pieces.join('') + carry + decoder.end();
    pieces = [];
    carry = '';
    if (failure !== null || tail.trim() === '') return [];
    if (kind === 'whole') return [tail];
    const events: string[] = [];
    addData(tail, events);
    return events;
  }

  return {
    push,
    end,
    get failure() {
      return failure;
    },
  };
}

/** Adds the joined `data:` lines of an event, if it has any (a comment or a bare name has none). */
function addData(event: string, events: string[]): void {
  let data: string | null = null;
  for (const line of event.split(/\r\n|\n|\r/)) {
    if (!line.startsWith('data:')) continue;
    const value = line.slice(line.startsWith('data: ') ? 6 : 5);
    data = data === null ? value : `${data}\n${value}`;
  }
  if (data !== null && data !== '') events.push(data);
}
