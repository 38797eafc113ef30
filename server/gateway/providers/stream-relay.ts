import type { Picocredits } from '../../base/credits';
import type { ApiError } from '../../base/errors';
import type { StreamFrames } from '../protocols/client-protocol';
import { type EventPattern, matchPattern } from './event-pattern';
import { readEvents } from './event-stream';
import { NOTHING_REPORTED, type Reported } from './metered-usage';
import { brokenResponse, type ProviderFailure } from './provider-failure';
import type { Counts } from './reported-counts';

/** The known facts about a stream so far. */
export type StreamFacts = Reported & {
  /** All counts so far, in OpenAI's formats. */
  counts: Counts | null;
  /** The actual cost, where the provider reports it. */
  providerCost: Picocredits | null;
  /** Bytes of text, reasoning and tool arguments seen: the base of an estimate. */
  outputBytes: number;
  /** Deltas that contained some of it. Each is at least one token. */
  outputDeltas: number;
  /** Web searches whose results were seen: the base of an estimate. */
  searches: number;
  /** An event of the response was understood: the status may be committed. */
  started: boolean;
  /** The response said that it ends: nothing that follows makes it incomplete. */
  ended: boolean;
  /** The response is complete. */
  finished: boolean;
  /** The reason why the response ended early: the error of the provider, or a lost connection. */
  failure: ProviderFailure | null;
};

/**
 * A stream between a provider and a client. `push` received data and send what it returns. At the end of the
 * body, call `end`, check `facts.failure`, settle, and only then send what `end` and `finish` return. After a
 * failure nothing else follows: send `fail` instead.
 */
export type StreamRelay = StreamFrames & {
  push(chunk: Uint8Array): string;
  /** The remaining data. */
  end(): string;
  /** The end of the stream, with what the client was charged in USD. Null where that is unknown. */
  finish(cost: number | null): string;
  readonly facts: Readonly<StreamFacts>;
  /** Of what is no event stream. */
  readonly contentType?: string;
  /** Its text is bytes, one character for each, in which no error can be told. */
  readonly isBytes?: boolean;
};

/** Turns the data of a provider's events into text for the client. */
export type EventHandler = {
  event(data: string, name: string): string;
  /** How the next event is recognised if it is the last one with other texts. Null if it must be read. */
  learn?(): EventPattern | null;
  /** Called at the end of the body. May find that the response is incomplete. */
  close(): string;
  /** Returns the end of the client's stream. */
  finish(cost: number | null): string;
  /** Returns the error instead of the end, where it continues the stream. */
  fail?: ((error: ApiError) => string) | undefined;
};

export function newFacts(): StreamFacts {
  return {
    ...NOTHING_REPORTED,
    counts: null,
    providerCost: null,
    outputBytes: 0,
    outputDeltas: 0,
    searches: 0,
    started: false,
    ended: false,
    finished: false,
    failure: null,
  };
}

/** After as many patterns that matched nothing, no others are learned: every event of this stream differs. */
const MAX_UNMATCHED = 8;

export function relayStream(handler: EventHandler, facts: StreamFacts, frames: StreamFrames): StreamRelay {
  const reader = readEvents({ event, skim });
  let pattern: EventPattern | null = null;
  let unmatched = 0;
  let out = '';

  function event(data: string, name: string): void {
    if (facts.failure !== null) return;
    out += handler.event(data, name);
    pattern = unmatched < MAX_UNMATCHED && handler.learn ? handler.learn() : null;
    if (pattern !== null) unmatched++;
  }

  function skim(text: string, from: number): number {
    if (pattern === null) return from;
    let end = from;
    for (let next = matchPattern(pattern, text, end); next; next = matchPattern(pattern, text, end)) {
      out += next.text;
      facts.outputBytes += next.outputBytes;
      facts.outputDeltas++;
      unmatched = 0;
      end = next.end;
    }
    return end;
  }

  function take(): string {
    const taken = out;
    out = '';
    if (reader.failure !== null && !facts.ended) facts.failure ??= brokenResponse(reader.failure);
    return taken;
  }

  function push(chunk: Uint8Array): string {
    reader.push(chunk);
    return take();
  }

  function end(): string {
    reader.end();
    const rest = take();
    return facts.failure === null ? rest + handler.close() : rest;
  }

  return {
    push,
    end,
    finish: handler.finish,
    fail: handler.fail ?? frames.fail,
    keepalive: frames.keepalive,
    facts,
  };
}
