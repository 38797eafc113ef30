import { expect, test } from 'vitest';
import { seededRandom } from '../../tests/harness/random';
import { parseExactly, writeExactly } from './exact-numbers';
import { writeLargeJson } from './write-large-json';

const random = seededRandom();
const below = (limit: number) => Math.floor(random() * limit);
const UNITS = ['a', '"', '\\', '\n', '\0', '\x7f', 'é', '漢', '\u2028', '\ud83e', '\udd89', '🦉'];

function makeString(length: number): string {
  const some = Array.from({ length: 1 + below(100) }, () => UNITS[below(UNITS.length)]).join('');
  return some.repeat(Math.ceil(length / some.length)).slice(0, length);
}

const write = async (value: unknown) => Buffer.concat(await writeLargeJson(value)).toString();

test('the bytes are those of JSON that is written at once', async () => {
  for (let round = 0; round < 60; round++) {
    const value = {
      short: makeString(below(200)),
      list: [makeString(below(900_000)), undefined, null, -0, 1.5e300, true, { dropped: undefined }],
      [makeString(150)]: { inner: [makeString(100), makeString(101)] },
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
