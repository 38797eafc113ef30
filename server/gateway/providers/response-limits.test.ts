import { expect, test } from 'vitest';
import { addParts, PartMap, requireParsable } from './response-limits';

const TOO_LARGE = 'The response of the provider for this model is too large';

test('a response has at most 4,000 parts of a kind', () => {
  const map = new PartMap<number, string>();
  for (let n = 0; n < 4_000; n++) map.set(n, 'part');
  expect(map.set(0, 'again').get(0)).toBe('again');
  expect(() => map.set(4_000, 'part')).toThrow(TOO_LARGE);

  const parts: number[] = [];
  addParts(
    parts,
    Array.from({ length: 4_000 }, (_, n) => n),
  );
  expect(() => addParts(parts, [1])).toThrow(TOO_LARGE);
  expect(() =>
    addParts(
      [],
      Array.from({ length: 1_000_000 }, (_, n) => n),
    ),
  ).toThrow(TOO_LARGE);
});

test.each(['{}', '[]', '{"a":[]}'])('JSON with millions of %s is not parsed', (piece) => {
  expect(() => requireParsable(`[${`${piece},`.repeat(3_000_000)}0]`)).toThrow(TOO_LARGE);
});

test.each([
  ['an image', `{"a":"${'iVBORw0KGgo'.repeat(1_000_000)}"}`],
  ['brackets and escapes in a string', `{"a":"${'[{\\"\\\\'.repeat(3_000_000)}"}`],
  ['embeddings', `{"data":[${`{"embedding":[${'0.0123456789,'.repeat(3_072)}0]},`.repeat(200)}0]}`],
])('JSON with %s is parsed', (_, json) => {
  expect(requireParsable(json)).toBe(json);
});

test.each([
  ['lists', (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
  ['objects', (depth: number) => `${'{"[":'.repeat(depth)}0${'}'.repeat(depth)}`],
])('JSON of %s that are nested deeper than 500 levels is not parsed', (_, nest) => {
  expect(requireParsable(nest(500))).toBe(nest(500));
  expect(() => requireParsable(nest(501))).toThrow(TOO_LARGE);
});
