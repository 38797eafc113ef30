import { afterEach, expect, test, vi } from 'vitest';
import { seededRandom } from '../../../tests/harness/random';
import { parseExactly, writeExactly } from './exact-numbers';
import { writeLargeJson } from './write-large-json';

const random = seededRandom();
const below = (limit: number) => Math.floor(random() * limit);
const UNITS = ['a', '"', '\\', '\n', '\0', '\x7f', 'é', '漢', '\u2028', '\ud83e', '\udd89', '🦉'];

function makeString(length: number): string {
  const some = Array.from({ length: 1 + below(100) }, () => UNITS[below(UNITS.length)]).join('');
  return some.repeat(Math.ceil(length / some.length)).slice(0, length);
}

/** Names that JavaScript moves to the front, or that mean something else when they are set, and dropped values. */
const makeFields = (count: number): object => {
  const fields = Array.from(
    { length: count },
    (_, index) => `"${index % 3 === 0 ? index : `k${index}`}":"${'v'.repeat(below(400))}"`,
  );
  return JSON.parse(`{${['"__proto__":{"a":[]}', ...fields].join()}}`, (name, value) =>
    name.endsWith('7') ? undefined : value,
  );
};

const nest = (depth: number, value: unknown): unknown =>
  depth === 0 ? value : { inner: [nest(depth - 1, value)] };

const long = 'w'.repeat(500);

const write = async (value: unknown) => Buffer.concat(await writeLargeJson(value)).toString();

afterEach(() => vi.restoreAllMocks());

test('the bytes are those of JSON that is written at once', async () => {
  for (let round = 0; round < 20; round++) {
    const value = {
      short: makeString(below(200)),
      list: [makeString(below(900_000)), undefined, null, -0, 1.5e300, true, { dropped: undefined }],
      [makeString(150)]: { inner: [makeString(100), makeString(101)] },
      ...makeFields(below(1_000)),
      nested: nest(
        below(100),
        Array.from({ length: below(30_000) }, () => ({})),
      ),
      empty: [[], {}, undefined, '', { dropped: undefined }, makeFields(1)],
    };
    expect((await write(value)) === writeExactly(value)).toBe(true);
  }
});

test('long numbers keep their digits, in values and in JSON inside JSON', async () => {
  const id = '1234567890123456789';
  const input = parseExactly(
    `{"ids":[${Array(40_000).fill(`-${id}`).join(',')}],"digits":${'1'.repeat(64)}}`,
  );
  const value = { input, arguments: JSON.stringify(input) };
  const written = await write(value);
  expect(written === writeExactly(value)).toBe(true);
  expect(written.split(id)).toHaveLength(80_001);
  expect(written.split('1'.repeat(64))).toHaveLength(3);
});

test.each<[string, unknown]>([
  ['strings of a few words', Array(90_000).fill('a few words '.repeat(20))],
  ['long strings', Array(100).fill('"'.repeat(200_000))],
  ['numbers', Array(98_000).fill(-1.5e-300)],
  ['empty objects', Array(49_000).fill({})],
  [
    'objects of many fields',
    Array(18).fill(Object.fromEntries(Array.from({ length: 2_600 }, (_, i) => [i, long]))),
  ],
  ['a deep list', nest(60, Array(49_000).fill([]))],
])('%s: written in slices, with a turn for others after each @attack', async (_, value) => {
  const { stringify } = JSON;
  const written: number[] = [];
  vi.spyOn(JSON, 'stringify').mockImplementation((...given: Parameters<typeof stringify>) => {
    const text = stringify(...given);
    written.push(text.length);
    return text;
  });
  let turns = 0;
  let isWriting = true;
  const count = () => {
    turns++;
    if (isWriting) setImmediate(count);
  };
  setImmediate(count);
  await writeLargeJson({ value });
  isWriting = false;
  expect(Math.max(...written)).toBeLessThan(600_000);
  expect(turns).toBeGreaterThanOrEqual(written.filter((length) => length > 10_000).length);
});
