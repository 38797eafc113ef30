// @ts-check
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeKey, runCommand } from '../bench/funded-keys.mjs';
import { query } from '../bench/product-database.mjs';
import { MODEL } from '../bench/servers.mjs';
import { sendOne } from './steady-load.mjs';

/**
 * Clients that disconnect, and one that asks for more than it can pay.
 *
 * @typedef {import('./world.mjs').World} World
 */

const LEAVERS = 200;
const LEAVE_EVERY_MS = 50;
/** Before the first chunk of the provider has arrived. */
const EARLY_MS = 5;
const SETTLE_MS = 30_000;
const AT_ONCE = 1_000;
/** In microcredits. */
const MINIMUM_BALANCE = 1_000_000;
const DEPOSIT = 1_200_000;
const POLL_MS = 100;

/**
 * Half of the clients disconnect before their response begins, half after its first chunk.
 *
 * @param {World} world
 */
export async function disconnect(world) {
  /** @type {Promise<string>[]} */
  const leaving = [];
  for (let n = 0; n < LEAVERS; n += 1) {
    const key = world.keys[n % world.keys.length] ?? '';
    leaving.push(leave(world.instance(n % 2).origin, key, Math.floor(n / 2) % 2 === 0));
    await sleep(LEAVE_EVERY_MS);
  }
  const begun = (await Promise.all(leaving)).filter((id) => id !== '');
  const beganMs = performance.now();
  const left = async () =>
    begun.length - (await countReceipts(world, 'request_id = ANY($1) AND charge > 0', [begun]));
  while ((await left()) > 0 && performance.now() - beganMs < SETTLE_MS) await sleep(POLL_MS);
  const missing = await left();
  if (missing > 0) throw new Error(`${missing} of ${begun.length} streams that had begun were not charged`);
  const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1);
  return `${LEAVERS} clients disconnected, ${begun.length} of them in mid-stream; those were charged within ${seconds} s`;
}

/** Returns the id of the request if its response had begun. @param {string} origin @param {string} key @param {boolean} isEarly @returns {Promise<string>} */
function leave(origin, key, isEarly) {
  const body = JSON.stringify({
    model: MODEL,
    max_tokens: 256,
    stream: true,
    messages: [{ role: 'user', content: 'Describe the harbour at dawn in a few plain sentences.' }],
  });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  return new Promise((resolve) => {
    let id = '';
    const sending = request(`${origin}/v1/chat/completions`, { method: 'POST', headers }, (response) => {
      if (response.statusCode === 200) id = String(response.headers['x-request-id'] ?? '');
      response.on('error', () => {});
      response.once('data', () => sending.destroy());
    });
    sending.on('error', () => {});
    sending.on('close', () => resolve(id));
    sending.end(body, () => {
      if (isEarly) setTimeout(() => sending.destroy(), EARLY_MS);
    });
  });
}

/**
 * A user with a little more than the minimum balance sends a thousand requests at once, to both instances.
 *
 * @param {World} world
 */
export async function overspend(world) {
  const { key, userId } = await openUser(world, DEPOSIT);
  const agent = new Agent({ keepAlive: true });
  const send = (/** @type {number} */ n) =>
    sendOne(`${world.instance(n % 2).origin}/v1/chat/completions`, { agent, key, isStream: false });
  const seen = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => send(n)));
  const ok = seen.filter((one) => one.outcome === 'ok').length;
  const refused = seen.filter((one) => one.status === 402).length;
  const busy = seen.filter((one) => one.outcome === 'busy').length;
  // What was held for the others is free again: these spend the rest.
  let later = 0;
  while ((await send(later)).outcome === 'ok') later += 1;
  agent.destroy();
  const left = await readOwn(world, userId);
  const [{ receipts, charged }] = await query(
    { pid: 0, url: world.databaseUrl },
    'SELECT count(*)::int AS receipts, sum(charge)::float8 AS charged FROM usage WHERE user_id = $1',
    [userId],
  );
  if (ok < 1 || ok + refused + busy < AT_ONCE)
    throw new Error(`${ok} were paid, and ${AT_ONCE - ok - refused - busy} neither paid nor refused`);
  if (receipts !== ok + later || charged + left !== DEPOSIT || left < 0 || left >= MINIMUM_BALANCE)
    throw new Error(`${receipts} receipts for ${charged} of ${DEPOSIT} microcredits, and ${left} are left`);
  return `${AT_ONCE} at once: ${ok} paid, ${refused} refused with 402 and ${busy} as busy; ${later} more paid until less than the minimum balance was left`;
}

/** @param {World} world @param {number} microcredits */
async function openUser(world, microcredits) {
  const partner = await runCommand(world.instance(0), ['partner', 'create', '--name', 'ten', '--rate', '25']);
  const key = await makeKey(world.instance(0), String(partner.publishable_key), 'ten@example.com');
  const [{ user_id: userId }] = await query(
    { pid: 0, url: world.databaseUrl },
    `SELECT user_id, ledger_deposit(user_id, partner_id, 'adjustment', 'req_faults', 'txn_' || md5(user_id), $2, 0,
       'promotion_expense', 'for the faults', interval '7 days')
     FROM user_app WHERE partner_id = $1`,
    [partner.partner_id, microcredits],
  );
  return { key, userId };
}

/** Once nothing is held for the user. @param {World} world @param {string} userId */
async function readOwn(world, userId) {
  const database = { pid: 0, url: world.databaseUrl };
  const isHeld = async () =>
    (await query(database, 'SELECT FROM hold WHERE user_id = $1 LIMIT 1', [userId])).length > 0;
  const deadlineMs = performance.now() + SETTLE_MS;
  while ((await isHeld()) && performance.now() < deadlineMs) await sleep(POLL_MS);
  const [row] = await query(database, 'SELECT sum(own)::float8 AS own FROM user_app WHERE user_id = $1', [
    userId,
  ]);
  return Number(row.own);
}

/** @param {World} world @param {string} condition @param {unknown[]} values */
async function countReceipts(world, condition, values) {
  const [{ found }] = await query(
    { pid: 0, url: world.databaseUrl },
    `SELECT count(*)::int AS found FROM usage WHERE ${condition}`,
    values,
  );
  return found;
}
