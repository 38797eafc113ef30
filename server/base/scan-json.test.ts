import { afterEach, expect, test } from 'vitest';
import { seededRandom } from '../../tests/harness/random';
import { JSON_LIMITS, JsonScan } from './scan-json';

const usual = { ...JSON_LIMITS };
afterEach(() => Object.assign(JSON_LIMITS, usual));

type Counts = { values: number; escapes: number; depth: number };

/** Counts as the scan does, but one character at a time and with nothing to be fast. */
function count(text: string): Counts {
  let [values, escapes, depth, deepest, length, digits] = [0, 0, 0, 0, 0, 0];
  let [isInString, isEscaped] = [false, false];
  for (const character of text) {
    digits = !isInString && '0123456789+-.eE'.includes(character) ? digits + 1 : 0;
    if (digits === 17) values += 4;
    if (isInString) {
      length++;
      if (isEscaped) isEscaped = false;
      else if (character === '\\') {
        isEscaped = true;
        escapes++;
      } else if (character === '"') isInString = false;
    } else if (character === '"') {
      isInString = true;
      length = -1;
    } else {
      if ('{[,:'.includes(character)) values++;
      if (character === ':') values += Math.floor(length / 64);
      if ('{['.includes(character)) deepest = Math.max(deepest, ++depth);
      if ('}]'.includes(character)) depth = Math.max(0, depth - 1);
    }
  }
  return { values, escapes, depth: deepest };
}

const BITS = [
  '{',
  '[',
  '}',
  ']',
  ',',
  ':',
  '"',
  '"',
  '\\',
  '\\"',
  '\\\\',
  ' ',
  'a',
  '1',
  'true',
  '1234567890.12e+',
];

test('counts the same in chunks of any size, whatever the bytes are @attack', () => {
  const random = seededRandom();
  const below = (limit: number) => Math.floor(random() * limit);
  for (let round = 0; round < 1_000; round++) {
    let text = '';
    for (let n = below(200); n > 0; n--) {
      text += below(20) === 0 ? 'x'.repeat(below(9_000)) : (BITS[below(BITS.length)] ?? '');
    }
    const counted = count(text);
    for (const name of Object.keys(counted) as (keyof Counts)[]) {
      for (const [limit, isRefused] of [
        [counted[name], false],
        [counted[name] - 1, true],
      ] as const) {
        Object.assign(JSON_LIMITS, {
          values: 1e9,
          escapes: 1e9,
          depth: 1e9,
          fieldsPerObject: 1e9,
          numberLength: 1e9,
        });
        JSON_LIMITS[name] = limit;
        const scan = () => {
          const bytes = Buffer.from(text);
          const json = new JsonScan();
          for (let at = 0; at < bytes.length; ) {
            const end = at + 1 + below(300);
            json.add(bytes.subarray(at, end));
            at = end;
          }
        };
        if (isRefused && limit >= 0) expect(scan, text).toThrow();
        if (!isRefused) expect(scan, text).not.toThrow();
      }
    }
  }
});
