import { brokenAnswer } from '../providers/provider-failure';
import type { StreamFacts, StreamRelay } from '../providers/stream-relay';
import type { UpstreamResponse } from './upstream';

/** A failure until then can still become a real status; after it the client gets its headers. */
const COMMIT_AFTER_MS = 20_000;

export type StreamPiece = {
  text: string;
  /** The body is over, or broke off: `relay.facts` tells which. */
  done: boolean;
};

export type OpenedStream = {
  relay: StreamRelay & { readonly facts: StreamFacts };
  /** The next text for the client; resolves with `done` once, at the end. */
  next: () => Promise<StreamPiece>;
};

/**
 * Reads a stream up to its first event, at most for as long as a client waits for headers in peace.
 * What was read is what `next` returns first.
 */
export async function openStream(
  relay: StreamRelay & { facts: StreamFacts },
  upstream: UpstreamResponse,
): Promise<OpenedStream> {
  const chunks = upstream.body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const first = readUntilStarted();
  let patience: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    patience = setTimeout(resolve, COMMIT_AFTER_MS);
  });
  await Promise.race([first, late]);
  clearTimeout(patience);
  let unread: Promise<StreamPiece> | null = first;
  return {
    relay,
    next: () => {
      const piece = unread ?? read();
      unread = null;
      return piece;
    },
  };

  async function readUntilStarted(): Promise<StreamPiece> {
    let text = '';
    for (;;) {
      const piece = await read();
      text += piece.text;
      if (piece.done || relay.facts.started) return { text, done: piece.done };
    }
  }

  /** Reads until there is something to send, or the stream is over. */
  async function read(): Promise<StreamPiece> {
    try {
      for (;;) {
        const { done, value } = await chunks.next();
        const text = done ? relay.end() : relay.push(value);
        if (done || relay.facts.failure !== null) return { text, done: true };
        if (text !== '' || relay.facts.started) return { text, done: false };
      }
    } catch (error) {
      relay.facts.failure ??= brokenAnswer(error instanceof Error ? error.message : 'the connection broke');
      return { text: '', done: true };
    }
  }
}
