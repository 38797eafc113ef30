// @ts-check
import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { APP_NAME, query } from './product-database.mjs';
import { childEnvironment } from './servers.mjs';

/**
 * User keys with credits. Users sign in by e-mail code, as everywhere. All get their credits in one statement,
 * because an operator command for each takes a minute; like bought credits, they earn commission.
 */

const run = promisify(execFile);
const AT_A_TIME = 4;
const MAIL_TRIES = 200;
const MAIL_PAUSE_MS = 50;
const MICROCREDITS = 100_000_000_000;

/**
 * @param {import('./servers.mjs').Product} product
 * @param {import('./product-database.mjs').Database} database
 * @param {number} users
 * @returns {Promise<string[]>}
 */
export async function makeFundedKeys(product, database, users) {
  const partner = await runCommand(product, ['partner', 'create', '--name', APP_NAME, '--rate', '25']);
  const publishableKey = String(partner.publishable_key);
  /** @type {string[]} */
  const keys = [];
  let next = 0;
  const work = async () => {
    while (next < users) {
      const index = next;
      next += 1;
      keys[index] = await makeKey(product, publishableKey, `bench-${index}@example.com`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  await query(database, ADD_CREDITS, [partner.partner_id, MICROCREDITS]);
  return keys;
}

const ADD_CREDITS = `
  SELECT ledger_deposit(user_id, partner_id, 'adjustment', 'req_bench', 'txn_' || md5(user_id), $2, 0, 'promotion_expense',
    'for the benchmark', interval '7 days')
  FROM user_app WHERE partner_id = $1`;

/**
 * @param {Pick<import('./servers.mjs').Product, 'origin'>} product
 * @param {string} publishableKey
 * @param {string} email
 */
export async function makeKey({ origin }, publishableKey, email) {
  const login = { publishable_key: publishableKey, email };
  const challenge = await post(`${origin}/v1/auth/send-code`, login);
  const code = await readCode(origin, email);
  const verified = await post(`${origin}/v1/auth/verify-code`, {
    ...login,
    challenge_id: challenge.challenge_id,
    code,
  });
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
 * @param {import('./servers.mjs').Product} product
 * @param {string[]} command
 */
export async function runCommand({ root, env }, command) {
  const args = [path.join(root, '.build/cli.mjs'), ...command, '--json'];
  const { stdout } = await run(process.execPath, args, {
    cwd: root,
    env: childEnvironment(env),
    timeout: 600_000,
  });
  return JSON.parse(stdout);
}
