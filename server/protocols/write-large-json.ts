import { randomBytes } from 'node:crypto';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { restoreNumbers } from './exact-numbers';

/**
 * Writes large JSON without blocking other requests: `JSON.stringify` of 32 MB takes some 100 ms. It sees a short
 * mark in place of each long string, which is then written in pieces.
 */
const MARK = `\x7f${randomBytes(9).toString('base64url')}#`;
const WRITTEN_MARK = new RegExp(`"${MARK}(\\d+)"`);
/** Longer than the mark of a number. */
const LONG = 100;
/** Written at once; takes a millisecond. */
const PIECE_LENGTH = 256 * 1024;

/** Returns the bytes of `writeExactly(value)`. */
export async function writeLargeJson(value: unknown): Promise<Buffer[]> {
  const strings: string[] = [];
  const cut = (_: string, inner: unknown): unknown =>
    typeof inner === 'string' && inner.length > LONG ? MARK + (strings.push(inner) - 1) : inner;
  const rest = JSON.stringify(value, cut);
  await letOthersRun();
  const buffers: Buffer[] = [];
  let text = '';
  for (const piece of writePieces(restoreNumbers(rest).split(WRITTEN_MARK), strings)) {
    text += piece;
    if (text.length < PIECE_LENGTH) continue;
    buffers.push(Buffer.from(text));
    text = '';
    await letOthersRun();
  }
  buffers.push(Buffer.from(text));
  return buffers;
}

/** Every second part is the number of a string. */
function* writePieces(parts: readonly string[], strings: readonly string[]): Generator<string> {
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 0) yield part;
    else {
      yield '"';
      yield* writeString(restoreNumbers(strings[Number(part)] ?? ''));
      yield '"';
    }
  }
}

function* writeString(string: string): Generator<string> {
  for (let from = 0; from < string.length; ) {
    const to = endOfPiece(string, from + PIECE_LENGTH);
    yield JSON.stringify(string.slice(from, to)).slice(1, -1);
    from = to;
  }
}

/** A character of two units is not cut: either half alone is written as an escape. */
function endOfPiece(string: string, at: number): number {
  const isHigh = at < string.length && (string.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return isHigh ? at - 1 : at;
}
