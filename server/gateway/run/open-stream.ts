import { errors } from 'undici';
import { now, SECOND_MS } from '../../base/clock';
import { settings } from '../../base/env';
import { ApiError } from '../../base/errors';
import { brokenResponse } from '../providers/provider-failure';
import type { StreamFacts, StreamRelay } from '../providers/stream-relay';
import { timedOut } from './upstream';
import type { UpstreamResponse } from './upstream-response';

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
  /** Why the connection ended early: it was silent for too long, or it broke, also because we cancelled the call. */
  cutBy: () => 'timeout' | 'connection_lost' | null;
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
  let cutBy: ReturnType<OpenedStream['cutBy']> = null;
  let isOver = false;
  let progress = 0;
  let progressAtMs = now();
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
    cutBy: () => cutBy,
  };

  async function readUntilStarted(): Promise<StreamPiece> {
    let text = '';
    for (;;) {
      const piece = await read();
      text += piece.text;
      if (piece.done || relay.facts.started) return { text, done: piece.done };
    }
  }

  /** Comments and pings alone do not keep a stream open for longer than a response may take to begin. */
  function requireProgress(): void {
    const { outputBytes, outputDeltas, searches, started, ended } = relay.facts;
    const seen = outputBytes + outputDeltas + searches + Number(started) + Number(ended);
    if (seen > progress) {
      progress = seen;
      progressAtMs = now();
    } else if (now() - progressAtMs > settings().UPSTREAM_FIRST_BYTE_SECONDS * SECOND_MS)
      throw new errors.BodyTimeoutError();
  }

  async function read(): Promise<StreamPiece> {
    if (isOver) return { text: '', done: true };
    try {
      for (;;) {
        const piece = await upstream.read();
        isOver = piece === null;
        const text = piece === null ? relay.end() : relay.push(piece);
        if (piece !== null) requireProgress();
        isOver ||= relay.facts.failure !== null;
        // Nothing reads the rest after a failure.
        if (isOver) upstream.cancel();
        if (isOver) return { text, done: true };
        if (text !== '' || relay.facts.started) return { text, done: false };
      }
    } catch (error) {
      cutBy = timedOut(error) ? 'timeout' : 'connection_lost';
      // What cannot be read the first time would be read in part the second time.
      const mayEnd = relay.facts.ended && !isOver;
      isOver = true;
      upstream.cancel();
      // A response that said that it ends is complete, whatever follows.
      const rest = mayEnd ? readRest(relay) : null;
      if (rest === null) relay.facts.failure ??= brokenResponse(reasonOf(error));
      return { text: rest ?? '', done: true };
    }
  }
}

/** Null if the rest cannot be read either: the request must be settled all the same. */
function readRest(relay: StreamRelay): string | null {
  try {
    return relay.end();
  } catch {
    return null;
  }
}

/** Of a response that is too large, the limit. */
function reasonOf(error: unknown): string {
  const { cause = error } = error instanceof ApiError ? error : {};
  return cause instanceof Error ? cause.message : 'the connection broke';
}
