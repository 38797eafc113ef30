import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { buildPages, identityOfPages } from '../../scripts/steps.mjs';

/** Instances that were built separately serve each other's pages: see "Several instances" in docs/operating.md. */

beforeAll(() => buildPages(), 300_000);

test('the build of the pages is identified by their sources, and so are the ids of their actions', () => {
  const { PAGES_BUILD_ID, NEXT_SERVER_ACTIONS_ENCRYPTION_KEY } = identityOfPages();
  expect(readFileSync('.next/BUILD_ID', 'utf8')).toBe(PAGES_BUILD_ID);
  const manifest = JSON.parse(readFileSync('.next/server/server-reference-manifest.json', 'utf8'));
  expect(manifest.encryptionKey).toBe(NEXT_SERVER_ACTIONS_ENCRYPTION_KEY);
});
