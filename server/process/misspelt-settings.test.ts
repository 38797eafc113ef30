import { expect, test } from 'vitest';
import { findMisspelt } from './misspelt-settings';

const misspelt = (...names: string[]) =>
  findMisspelt(Object.fromEntries(names.map((name) => [name, 'x']))).map(({ name, meant }) => [name, meant]);

test('a name with a letter missing, added, replaced or swapped is recognised', () => {
  expect(misspelt('DATABSE_URL', 'AUTH_SECRETS', 'BASE_URI', 'SMPT_URL', 'AUTH_SECRET_FIEL')).toEqual([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['AUTH_SECRETS', 'AUTH_SECRET'],
    ['BASE_URI', 'BASE_URL'],
    ['SMPT_URL', 'SMTP_URL'],
    ['AUTH_SECRET_FIEL', 'AUTH_SECRET_FILE'],
  ]);
});

test('settings, their files and variables of other programs are not', () => {
  expect(misspelt('DATABASE_URL', 'DATABASE_URL_FILE', 'NODE_ENV')).toEqual([]);
  expect(
    misspelt('PATH', 'HOME', 'HOSTNAME', 'LANG', 'TERM', 'PWD', 'LOGNAME', 'NODE_OPTIONS', 'SVC_PORT'),
  ).toEqual([]);
  expect(findMisspelt({ ZAI_API_KEY: 'x' }, ['ZAI_API_KEY'])).toEqual([]);
});
