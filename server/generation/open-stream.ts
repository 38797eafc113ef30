import { brokenResponse } from '../providers/provider-failure';
import type { StreamFacts, StreamRelay } from '../providers/stream-relay';
import type { UpstreamResponse } from './upstream';

/** Until then, a failure can still become an error status. Afterwards the client receives its headers. */
const COMMIT_AFTER_MS = 20_000;

export type StreamPiece = {
  text: string;
  /** The body ended, completely or early; `relay.facts` has the difference. */
  done: boolean;
};

export type OpenedStream = {
  relay: StreamRelay & { readonly facts: StreamFacts };
  /** The next text for the client; resolves with `done` once, at the end. */
  next: () => Promise<StreamPiece>;
  /** The connection ended early: it broke, was silent for too long, or we cancelled the call. */
  wasCut: () => boolean;
};

/**
 * Reads a stream up to its first event, but no longer than clients wait for headers. The first call of `next`
 * returns the data read so far.
 */
export async function openStream(
  relay: StreamRelay & { facts: StreamFacts },
  upstream: UpstreamResponse,
  onStarted?: () => void,
): Promise<OpenedStream> {
  const chunks = upstream.body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let isCut = false;
  let isOver = false;
  const first = readUntilStarted();
  if (onStarted !== undefined) void first.then(onStarted);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, COMMIT_AFTER_MS);
  });
  await Promise.race([first, timeout]);
  clearTimeout(timer);
  let unread: Promise<StreamPiece> | null = first;
  return {
    relay,
    next: () => {
      const piece = unread ?? read();
      unread = null;
      return piece;
    },
    wasCut: () => isCut,
  };

  async function readUntilStarted(): Promise<StreamPiece> {
    let text = '';
    for (;;) {
      const piece = await read();
      text += piece.text;
      if (piece.done || relay.facts.started) return { text, done: piece.done };
    }
  }

  async function read(): Promise<StreamPiece> {
    if (isOver) return { text: '', done: true };
    try {
      for (;;) {
        const { done, value } = await chunks.next();
        const text = done ? relay.end() : relay.push(value);
        isOver = done === true || relay.facts.failure !== null;
        if (isOver) return { text, done: true };
        if (text !== '' || relay.facts.started) return { text, done: false };
      }
    } catch (error) {
      isCut = true;
      isOver = true;
      // A response that said that it ends is complete, however its connection ends.
      if (relay.facts.ended) return { text: relay.end(), done: true };
      relay.facts.failure ??= brokenResponse(error instanceof Error ? error.message : 'the connection broke');
      return { text: '', done: true };
    }
  }
}
