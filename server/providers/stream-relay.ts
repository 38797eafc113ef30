import type { Picocredits } from '../credits';
import type { StreamFrames } from '../protocols/client-protocol';
import type { TokenUsage } from '../protocols/neutral';
import { readEvents } from './event-stream';
import { brokenResponse, type ProviderFailure } from './provider-failure';

/** The known facts about a stream so far. */
export type StreamFacts = {
  /** The latest that the provider reported. */
  usage: TokenUsage | null;
  /** The usage covers the output: early in a stream only the input may be known. */
  outputReported: boolean;
  /** The actual cost, where the provider reports it. */
  providerCost: Picocredits | null;
  /** Bytes of text, reasoning and tool arguments seen: the base of an estimate. */
  outputBytes: number;
  /** Deltas that contained some of it. Each is at least one token. */
  outputDeltas: number;
  /** An event of the response was understood: the status may be committed. */
  started: boolean;
  /** The response is complete. */
  finished: boolean;
  /** The reason why the response ended early: the error of the provider, or a lost connection. */
  failure: ProviderFailure | null;
};

/**
 * A stream between a provider and a client. `push` received data and send what it returns. At the end of the
 * body, call `end`, check `facts.failure`, settle, and only then send what `end` returned. After a failure
 * nothing else follows: send `fail` instead.
 */
export type StreamRelay = StreamFrames & {
  push(chunk: Uint8Array): string;
  /** The remaining data and the end of the stream. Without the end if the response ended early. */
  end(): string;
  readonly facts: Readonly<StreamFacts>;
};

/** Turns the data of a provider's events into text for the client. */
export type EventHandler = {
  event(data: string): string;
  /** Returns the end of the client's stream. May find that the response is incomplete. */
  close(): string;
};

export function newFacts(): StreamFacts {
  return {
    usage: null,
    outputReported: false,
    providerCost: null,
    outputBytes: 0,
    outputDeltas: 0,
    started: false,
    finished: false,
    failure: null,
  };
}

export function relayStream(handler: EventHandler, facts: StreamFacts, frames: StreamFrames): StreamRelay {
  const reader = readEvents();

  function relay(events: string[]): string {
    let out = '';
    for (const data of events) {
      if (facts.failure !== null) return out;
      out += handler.event(data);
    }
    if (reader.failure !== null) facts.failure ??= brokenResponse(reader.failure);
    return out;
  }

  function end(): string {
    const rest = relay(reader.end());
    return facts.failure === null ? rest + handler.close() : rest;
  }

  return {
    push: (chunk) => relay(reader.push(chunk)),
    end,
    fail: frames.fail,
    keepalive: frames.keepalive,
    facts,
  };
}
