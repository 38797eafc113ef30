import { createHash } from 'node:crypto';

/** Merkle trees of RFC 6962: one hash for a list, and short proofs that an entry is in it. */

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

export const leafOf = (entry: string): Buffer => hash(LEAF, Buffer.from(entry));

/** At least one leaf. */
export function rootOf(leaves: readonly Buffer[]): Buffer {
  const [first, ...others] = leaves;
  if (first === undefined) throw new Error('a tree has a leaf');
  if (others.length === 0) return first;
  const left = leftSize(leaves.length);
  return hash(NODE, rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)));
}

/** The hashes that lead from a leaf to the root, from the bottom up. */
export function pathOf(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return [];
  const left = leftSize(leaves.length);
  const [before, after] = [leaves.slice(0, left), leaves.slice(left)];
  return index < left
    ? [...pathOf(index, before), rootOf(after)]
    : [...pathOf(index - left, after), rootOf(before)];
}

/** The largest power of two below the size. */
const leftSize = (size: number): number => 2 ** Math.ceil(Math.log2(size) - 1);

const hash = (...parts: Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
