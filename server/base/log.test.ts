import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { newId, randomBase62 } from './ids';
import { describeError, maskSecrets } from './log';

test.each([
  ['a user key', `svc_sk_${randomBase62(40)}`, 'svc_sk_***'],
  ['a sign-in token', `svc_st_${randomBase62(43)}`, 'svc_st_***'],
  ['a signing secret', 'whsec_c2VjcmV0', 'whsec_***'],
  ['a restricted Stripe key', 'rk_live_abc', 'rk_live_***'],
  ['a bearer token', 'Bearer abc.def', 'Bearer ***'],
  ['an e-mail address', 'ada@example.com', '***@***'],
  ['the id of an account', newId('usr'), 'usr_***'],
])('the log never contains %s', (_, secret, masked) => {
  expect(maskSecrets(`before "${secret}" after`)).toBe(`before "${masked}" after`);
});

test('a mask reads 2,000 characters and omits the word at the cut, which may be half a secret @attack', () => {
  const words = 'word '.repeat(399);
  expect(maskSecrets(`${words}ada@example.com`)).toBe(words.trimEnd());
  expect(maskSecrets('x'.repeat(100_000))).toBe('x'.repeat(2_000));
});

test('a failure is logged with our function that threw it, not one of Node or a package', () => {
  const require = createRequire(import.meta.url);
  const pg = require('pg') as typeof import('pg');
  function queryWrongly(): void {
    pg.escapeIdentifier(undefined as never);
  }
  expect(() => queryWrongly()).toThrow();
  try {
    queryWrongly();
  } catch (error) {
    expect(describeError(error)).toMatch(/ \(in queryWrongly\)$/);
  }
});
