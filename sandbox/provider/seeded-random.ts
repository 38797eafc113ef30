import { createHash } from 'node:crypto';

/** Maps a text to a number, always the same. */
export function hashText(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32LE(0);
}

/** Mulberry32: the same seed always yields the same sequence of numbers in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
