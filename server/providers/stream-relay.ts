import type { Picocredits } from '../credits';
import type { StreamFrames } from '../protocols/client-protocol';
import type { TokenUsage } from '../protocols/neutral';
import { readEvents } from './event-stream';
import { brokenResponse, type ProviderFailure } from './provider-failure';

/** What is known of a stream so far. */
export type StreamFacts = {
  /** The latest that the provider reported. */
  usage: TokenUsage | null;
  /** The usage covers the output: a stream that is left early may know its input only. */
  outputReported: boolean;
  /** The true cost, where the provider reports it. */
  providerCost: Picocredits | null;
  /** Bytes of text, reasoning and tool arguments seen: the base of an estimate. */
  outputBytes: number;
  /** An event of the answer was understood: the status may be committed. */
  started: boolean;
  /** The answer is whole. */
  finished: boolean;
  /** Why the answer broke off: the provider's error, or a cut. */
  failure: ProviderFailure | null;
};

/**
 * A stream on its way from a provider to a client. `push` what arrives and send what it returns;
 * at the end of the body call `end`, look at `facts.failure`, settle, and only then send what
 * `end` returned. After a failure nothing more comes: send `fail` instead.
 */
export type StreamRelay = StreamFrames & {
  push(chunk: Uint8Array): string;
  /** What is left and what closes the client's stream; only what is left when the answer broke off. */
  end(): string;
  readonly facts: Readonly<StreamFacts>;
};

/** One direction of translation: takes the data of events, gives text for the client. */
export type EventHandler = {
  event(data: string): string;
  /** The body ended: what closes the client's stream. May find that the answer is not whole. */
  close(): string;
};

export function newFacts(): StreamFacts {
  return {
    usage: null,
    outputReported: false,
    providerCost: null,
    outputBytes: 0,
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
