import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LoopbackServer, listenOnLoopback } from '@/sandbox/loopback-server';

/** Runs `npm run audit`, with the real npm, against a registry on loopback. */

const ADVISORY = {
  id: 1,
  url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
  title: 'Anything goes',
  severity: 'high',
  vulnerable_versions: '>=0',
};
const FOUND = { package: 'zod', advisory: 'GHSA-aaaa-bbbb-cccc', reason: 'a test' };

let registry: LoopbackServer;
let answer: object | null = null;
const folder = mkdtempSync(path.join(tmpdir(), 'audit-'));

beforeAll(async () => {
  registry = await listenOnLoopback(async (request, response) => {
    const isKnown = request.method === 'POST' && request.url?.endsWith('/advisories/bulk') && answer;
    response.writeHead(isKnown ? 200 : 405, { 'content-type': 'application/json' });
    response.end(isKnown ? JSON.stringify(answer) : '{}');
  });
});
afterAll(async () => {
  await registry.close();
  rmSync(folder, { recursive: true });
});

function audit(accepted: object[]): Promise<{ code: number; output: string }> {
  const file = path.join(folder, 'accepted.json');
  writeFileSync(file, JSON.stringify(accepted));
  const env: NodeJS.ProcessEnv = {
    NODE_ENV: 'test',
    PATH: process.env.PATH,
    HOME: folder,
    npm_config_registry: registry.url,
    npm_config_fetch_retries: '0',
  };
  return new Promise((resolve) => {
    execFile(process.execPath, ['scripts/audit.mjs', file], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

test('an advisory about a locked package fails the audit until it is accepted, and again after the date @attack', async () => {
  answer = { zod: [ADVISORY] };
  const open = await audit([]);
  expect(open).toEqual({ code: 1, output: expect.stringMatching(/zod .*high: Anything goes \(GHSA-aaaa-/) });
  const accepted = await audit([{ ...FOUND, until: '9999-12-31' }]);
  expect(accepted).toEqual({ code: 0, output: 'No open advisories, 1 accepted.\n' });
  const expired = await audit([{ ...FOUND, until: '2020-01-31' }]);
  expect(expired.code).toBe(1);
  expect(expired.output).toContain('the acceptance of GHSA-aaaa-bbbb-cccc ended on 2020-01-31');
  const undated = await audit([FOUND]);
  expect(undated).toEqual({ code: 1, output: expect.stringContaining('expected package, advisory, reason') });
});

test('an accepted advisory accepts no other advisory and no other package @attack', async () => {
  answer = {
    zod: [ADVISORY, { ...ADVISORY, id: 2, url: 'https://github.com/advisories/GHSA-other' }],
    pg: [ADVISORY],
  };
  const { code, output } = await audit([{ ...FOUND, until: '9999-12-31' }]);
  expect(code).toBe(1);
  expect(output).toMatch(/zod .*GHSA-other/);
  expect(output).toMatch(/pg .*GHSA-aaaa/);
});

test('without an answer of the registry, the audit says that nothing was checked @attack', async () => {
  answer = null;
  const { code, output } = await audit([]);
  expect(code).toBe(2);
  expect(output).toMatch(/could not be reached \(.*405.*\): the dependencies were not checked/);
  expect((await audit([{ ...FOUND, until: '2020-01-31' }])).code).toBe(1);
});
