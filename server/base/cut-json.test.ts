import { expect, test } from 'vitest';
import { seededRandom } from '../../tests/harness/random';
import { JsonCutter, restoreStrings } from './cut-json';

const random = seededRandom();
const below = (limit: number) => Math.floor(random() * limit);
const choose = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;

const WRITTEN = [
  'a',
  'é',
  '漢',
  '🦉',
  '\u2028',
  '\\n',
  '\\"',
  '\\\\',
  '\\/',
  '\\u00e9',
  '\\ud83e',
  '\\udd89',
];

const writeString = () =>
  `"${Array.from({ length: choose([0, 1, 5, 200]) }, () => choose(WRITTEN)).join('')}"`;

/** No two of an object are the same. */
const writeName = (index: number) => `"name ${index} ${writeString().slice(1)}`;

function writeValue(depth: number): string {
  const list = (write: (index: number) => string) =>
    Array.from({ length: below(5) }, (_, index) => write(index)).join(', ');
  switch (depth === 0 ? 2 : below(5)) {
    case 0:
      return `[${list(() => writeValue(depth - 1))}]`;
    case 1:
      return `{ ${list((index) => `${index === 0 ? '"__proto__"' : writeName(index)}: ${writeValue(depth - 1)}`)} }`;
    case 2:
      return writeString();
    default:
      return choose(['null', 'true', '-1.5e3', '12345678901234567890']);
  }
}

/** Chunks of random sizes, which cut escapes and characters of two units. */
function read(json: string): unknown {
  const cutter = new JsonCutter();
  for (let at = 0; at < json.length; ) {
    const size = 1 + below(choose([3, 300]));
    cutter.add(json.slice(at, at + size));
    at += size;
  }
  const { text, strings } = cutter.end();
  return restoreStrings(JSON.parse(text), strings);
}

test('JSON that is read in pieces is the same as JSON that is read at once', () => {
  for (let round = 0; round < 2_000; round++) {
    const json = writeValue(4);
    const expected: unknown = JSON.parse(json);
    expect([json, JSON.stringify(read(json))]).toEqual([json, JSON.stringify(expected)]);
  }
});

test('a long field that an object contains twice is refused', () => {
  const long = JSON.stringify('x'.repeat(200));
  const cutter = new JsonCutter();
  cutter.add(`{${long}: 1, ${long}: 2}`);
  const { text, strings } = cutter.end();
  expect(() => restoreStrings(JSON.parse(text), strings)).toThrow('the same field twice');
});

test('what is not JSON is refused', () => {
  const long = 'x'.repeat(200);
  for (let round = 0; round < 50; round++) {
    for (const json of [
      `"${long}`,
      `"${long}\\"`,
      `"${long}\n"`,
      `"${long}\\x"`,
      `["\\u12g4${long}"]`,
      `"${long}""`,
    ])
      expect(() => read(json)).toThrow();
  }
});

test('only what is short remains for the parser', () => {
  const cutter = new JsonCutter();
  const values = Array.from({ length: 1_000 }, () => 'x'.repeat(2_000));
  cutter.add(JSON.stringify(values));
  expect(cutter.end().text.length).toBeLessThan(50_000);
});

test('indentation of megabytes is refused', () => {
  const cutter = new JsonCutter();
  const blanks = ' '.repeat(1_000_000);
  expect(() => {
    for (let chunk = 0; chunk < 17; chunk++) cutter.add(blanks);
  }).toThrow('more than 16000000 characters outside long strings');
});
