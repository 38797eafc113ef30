import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { newPublishableKey, newUserKey } from '@/server/base/tokens';
import { readBlock } from '../../harness/blocks';

/** The pattern and the code in docs/keys.md, which scanners use without asking the service. */

const folder = mkdtempSync(path.join(tmpdir(), 'keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the pattern and the checksum in the guide accept every user key and refuse everything else', async () => {
  const file = path.join(folder, 'is-user-key.mjs');
  writeFileSync(file, readBlock('docs/keys.md', 'export function isUserKey'));
  const { isUserKey } = (await import(pathToFileURL(file).href)) as { isUserKey: (text: string) => boolean };
  const pattern = new RegExp(`^${readBlock('docs/keys.md', 'svc_sk_[0-9A-Za-z]{49}\n').trim()}$`);
  for (let i = 0; i < 500; i++) {
    const key = newUserKey();
    const swapped = key[20] === 'a' ? 'b' : 'a';
    expect([key.match(pattern) !== null, isUserKey(key)]).toEqual([true, true]);
    expect(isUserKey(key.slice(0, 20) + swapped + key.slice(21))).toBe(false);
  }
  for (const other of [newPublishableKey(), `${newUserKey()}0`, newUserKey().slice(0, -1), 'svc_sk_', ''])
    expect(isUserKey(other)).toBe(false);
});
