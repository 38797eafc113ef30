// @ts-check
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { MODEL } from '../bench/servers.mjs';

/**
 * The requests that are cheap to send and were expensive to answer. Runs in a process of its own, one attack at
 * a time.
 *
 * `againMs` is the time before a refused client connects again.
 *
 * @typedef {{ path: string, body: Buffer, connections: number, length?: number, pauseMs?: number, againMs?: number, headers?: Record<string, string> }} Attack
 * @typedef {{ name: string, origin: string, key: string | null, seconds: number }} Job
 */

const MB = 1024 * 1024;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const UPLOAD = 32 * MB;

/** @param {string} part @param {number} count @param {string} [more] */
const chat = (part, count, more = '') =>
  Buffer.from(`{"model":"${MODEL}","max_tokens":5,"messages":[${`${part},`.repeat(count)}${part}]${more}}`);

/** @param {number} count */
const manyFields = (count) =>
  Buffer.from(`{"model":"${MODEL}"${Array.from({ length: count }, (_, n) => `,"x${n}":1`).join('')}}`);

const MESSAGE = '{"role":"user","content":""}';
const PART = '{"type":"text","text":"x"}';

/** @param {number} count */
const manyParts = (count) => chat(`{"role":"user","content":[${`${PART},`.repeat(count)}${PART}]}`, 0);

function manyReferences() {
  const boundary = 'flood';
  const part = (/** @type {number} */ n) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="1_$ACTION_REF_${n}"\r\n\r\n\r\n`;
  return Buffer.from(`${Array.from({ length: 12_000 }, (_, n) => part(n)).join('')}--${boundary}--\r\n`);
}

/** @type {Record<string, () => Attack>} */
export const ATTACKS = {
  '1.5M unknown fields, 18 MB': () => ({
    path: '/v1/chat/completions',
    body: manyFields(1_500_000),
    connections: 4,
  }),
  '1.5M long numbers, 27 MB': () => ({
    path: '/v1/chat/completions',
    body: chat('12345678901234567', 1_500_000, ',"tools":[{}]'),
    connections: 4,
  }),
  '1M messages, 30 MB': () => ({
    path: '/v1/chat/completions',
    body: chat(MESSAGE, 1_000_000),
    connections: 4,
  }),
  '1M parts, 27 MB': () => ({ path: '/v1/messages', body: manyParts(1_000_000), connections: 4 }),
  'count_tokens, 1M parts': () => ({
    path: '/v1/messages/count_tokens',
    body: manyParts(1_000_000),
    connections: 4,
  }),
  '200 stalled uploads': () => ({
    path: '/v1/chat/completions',
    body: Buffer.alloc(2 * MB, ' '),
    length: UPLOAD,
    connections: 200,
    againMs: 1_000,
  }),
  '200 slow uploads': () => ({
    path: '/v1/chat/completions',
    body: Buffer.alloc(UPLOAD, ' '),
    connections: 200,
    pauseMs: 250,
    againMs: 1_000,
  }),
  'forms of 12,000 references': () => ({
    path: '/account',
    body: manyReferences(),
    connections: 4,
    headers: { 'content-type': 'multipart/form-data; boundary=flood' },
  }),
};

/** A key that only the database can tell from a real one. */
function forgeKey() {
  const text = `svc_sk_${Array.from(randomBytes(43), (byte) => BASE62[byte % 62]).join('')}`;
  let sum = crc32(text);
  let check = '';
  for (let n = 0; n < 6; n++) {
    check = BASE62[sum % 62] + check;
    sum = Math.floor(sum / 62);
  }
  return text + check;
}

const SLOW_PART = 8 * 1024;

/**
 * Sends one request over its own connection, and resolves to the status, or to what happened instead.
 *
 * @param {string} origin @param {Attack} attack @param {string} key @param {number} untilMs
 * @returns {Promise<string>}
 */
function sendOnce(origin, attack, key, untilMs) {
  const { path, body, length = body.length, pauseMs, headers = {} } = attack;
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    let text = '';
    const end = (/** @type {string} */ outcome) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const timer = setTimeout(() => end('still open'), Math.max(0, untilMs - Date.now()));
    socket.on('data', (data) => {
      text += data;
      const status = /^HTTP\/1.1 (\d{3})/.exec(text)?.[1];
      if (status !== undefined && status !== '100') end(status);
    });
    socket.on('error', () => end(/\d{3}/.exec(text)?.[0] ?? 'reset'));
    socket.on('close', () => end('closed'));
    const all = {
      host: 'svc',
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      ...headers,
    };
    const head = Object.entries({ ...all, 'content-length': length }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.write(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    if (pauseMs === undefined) socket.write(body);
    else void trickle(socket, body, pauseMs);
  });
}

/** @param {import('node:net').Socket} socket @param {Buffer} body @param {number} pauseMs */
async function trickle(socket, body, pauseMs) {
  for (let at = 0; at < body.length && !socket.destroyed; at += SLOW_PART) {
    socket.write(body.subarray(at, at + SLOW_PART));
    await sleep(pauseMs);
  }
}

/** Returns how often each outcome was seen. @param {Job} job */
async function run({ name, origin, key, seconds }) {
  const attack = ATTACKS[name]?.();
  if (attack === undefined) throw new Error(`no such attack: ${name}`);
  const untilMs = Date.now() + seconds * 1_000;
  /** @type {Record<string, number>} */
  const outcomes = {};
  const work = async () => {
    while (Date.now() < untilMs) {
      const outcome = await sendOnce(origin, attack, key ?? forgeKey(), untilMs);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      await sleep(attack.againMs ?? 0);
    }
  };
  await Promise.all(Array.from({ length: attack.connections }, work));
  return outcomes;
}

if (process.send !== undefined) {
  process.on('message', async (job) => process.send?.(await run(/** @type {Job} */ (job))));
  process.on('disconnect', () => process.exit(0));
}
