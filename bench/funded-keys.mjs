// @ts-check
import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { childEnvironment, ROOT } from './servers.mjs';

/** User keys with credits, obtained as a partner's users obtain them: sign-in by e-mail code, then a grant. */

const run = promisify(execFile);
const AT_A_TIME = 4;
const MAIL_TRIES = 200;
const MAIL_PAUSE_MS = 50;
const CREDITS = 100_000;

/**
 * @param {{ origin: string, env: Record<string, string> }} product
 * @param {number} users
 * @returns {Promise<string[]>}
 */
export async function makeFundedKeys(product, users) {
  const partner = await runCommand(product.env, ['partner', 'create', '--name', 'bench', '--rate', '25']);
  const publishableKey = String(partner.publishable_key);
  /** @type {string[]} */
  const keys = [];
  let next = 0;
  const work = async () => {
    while (next < users) {
      const index = next;
      next += 1;
      keys[index] = await makeFundedKey(product, publishableKey, `bench-${index}@example.com`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return keys;
}

/**
 * @param {{ origin: string, env: Record<string, string> }} product
 * @param {string} publishableKey
 * @param {string} email
 */
async function makeFundedKey({ origin, env }, publishableKey, email) {
  const login = { publishable_key: publishableKey, email };
  const challenge = await post(`${origin}/v1/auth/send-code`, login);
  const code = await readCode(origin, email);
  const verified = await post(`${origin}/v1/auth/verify-code`, {
    ...login,
    challenge_id: challenge.challenge_id,
    code,
  });
  await runCommand(env, ['user', 'grant', email, '--credits', String(CREDITS), '--app', publishableKey]);
  return String(verified.user_key);
}

/** @param {string} origin @param {string} email */
async function readCode(origin, email) {
  for (let tries = 0; tries < MAIL_TRIES; tries += 1) {
    const response = await fetch(`${origin}/dev/mail/messages?to=${encodeURIComponent(email)}`);
    const mails = await readJson(response);
    const code = /\b\d{6}\b/.exec(String(mails[0]?.subject ?? ''))?.[0];
    if (code !== undefined) return code;
    await sleep(MAIL_PAUSE_MS);
  }
  throw new Error('no login code arrived at /dev/mail/messages');
}

/** @param {string} url @param {object} body */
async function post(url, body) {
  const headers = { 'content-type': 'application/json' };
  return readJson(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }));
}

/** @param {Response} response */
async function readJson(response) {
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${new URL(response.url).pathname} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

/**
 * Runs an operator command on the data directory of the running server.
 *
 * @param {Record<string, string>} env
 * @param {string[]} command
 */
export async function runCommand(env, command) {
  const args = [path.join(ROOT, '.build/cli.mjs'), ...command, '--json'];
  const { stdout } = await run(process.execPath, args, {
    cwd: ROOT,
    env: childEnvironment(env),
    timeout: 120_000,
  });
  return JSON.parse(stdout);
}
