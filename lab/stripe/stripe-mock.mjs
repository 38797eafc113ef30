import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { enterProject, fail } from '../../scripts/steps.mjs';
import { requireProgram } from '../run.mjs';

/**
 * `npm run stripe-mock`: runs the tests that pay, and sends every call that the sandbox accepted to stripe-mock,
 * which checks calls against Stripe's published API. Prints what it refuses, and exits with 1 if it refuses any.
 */

/**
 * What stripe-mock refuses although Stripe accepts it. Its newest release knows 2026-08-26.dahlia, and the SDK
 * sends 2026-10-28.endive.
 */
const EXCEPTIONS = [{ path: /^\/v2\//, reason: 'stripe-mock knows only /v1' }];
/** Left out of the body, so that the rest is checked. */
const NEW_PARAMETERS = ['allowed_payment_method_types'];

const MODULE = 'github.com/stripe/stripe-mock@latest';
const PROGRAM = path.resolve(
  '.build/stripe-mock',
  process.platform === 'win32' ? 'stripe-mock.exe' : 'stripe-mock',
);
const CALLS = path.resolve('.build/stripe-calls.jsonl');

enterProject();
install();
const calls = await recordCalls();
const mock = await startMock();
try {
  const refused = await replay(calls.filter(({ status }) => status < 400));
  process.exitCode = refused.size === 0 ? 0 : 1;
} finally {
  mock.stop();
}

function install() {
  if (existsSync(PROGRAM)) return;
  requireProgram('go', 'version', 'https://go.dev/dl');
  console.log(`Installing ${MODULE} …`);
  const env = { ...process.env, GOBIN: path.dirname(PROGRAM) };
  const { status } = spawnSync('go', ['install', MODULE], { stdio: 'inherit', env });
  if (status !== 0) fail(`stripe-mock could not be installed: go install ${MODULE}`);
}

async function recordCalls() {
  rmSync(CALLS, { force: true });
  writeFileSync(CALLS, '');
  const recorder = new URL('record-stripe-calls.mjs', import.meta.url).href;
  const options = `${process.env.NODE_OPTIONS ?? ''} --import ${recorder}`;
  const child = spawn(process.execPath, ['scripts/test.mjs', ...listPayingTests()], {
    stdio: 'inherit',
    env: { ...process.env, NODE_OPTIONS: options, STRIPE_CALLS: CALLS },
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) fail('The tests failed, so their calls were not checked.');
  const lines = readFileSync(CALLS, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/** The tests that start the payment sandbox themselves, or through the world of the checkout or of payouts. */
function listPayingTests() {
  return readdirSync('tests', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `tests/${file.replaceAll(path.sep, '/')}`)
    .filter((file) => /startSandboxPayments|(checkout|payout)-world'/.test(readFileSync(file, 'utf8')));
}

function startMock() {
  // Both addresses: without the second one, it also takes a fixed port.
  const args = ['-http-addr', '127.0.0.1:0', '-https-addr', '127.0.0.1:0'];
  const child = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve) => {
    let text = '';
    child.on('close', () => fail(`stripe-mock ended: ${text}`));
    child.stdout.on('data', (part) => {
      text += part;
      const [, address] = /HTTP at address: (\S+)\n/.exec(text) ?? [];
      const stop = () => child.removeAllListeners('close').kill();
      if (address !== undefined) resolve({ url: `http://${address}`, stop });
    });
  });
}

/** Returns the refusals. One that many calls have in common is printed once. */
async function replay(accepted) {
  const refused = new Map();
  for (const call of accepted) {
    if (EXCEPTIONS.some((exception) => exception.path.test(call.path))) continue;
    const message = await findRefusal(call);
    if (message !== null) refused.set(`${call.method} ${message}`, { ...call, message });
  }
  for (const { method, path: asked, body, message } of refused.values())
    console.log(`\nrefused: ${method} ${asked} ${decodeURIComponent(body)}\n  ${message}`);
  for (const { path: pattern, reason } of EXCEPTIONS) {
    const count = accepted.filter((call) => pattern.test(call.path)).length;
    console.log(`${count} calls were not checked: ${reason}`);
  }
  console.log(`${accepted.length} calls, ${refused.size} refusals by stripe-mock`);
  return refused;
}

async function findRefusal({ method, path: asked, type, body }) {
  const response = await fetch(mock.url + asked, {
    method,
    headers: {
      authorization: 'Bearer sk_test_123',
      ...(type && { 'content-type': type }),
    },
    ...(body && { body: withoutNewParameters(body) }),
  });
  const text = await response.text();
  return response.ok ? null : (JSON.parse(text).error?.message ?? text);
}

function withoutNewParameters(body) {
  const isNew = (pair) => NEW_PARAMETERS.some((name) => pair.startsWith(name));
  const pairs = body.split('&');
  return pairs.filter((pair) => !isNew(pair)).join('&');
}
