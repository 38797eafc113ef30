import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { sha256 } from './sha256';

test('agrees with the platform for every length around the block boundaries', () => {
  for (let length = 0; length <= 200; length++) {
    const text = 'svc verifier '.repeat(20).slice(0, length);
    expect(Buffer.from(sha256(text)).toString('hex')).toBe(createHash('sha256').update(text).digest('hex'));
  }
});
