import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs in the sandbox of `npm run image:check`, in the folder of the image. Exits with 1 if anything fails. */

const MOST_START_MS = 5000;
const MOST_STOP_MS = 10_000;
const SERVICE = 'http://127.0.0.1:3000';
const PLACES = [
  '/',
  '/docs',
  '/docs/clients',
  '/docs/api',
  '/pricing',
  '/sign-in',
  '/icon.svg',
  '/v1/models',
  '/v1/openapi.json',
  '/v1/svc.js',
];
/** Packages that a build or the tests need, and a running service does not. */
const NOT_IN_IMAGE = [
  'typescript',
  'esbuild',
  'prisma/build',
  '@next/swc-linux-x64-gnu',
  'tailwindcss',
  'vitest',
];

const { start, healthCheck, uid } = JSON.parse(process.argv[2]);
const failed = [];

checkSandbox();
checkCommand('db migrate');
await checkService();
checkCommand('ledger check');
if (failed.length > 0) {
  console.error(`\nimage:check failed: ${failed.join(', ')}`);
  process.exit(1);
}

function report(title, ok, detail = '') {
  console.log(`  ${ok ? 'ok    ' : 'FAILED'} ${title}${detail && ` (${detail})`}`);
  if (!ok) failed.push(title);
}

function checkSandbox() {
  report('runs as an unprivileged user', process.getuid() === uid && uid !== 0, `user ${process.getuid()}`);
  const writable = ['/', '.', '.next', '.build', '/usr'].filter((folder) => {
    try {
      writeFileSync(`${folder}/written`, '');
      return true;
    } catch (error) {
      return error.code !== 'EROFS';
    }
  });
  report('cannot write outside of /tmp', writable.length === 0, writable.join(', '));
  const extra = NOT_IN_IMAGE.filter((name) => existsSync(`node_modules/${name}`));
  report('has no package of the build or the tests', extra.length === 0, extra.join(', '));
}

function checkCommand(words) {
  const { status, stderr } = spawnSync('/svc', words.split(' '), { encoding: 'utf8' });
  report(`svc ${words}`, status === 0, stderr.trim());
}

async function checkService() {
  const begunAt = performance.now();
  const service = spawn(start[0], start.slice(1), {
    // This process is the first one here, in the place of tini.
    env: { ...process.env, TINI_SUBREAPER: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(service, 'exit');
  while (service.exitCode === null && (await request('/api/health')) !== 200) await sleep(10);
  const startMs = Math.round(performance.now() - begunAt);
  report(
    `starts within ${MOST_START_MS} ms`,
    service.exitCode === null && startMs <= MOST_START_MS,
    `${startMs} ms`,
  );
  for (const place of PLACES) {
    const status = await request(place);
    report(`GET ${place}`, status === 200, String(status));
  }
  const { status } = spawnSync(healthCheck[0], healthCheck.slice(1), { stdio: 'inherit' });
  report('the health check passes', status === 0);
  const stoppedAt = performance.now();
  service.kill('SIGTERM');
  const [code] = await ended;
  const stopMs = Math.round(performance.now() - stoppedAt);
  report(`stops within ${MOST_STOP_MS} ms of SIGTERM`, code === 0 && stopMs <= MOST_STOP_MS, `${stopMs} ms`);
}

async function request(place) {
  try {
    const response = await fetch(`${SERVICE}${place}`, { headers: { connection: 'close' } });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    return error.cause?.code ?? String(error);
  }
}
