import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingsSchema } from '@/server/env';

/** The files in `deploy`, which nothing else reads. */

const FILES = [
  'compose.yaml',
  'Dockerfile',
  'deploy/svc@.service',
  ...readdirSync('deploy/kubernetes').map((file) => `deploy/kubernetes/${file}`),
];
/** Of other services. */
const FOREIGN = /^(DOMAIN|POSTGRES_\w+|NODE_IMAGE)$/;

test('every setting in the files for a deployment exists', () => {
  const named = FILES.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^(?:ENV |Environment=| +)([A-Z][A-Z_]+)(?:=|: )/gm)].map(
      ([, name = '']) => name,
    ),
  );
  expect(named.length).toBeGreaterThan(20);
  const known = new Set(Object.keys(settingsSchema.shape));
  expect(named.filter((name) => !known.has(name) && !FOREIGN.test(name))).toEqual([]);
});
