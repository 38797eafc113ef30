// @ts-check
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { npm, step } from '../../scripts/steps.mjs';
import { installLitellm } from './litellm.mjs';

/**
 * The servers under test, each a separate process on loopback.
 *
 * @typedef {object} Server
 * @property {string} origin
 * @property {number | undefined} pid
 * @property {() => string} lastOutput its last output, for the report of a failure
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop waits until it has ended
 * @typedef {Server & { env: Record<string, string>, root: string }} Product `root` is its checkout
 *
 * @typedef {object} Command
 * @property {string} name
 * @property {string} [program] Node if it is not given
 * @property {number} port
 * @property {string[]} args
 * @property {Record<string, string>} [env]
 * @property {string} [root]
 * @property {string} readyPath returns 2xx as soon as the server is ready
 * @property {number} [startSeconds]
 */

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LAB = path.join(ROOT, 'lab');
const STOP_SECONDS = 40;
const KEPT_OUTPUT = 4_000;

export const MODEL = 'openai/gpt-4.1-mini';
export const CLAUDE = 'anthropic/claude-haiku-4-5';
const UPSTREAM_KEY = 'sk-bench';
export const OWN_KEY = { authorization: `Bearer ${UPSTREAM_KEY}` };
/** Two instances share it. */
const AUTH_SECRET = randomBytes(32).toString('base64url');

export async function startMockUpstream() {
  const port = await findFreePort();
  return startServer({
    name: 'mock upstream',
    port,
    args: [path.join(LAB, 'bench/mock-upstream.mjs')],
    readyPath: '/',
  });
}

export async function startEvenUpstream() {
  const port = await findFreePort();
  return startServer({
    name: 'even upstream',
    port,
    args: [path.join(LAB, 'flood/even-upstream.mjs')],
    readyPath: '/',
  });
}

/** @param {string} upstreamOrigin */
export async function startRawProxy(upstreamOrigin) {
  const port = await findFreePort();
  const args = [path.join(LAB, 'bench/raw-proxy.mjs')];
  return startServer({
    name: 'raw proxy',
    port,
    args,
    env: { UPSTREAM_ORIGIN: upstreamOrigin },
    readyPath: '/',
  });
}

const require = createRequire(import.meta.url);
/** It is in the packages of the lab, which the root does not install. */
const PORTKEY = '@portkey-ai/gateway';

/**
 * It has no setting for its address, hence the preload; and it calls only those private hosts that its
 * settings trust.
 */
export async function startPortkey() {
  await installPackages();
  const port = await findFreePort();
  const script = path.join(LAB, 'node_modules', PORTKEY, 'build/start-server.js');
  const preload = new URL('loopback-only.mjs', import.meta.url).href;
  const args = ['--import', preload, script, `--port=${port}`, '--headless'];
  return startServer({
    name: 'portkey',
    port,
    args,
    env: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
    readyPath: '/',
  });
}

/** @param {string} upstreamOrigin */
export function headersForPortkey(upstreamOrigin) {
  return {
    ...OWN_KEY,
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${upstreamOrigin}/v1`,
  };
}

export const PORTKEY_VERSION = String(require('../package.json').devDependencies[PORTKEY]);

async function installPackages() {
  const installed = path.join(LAB, 'node_modules', PORTKEY, 'package.json');
  if (existsSync(installed) && require(installed).version === PORTKEY_VERSION) return;
  await step('Installing the packages of the lab', () =>
    npm('ci', '--prefix', LAB, '--ignore-scripts', '--no-audit', '--no-fund'),
  );
}

/**
 * LiteLLM's proxy without a database: it checks its master key in memory and keeps no accounts.
 *
 * @param {string} upstreamOrigin
 */
export async function startLitellm(upstreamOrigin) {
  const { program, config } = installLitellm({ upstreamOrigin, model: MODEL, key: UPSTREAM_KEY });
  const port = await findFreePort();
  return startServer({
    name: 'litellm',
    program,
    port,
    args: ['--config', config, '--host', '127.0.0.1', '--port', String(port)],
    // Without the first, it downloads its table of models at start.
    env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_MODE: 'PRODUCTION', LITELLM_LOG: 'ERROR' },
    readyPath: '/health/liveliness',
    startSeconds: 120,
  });
}

/**
 * This product as shipped: durable embedded PostgreSQL, with hold and settlement. Only the limits
 * that would refuse a load test are lifted. An empty value overrides an `.env` file.
 *
 * @param {string} upstreamOrigin
 * @param {string} dataDir
 * @param {Record<string, string>} [more]
 * @param {string} [root]
 * @param {string} [program]
 * @returns {Promise<Product>}
 */
export async function startProduct(upstreamOrigin, dataDir, more = {}, root = ROOT, program = 'main') {
  const port = more.PORT === undefined ? await findFreePort() : Number(more.PORT);
  const env = {
    PORT: String(port),
    HOST: '127.0.0.1',
    BASE_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: dataDir,
    AUTH_SECRET,
    LOG_LEVEL: 'warn',
    OPENAI_API_KEY: UPSTREAM_KEY,
    OPENAI_BASE_URL: `${upstreamOrigin}/v1`,
    ANTHROPIC_API_KEY: UPSTREAM_KEY,
    ANTHROPIC_BASE_URL: `${upstreamOrigin}/v1`,
    LIMIT_RUNNING_PER_USER: '1000',
    LIMIT_RUNNING_PER_PROVIDER: '1000',
    LIMIT_REQUESTS_PER_KEY_PER_MINUTE: '100000000',
    LIMIT_CODES_PER_EMAIL_PER_HOUR: '0',
    LIMIT_CODES_PER_ADDRESS_PER_HOUR: '0',
    LIMIT_CODE_RESEND_SECONDS: '0',
    DATABASE_URL: '',
    REDIS_URL: '',
    SMTP_URL: '',
    STRIPE_SECRET_KEY: '',
    STRIPE_PUBLISHABLE_KEY: '',
    STRIPE_WEBHOOK_SECRET: '',
    CHECKOUT_URL: '',
    SDK_URL: '',
    ...more,
  };
  // Like `npm start`.
  const args = ['--no-memory-reducer', path.join(root, `.build/${program}.mjs`)];
  const server = await startServer({
    name: 'svc',
    port,
    args,
    env,
    root,
    readyPath: '/v1/models',
    startSeconds: 120,
  });
  return { ...server, env, root };
}

/** Operator commands use the same settings as the server. @param {Record<string, string>} [env] */
export function childEnvironment(env) {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NODE_ENV: /** @type {const} */ ('production'), ...env };
}

/** @type {Set<() => Promise<void>>} */
const running = new Set();
let closed = false;

/** Servers stop in the reverse order of their start, and none starts after that. */
export async function stopServers() {
  closed = true;
  for (const stop of [...running].reverse()) await stop();
}

/** @param {Command} command @returns {Promise<Server>} */
async function startServer(command) {
  const {
    name,
    program = process.execPath,
    port,
    args,
    env,
    root = ROOT,
    readyPath,
    startSeconds = 20,
  } = command;
  if (closed) throw new Error(`${name} is not started any more`);
  // A separate process group: Ctrl-C reaches the driver, which then stops the servers in order.
  const child = spawn(program, args, {
    cwd: root,
    env: childEnvironment({ PORT: String(port), ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const stop = (/** @type {NodeJS.Signals} */ signal = 'SIGTERM') => stopChild(child, signal);
  running.add(stop);
  let output = '';
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-KEPT_OUTPUT);
    });
  }

  const origin = `http://127.0.0.1:${port}`;
  const deadlineMs = performance.now() + startSeconds * 1_000;
  while (!(await isReady(origin + readyPath))) {
    if (hasEnded(child)) throw new Error(`${name} ended while starting. It printed last:\n${output}`);
    if (performance.now() > deadlineMs) {
      throw new Error(
        `${name} did not answer ${readyPath} within ${startSeconds} s. It printed last:\n${output}`,
      );
    }
    await sleep(100);
  }
  return { origin, pid: child.pid, lastOutput: () => output, stop };
}

/** @param {import('node:child_process').ChildProcess} child */
const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
async function stopChild(child, signal) {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_SECONDS * 1_000);
  child.kill(signal);
  await ended;
  clearTimeout(impatience);
}

/** @param {string} url */
async function isReady(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** @returns {Promise<number>} */
export function findFreePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no free port')),
      );
    });
  });
}
