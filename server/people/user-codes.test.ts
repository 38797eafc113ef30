import { expect, test } from 'vitest';
import { newUserCode, readUserCode } from './user-codes';

test('a code is read however it is typed, and nothing else is', () => {
  const code = newUserCode();
  expect(code).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
  for (const typed of [code, code.toLowerCase(), code.replace('-', ''), ` ${code.replace('-', ' ')} `])
    expect(readUserCode(typed)).toBe(code);
  for (const typed of ['', code.slice(1), `${code}B`, code.replace(/^./, 'A'), '1234-5678'])
    expect(readUserCode(typed)).toBeNull();
});
