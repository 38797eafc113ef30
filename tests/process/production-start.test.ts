import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildAll } from '../../scripts/steps.mjs';
import { newDatabase } from '../harness';
import { freePort } from '../harness/free-port';
import { until } from '../harness/until';

/** `npm run start:production` runs what `npm run build` built, and nothing else. */

const { url: databaseUrl } = await newDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'production-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('without a build', () => {
  const clone = path.join(folder, 'clone');
  const run = (script: string, ...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [`scripts/${script}`, ...args], {
      cwd: clone,
      encoding: 'utf8',
    });
    return { status, stderr: stderr.trim() };
  };
  const list = () => readdirSync(clone, { recursive: true, encoding: 'utf8' }).sort();

  beforeAll(() => {
    for (const file of ['scripts', 'package.json', 'package-lock.json', 'prisma.config.ts'])
      cpSync(file, path.join(clone, file), { recursive: true });
    mkdirSync(path.join(clone, 'prisma'));
    cpSync('prisma/schema.prisma', path.join(clone, 'prisma/schema.prisma'));
  });

  test('neither a start nor a build installs packages', () => {
    const before = list();
    const message =
      'The installed packages are not those of package-lock.json. Run: npm ci --omit=dev --ignore-scripts';
    expect(run('start.mjs', '--built')).toEqual({ status: 1, stderr: message });
    expect(run('build.mjs')).toEqual({ status: 1, stderr: message });
    expect(list()).toEqual(before);
  });

  test('a start builds nothing, and names what is missing or older than its sources', () => {
    symlinkSync(path.resolve('node_modules'), path.join(clone, 'node_modules'));
    const refuse = (parts: string) => ({
      status: 1,
      stderr: `The build is missing or older than its sources: ${parts}. Run: npm run build`,
    });
    const before = list();
    expect(run('start.mjs', '--built')).toEqual(refuse('client, widget, pages, server'));
    expect(list()).toEqual(before);

    const steps = JSON.stringify(path.join(clone, 'scripts/steps.mjs'));
    spawnSync(process.execPath, ['-e', `import(${steps}).then((steps) => steps.generateClient())`], {
      cwd: clone,
    });
    expect(run('start.mjs', '--built')).toEqual(refuse('widget, pages, server'));
    appendFileSync(path.join(clone, 'prisma/schema.prisma'), '// changed');
    expect(run('start.mjs', '--built')).toEqual(refuse('client, widget, pages, server'));
  }, 120_000);
});

describe('with a build', () => {
  beforeAll(buildAll, 300_000);

  test('a start serves with MIGRATE=never once the database is up to date', async () => {
    const port = String(await freePort());
    const child = spawn(process.execPath, ['scripts/start.mjs', '--built'], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_ENV: 'production',
        MIGRATE: 'never',
        DATABASE_URL: databaseUrl,
        DATA_DIR: path.join(folder, 'data'),
        AUTH_SECRET: process.env.AUTH_SECRET ?? '',
        PORT: port,
      },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    const health = () => fetch(`http://127.0.0.1:${port}/api/health`).then(({ status }) => status, String);
    await until(health, (status) => status === 200);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
