import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { SettingsError } from '../base/env';
import { readSettingFiles } from './setting-files';

const folder = mkdtempSync(path.join(tmpdir(), 'svc-settings-'));
const file = path.join(folder, 'secret');
writeFileSync(file, 'a secret of at least 32 characters\n');
afterAll(() => rmSync(folder, { recursive: true }));

test('a value is read from its file, without the last line break', () => {
  const environment = { AUTH_SECRET_FILE: file, OWN_KEY_FILE: file, OTHER_FILE: file };
  readSettingFiles(environment, ['OWN_KEY']);
  expect(environment).toEqual({
    AUTH_SECRET: 'a secret of at least 32 characters',
    OWN_KEY: 'a secret of at least 32 characters',
    OTHER_FILE: file,
  });
});

test('a setting with a value and a file, or with a file that cannot be read, is refused by name', () => {
  const missing = path.join(folder, 'none');
  const read = () =>
    readSettingFiles({
      AUTH_SECRET: 'x',
      AUTH_SECRET_FILE: file,
      SMTP_URL_FILE: missing,
      CATALOG_FILE: missing,
    });
  expect(read).toThrow(SettingsError);
  expect(read).toThrow(
    `AUTH_SECRET_FILE: expected to be unset, because AUTH_SECRET is set\nSMTP_URL_FILE: expected a file that this user can read (${missing}: ENOENT)`,
  );
});
