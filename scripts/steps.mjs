import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The steps from a clone to something that runs. Each one checks whether it has anything to do.
 * No dependencies: node_modules may not be installed yet.
 */

export const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const BUILD_DIR = path.join(ROOT, '.build');

export function enterProject() {
  requireNode();
  process.chdir(ROOT);
}

function requireNode() {
  const { engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const needed = engines.node.replace('>=', '');
  const [[major, minor], [least, leastMinor]] = [process.versions.node, needed].map((version) =>
    version.split('.').map(Number),
  );
  if (major > least || (major === least && minor >= leastMinor)) return;
  fail(
    `svc needs Node.js ${needed} or newer, and this is ${process.versions.node}.\nInstall the current LTS version from https://nodejs.org and try again.`,
  );
}

/** Variables that are already set take precedence over those in `.env`. */
export function loadEnvFile() {
  if (existsSync('.env')) process.loadEnvFile('.env');
}

/** @param {string} message @returns {never} */
export function fail(message) {
  console.error(`\n${message}`);
  process.exit(1);
}

// ── The steps ────────────────────────────────────────────────────────────────────────────────

export async function installDependencies({ dev = false } = {}) {
  await unlessDone(
    'install',
    () => areDependenciesInstalled(dev),
    () => step('Installing dependencies', () => npm('ci', '--ignore-scripts', '--no-audit', '--no-fund')),
  );
}

/** Compares what npm recorded when it installed with what the lock file asks for. */
function areDependenciesInstalled(dev) {
  const installed = readPackages('node_modules/.package-lock.json');
  const wanted = Object.entries(readPackages('package-lock.json')).filter(
    ([place, entry]) => place !== '' && !entry.optional && !entry.devOptional && (dev || !entry.dev),
  );
  return wanted.every(([place, entry]) => installed[place]?.version === entry.version && existsSync(place));
}

function readPackages(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {};
}

const CLIENT = {
  title: 'Generating the database client',
  name: 'client',
  sources: ['prisma/schema.prisma'],
  outputs: ['prisma/client/client.ts'],
};

export function generateClient() {
  return stepWhenStale(CLIENT, () =>
    // Naming an engine prevents a download; generating does not start it.
    node(['node_modules/prisma/build/index.js', 'generate'], {
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    }),
  );
}

const WIDGET = {
  title: 'Building the widget',
  name: 'widget',
  sources: ['widget', 'texts'],
  outputs: ['public/v1/svc.js', 'widget/loader/dist/index.js'],
};

export function buildWidget() {
  return stepWhenStale(WIDGET, async () =>
    process.stdout.write((await node(['widget/build.mjs'])).replace(/^(?=.)/gm, '  ')),
  );
}

const PAGES = {
  title: 'Building the pages',
  name: 'pages',
  sources: [
    'app',
    'proxy.ts',
    'instrumentation.ts',
    'server',
    'sandbox',
    'widget',
    'texts',
    'public',
    'prisma/schema.prisma',
    'next.config.mjs',
    'postcss.config.mjs',
    'tsconfig.json',
  ],
  outputs: ['.next/BUILD_ID', 'public/v1/checkout/files.json'],
};

export function buildPages() {
  return stepWhenStale(PAGES, async () => {
    await node(['app/checkout/build.mjs']);
    await node(['node_modules/next/dist/bin/next', 'build'], {
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      ...identityOfPages(),
    });
  });
}

/**
 * The same for the same sources, so that instances that were built separately serve each other's pages: the ids of
 * server actions depend on the key. Nothing is encrypted with it, because no action closes over a value.
 */
export function identityOfPages() {
  const sources = hashSources(PAGES);
  const hash = (purpose) => createHash('sha256').update(`${purpose} ${sources}`).digest();
  return {
    // Blockers of advertisements look for "ad".
    PAGES_BUILD_ID: hash('build').toString('hex').slice(0, 20).replaceAll('a', 'x'),
    NEXT_SERVER_ACTIONS_ENCRYPTION_KEY: hash('actions').toString('base64'),
  };
}

const SERVER = {
  title: 'Building the server',
  name: 'server',
  sources: ['app', 'server', 'sandbox', 'texts', 'prisma/schema.prisma', 'tsconfig.json'],
  outputs: ['.build/main.mjs', '.build/pages-thread.mjs', '.build/cli.mjs'],
};

/** The server and the commands (`npm run svc`), so that one never runs without the other. */
export function bundleServer() {
  return stepWhenStale(SERVER, async () => {
    await bundle('server/main.ts', 'main');
    await bundle('server/process/pages-thread.ts', 'pages-thread');
    await bundle('server/operator/cli/main.ts', 'cli');
  });
}

/** One file that Node runs directly; packages stay in node_modules. Returns its URL. */
export async function bundle(entry, name, plugins = []) {
  const { build, stop } = await import('esbuild');
  const outfile = path.join(BUILD_DIR, `${name}.mjs`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: 'linked',
    logLevel: 'silent',
    plugins,
  });
  // Its service would stay a child of the server.
  await stop();
  return pathToFileURL(outfile).href;
}

/** Everything that the server needs. */
export async function buildAll() {
  await generateClient();
  await buildWidget();
  await buildPages();
  await bundleServer();
}

/** For a production start, which neither installs nor builds. */
export function requireDependencies() {
  if (areDependenciesInstalled(false)) return;
  fail('The installed packages are not those of package-lock.json. Run: npm ci --omit=dev --ignore-scripts');
}

export function requireBuild() {
  const stale = [CLIENT, WIDGET, PAGES, SERVER].filter((part) => !isFresh(part)).map(({ name }) => name);
  if (stale.length === 0) return;
  fail(`The build is missing or older than its sources: ${stale.join(', ')}. Run: npm run build`);
}

// ── How a step runs ──────────────────────────────────────────────────────────────────────────

/** Runs the work if the sources have changed since it last succeeded, or an output is missing. */
async function stepWhenStale(part, work) {
  const hash = identifyBuild(part);
  await unlessDone(
    part.name,
    () => isFresh(part, hash),
    async () => {
      await step(part.title, work);
      writeFileSync(stampOf(part), hash);
    },
  );
}

const isFresh = (part, hash = identifyBuild(part)) =>
  part.outputs.every((file) => existsSync(file)) &&
  existsSync(stampOf(part)) &&
  readFileSync(stampOf(part), 'utf8') === hash;

const stampOf = ({ name }) => path.join(BUILD_DIR, `${name}.stamp`);

const identifyBuild = (part) => `${hashSources(part)} Node ${process.versions.node}`;

const hashSources = ({ sources }) => hashFiles([...sources, 'package-lock.json']);

const LOCK_POLL_MS = 100;

/** Does the work in one process at a time; the others wait, and find it done. */
async function unlessDone(name, isDone, work) {
  if (isDone()) return;
  const lock = path.join(BUILD_DIR, `${name}.lock`);
  try {
    mkdirSync(BUILD_DIR, { recursive: true });
  } catch (error) {
    fail(`Cannot create ${BUILD_DIR}: ${error.message}`);
  }
  while (!isDone()) {
    if (!takeLock(lock)) {
      await sleep(LOCK_POLL_MS);
      continue;
    }
    try {
      if (!isDone()) await work();
      return;
    } finally {
      rmSync(lock, { force: true });
    }
  }
}

function takeLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') fail(`Cannot write to ${BUILD_DIR}: ${error.message}`);
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** A process that was killed leaves its lock. */
function isAbandoned(lock) {
  try {
    const owner = Number(readFileSync(lock, 'utf8'));
    // Between creating the file and writing to it.
    if (owner > 0) process.kill(owner, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Steps shorter than this are not worth a line. */
const QUIET_MS = 1000;

export async function step(title, work) {
  const begunAt = performance.now();
  const line = setTimeout(() => process.stdout.write(`  ${title} …\n`), QUIET_MS);
  try {
    await work();
  } catch (error) {
    clearTimeout(line);
    fail(`${title} failed.\n\n${error.output ?? error.stack}`);
  }
  clearTimeout(line);
  const tookMs = performance.now() - begunAt;
  if (tookMs > QUIET_MS) process.stdout.write(`  … ${(tookMs / 1000).toFixed(1)} s\n`);
}

function hashFiles(places) {
  const hash = createHash('sha256');
  for (const file of places.flatMap(listFiles)) hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

/** Tests, and SQL that the server reads when it starts. */
const IN_NO_BUILD = /\.(test\.ts|sql)$/;

function listFiles(place) {
  if (!existsSync(place)) return [];
  // The output of the widget's build is not a source.
  const entries = ['public/v1', 'widget/loader/dist', 'widget/create/dist'].includes(place)
    ? []
    : readEntries(place);
  return entries === undefined
    ? [place]
    : entries.flatMap((name) => (IN_NO_BUILD.test(name) ? [] : listFiles(`${place}/${name}`)));
}

function readEntries(place) {
  try {
    return readdirSync(place).sort();
  } catch {
    return undefined;
  }
}

export const npm = (...args) =>
  process.env.npm_execpath ? run(process.execPath, [process.env.npm_execpath, ...args]) : run('npm', args);

export const node = (args, environment) => run(process.execPath, args, environment);

/** Keeps the program's output and shows it only if the program fails. */
function run(command, args, environment = {}) {
  const child = spawn(command, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = (signal) => child.kill(signal) && process.exit(130);
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      if (code === 0) resolve(output);
      else reject(Object.assign(new Error(`${command} exited with code ${code}`), { output }));
    });
  });
}
