import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright/test';
import { requireBrowser } from '../../scripts/find-browser.mjs';
import { buildAll, enterProject } from '../../scripts/steps.mjs';
import { buyAndSpend } from './buy-and-spend.mjs';

/**
 * `npm run templates -- [NAME ...]`: creates each template in an empty folder against a running installation and builds
 * it. In those that are web pages, a browser buys, sends, spends to the 402 and buys again. Prints a table of seconds.
 */

/** How each is built, and the web pages served on a port. */
const TEMPLATES = {
  html: { serve: serveFiles },
  nextjs: {
    install: true,
    build: ['run', 'build'],
    serve: (folder, port) => start(folder, port, ['start', '--', '-p', port]),
  },
  'vite-react': {
    install: true,
    build: ['run', 'build'],
    serve: (folder, port) => start(folder, port, ['start', '--', '--port', port, '--strictPort']),
  },
  sveltekit: {
    install: true,
    build: ['run', 'build'],
    serve: (folder, port) => start(folder, port, ['start', '--', '--port', port, '--strictPort']),
  },
  hono: { install: true, serve: (folder, port) => start(folder, port, ['start']) },
  extension: { check: true },
  vscode: { install: true, check: true },
  expo: { install: true, build: ['run', 'build'] },
};

enterProject();
const wanted = process.argv.slice(2);
const names = Object.keys(TEMPLATES).filter((name) => wanted.length === 0 || wanted.includes(name));
await buildAll();
const home = mkdtempSync(path.join(tmpdir(), 'svc-templates-'));
const service = await startService();
const key = command('partner', 'create', '--name', 'Templates', '--rate', '100').publishable_key;
const browser = await openBrowser();
const rows = [];
try {
  for (const name of names)
    rows.push(await tryOut(name).catch((error) => ({ template: name, failed: error.message })));
} finally {
  await browser.close();
  await stop(service.child);
  rmSync(home, { recursive: true, force: true });
}
console.table(rows);
process.exit(rows.some(({ failed }) => failed) ? 1 : 0);

async function tryOut(name) {
  const { install, build, serve, check } = TEMPLATES[name];
  const clock = createClock(name);
  const app = `my-${name}`;
  const folder = path.join(home, app);
  const source = `${service.url}/v1/1.0.0/create-svc-app.tgz`;
  run(home, 'npx', ['--yes', source, app, '--template', name, '--key', key]);
  const row = { template: name, lines: countLines(folder), create: clock() };
  if (install) run(folder, 'npm', ['install', '--no-audit', '--no-fund', '--prefer-offline']);
  row.install = clock();
  if (build) run(folder, 'npm', build);
  if (check) for (const file of scriptsIn(folder)) run(folder, process.execPath, ['--check', file]);
  row.build = clock();
  if (serve) {
    const port = String(20_000 + Math.floor(Math.random() * 20_000));
    const server = await serve(folder, port);
    try {
      Object.assign(
        row,
        await buyAndSpend(browser, { url: `http://localhost:${port}`, service: service.url, clock }),
      );
    } finally {
      await server.stop();
    }
  }
  return { ...row, total: clock.total() };
}

function createClock(name) {
  const begunAt = performance.now();
  let last = begunAt;
  const seconds = (ms) => Number((ms / 1000).toFixed(1));
  const clock = () => {
    const lap = performance.now() - last;
    last += lap;
    process.stdout.write(`  ${name}: ${seconds(lap)} s\n`);
    return seconds(lap);
  };
  clock.total = () => seconds(performance.now() - begunAt);
  return clock;
}

/** Without those that the template copies from the package. */
function countLines(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const own = files.filter(
    (file) => file.isFile() && !file.parentPath.endsWith('/svc') && file.name !== 'README.md',
  );
  return own.reduce(
    (sum, { parentPath, name }) =>
      sum + readFileSync(path.join(parentPath, name), 'utf8').split('\n').length - 1,
    0,
  );
}

function scriptsIn(folder) {
  return readdirSync(folder).filter((file) => file.endsWith('.js'));
}

function run(cwd, program, args) {
  try {
    return execFileSync(program, args, {
      cwd,
      stdio: 'pipe',
      encoding: 'utf8',
      env: { ...process.env, CI: '1' },
    });
  } catch ({ message, stdout, stderr }) {
    throw new Error(`${message}\n${stdout}\n${stderr}`.slice(-2000));
  }
}

// ── The installation ─────────────────────────────────────────────────────────────────────────

function environment() {
  return {
    ...process.env,
    NODE_ENV: 'production',
    DATA_DIR: path.join(home, 'data'),
    DATABASE_URL: '',
    LOG_LEVEL: 'warn',
    LIMIT_CODES_PER_ADDRESS_PER_HOUR: '0',
  };
}

async function startService() {
  const port = String(40_000 + Math.floor(Math.random() * 20_000));
  const env = { ...environment(), PORT: port };
  const child = spawn(process.execPath, ['.build/main.mjs'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  await until(child, /Ready\. Open:/);
  return { child, url: `http://localhost:${port}` };
}

function command(...words) {
  const args = ['scripts/svc.mjs', ...words, '--json'];
  const text = execFileSync(process.execPath, args, { env: environment(), encoding: 'utf8' });
  return JSON.parse(text.slice(text.indexOf('{')));
}

async function until(child, pattern) {
  let text = '';
  await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece) => {
        text += piece;
        if (pattern.test(text)) resolve();
      });
    child.once('exit', () => reject(new Error(`It did not start:\n${text}`)));
  });
}

async function stop(child) {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

// ── The apps ─────────────────────────────────────────────────────────────────────────────────

async function start(folder, port, args) {
  const env = { ...process.env, PORT: port };
  const child = spawn('npm', ['run', ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  await until(child, /localhost:\d+/);
  return {
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      process.kill(-child.pid, 'SIGTERM');
      await ended;
    },
  };
}

async function serveFiles(folder, port) {
  const html = readFileSync(path.join(folder, 'index.html'));
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html));
  await new Promise((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
  return {
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function openBrowser() {
  const found = { ...process.env, ...(await requireBrowser()) };
  const executablePath = found.CHROMIUM_SHELL_PATH ?? found.CHROMIUM_PATH;
  return chromium.launch({
    ...(executablePath && { executablePath }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}
