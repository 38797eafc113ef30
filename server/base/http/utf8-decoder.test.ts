import { expect, test } from 'vitest';
import { Utf8Decoder } from './utf8-decoder';

function decodeInChunks(bytes: Buffer, size: number): string {
  const decoder = new Utf8Decoder();
  let text = '';
  for (let at = 0; at < bytes.length; at += size) text += decoder.decode(bytes.subarray(at, at + size));
  decoder.end();
  return text;
}

const TEXT = 'abc é 漢字 🦉\uFEFF👩‍👩‍👧 end';

test.each([1, 2, 3, 4, 5, 7, 64])('characters that arrive in chunks of %d bytes stay whole', (size) => {
  expect(decodeInChunks(Buffer.from(TEXT), size)).toBe(TEXT);
});

test('a byte order mark at the beginning is dropped', () => {
  expect(decodeInChunks(Buffer.from(`\uFEFF${TEXT}`), 4)).toBe(TEXT);
});

test.each([
  ['a wrong byte', [0x61, 0xff, 0x61]],
  ['a cut character at the end', [0x61, 0xf0, 0x9f, 0xa6]],
  ['a continuation byte alone', [0x80]],
  ['an encoded surrogate', [0xed, 0xa0, 0x80]],
])('%s is refused in chunks of every size', (_, bytes) => {
  for (const size of [1, 2, 3, 9])
    expect(() => decodeInChunks(Buffer.from(bytes), size)).toThrow('must be valid UTF-8');
});
