import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSettings } from '@/server/base/env';
import { requireUsableDatabase } from '@/server/process/check-database';
import { claimSecret } from '@/server/process/own-secret';
import { bundleServer } from '../../scripts/steps.mjs';
import { newDatabase } from '../harness';
import { addressOn, withClient } from '../harness/database-connection';
import { startInVain } from './start-in-vain';

/** What a start refuses, with the reason that it prints. */

const { url } = await newDatabase();
const AUTH_SECRET = process.env.AUTH_SECRET ?? '';
const folder = mkdtempSync(path.join(tmpdir(), 'refused-'));

beforeAll(() => bundleServer(), 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

async function refusalOf(given: Record<string, string>): Promise<string> {
  const { code, text } = await startInVain({
    DATABASE_URL: url,
    DATA_DIR: path.join(folder, 'data'),
    ...given,
  });
  expect(code).toBe(1);
  return text;
}

test('a secret, here from a file, that is not the one of the database; and a misspelt name is noticed', async () => {
  await claimSecret(url, readSettings(process.env));
  const file = path.join(folder, 'secret');
  writeFileSync(file, 'another secret of at least 32 characters\n');
  expect(await refusalOf({ AUTH_SECRET_FILE: file, BASE_URI: 'x' })).toMatch(
    /^warning: BASE_URI is not a setting\. Did you mean BASE_URL\?\n\nAUTH_SECRET: expected the secret of this database\..*AUTH_SECRET_PREVIOUS/s,
  );
});

test('a database that a release has updated which is more than one ahead', async () => {
  await withClient(url, (client) => client.query("UPDATE sql_file SET version = '9.0.0'"));
  try {
    expect(await refusalOf({ AUTH_SECRET })).toMatch(
      /^\nRelease 9\.0\.0 has updated this database.*Start release 9\.0\.0/,
    );
  } finally {
    await withClient(url, (client) => client.query("UPDATE sql_file SET version = '1.0.0'"));
  }
});

test('a database that does not exist', async () => {
  expect(await refusalOf({ AUTH_SECRET, DATABASE_URL: addressOn(url, 'none') })).toMatch(
    /^\nDATABASE_URL: this database does not exist on the server\. Create it.*\(3D000\)\.\n$/,
  );
});

test('a database that refuses the user, offers no TLS or cannot be reached', async () => {
  await expect(requireUsableDatabase(url.replace(/:\/\/\w+:/, '://nobody:'))).rejects.toThrow(
    /^DATABASE_URL: the server refused the user or the password \(28\w+\)\.$/,
  );
  await expect(requireUsableDatabase(`${url}?sslmode=verify-full`)).rejects.toThrow(
    /^DATABASE_URL: the server offers no TLS, which sslmode asks for/,
  );
  await expect(requireUsableDatabase(`${url}?sslmode=verify-full&sslrootcert=/none`)).rejects.toThrow(
    'DATABASE_URL: expected certificates that this user can read (/none: ENOENT).',
  );
  await expect(requireUsableDatabase('postgres://svc@127.0.0.1:1/svc')).rejects.toThrow(
    'Cannot reach the database. Check DATABASE_URL (ECONNREFUSED).',
  );
});
