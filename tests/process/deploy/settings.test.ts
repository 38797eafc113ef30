import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingsSchema } from '@/server/base/env';

/** The files in `deploy`, which nothing else reads. */

const FILES = [
  'compose.yaml',
  'Dockerfile',
  'deploy/svc@.service',
  'deploy/helm/values.yaml',
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

test('the chart has the version of the release', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const chart = readFileSync('deploy/helm/Chart.yaml', 'utf8');
  expect(/^version: (.*)$/m.exec(chart)?.[1]).toBe(version);
  expect(/^appVersion: (.*)$/m.exec(chart)?.[1]).toBe(version);
});

test('every way to start the service tells V8 to keep compiled code through quiet times', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const starts = {
    'npm start': scripts.start,
    'npm run start:production': scripts['start:production'],
    image: /^CMD .*/m.exec(readFileSync('Dockerfile', 'utf8'))?.[0],
    systemd: /^ExecStart=.*/m.exec(readFileSync('deploy/svc@.service', 'utf8'))?.[0],
  };
  // After the name of the program, it would be an argument of that.
  const without = Object.entries(starts).filter(
    ([, command]) => !/\bnode\W+no-memory-reducer\b/.test(command ?? ''),
  );
  expect(without).toEqual([]);
});
