// @ts-check
import { MODEL } from './servers.mjs';

/** @typedef {{ title: string, connections: number, stream?: boolean, oneUser?: boolean, servers: string[] }} Workload */

export const SERVERS = ['raw', 'portkey', 'svc'];

/**
 * Portkey cannot stream as installed by npm: with the `@hono/node-server` that its range resolves to, every stream ends in a 500 (Portkey-AI/gateway#1389).
 *
 * @type {Record<string, Workload>}
 */
export const WORKLOADS = {
  c1: { title: '1 connection', connections: 1, servers: SERVERS },
  c32: { title: '32 connections', connections: 32, servers: SERVERS },
  c128: { title: '128 connections', connections: 128, servers: SERVERS },
  stream32: { title: '32 streaming', connections: 32, stream: true, servers: ['raw', 'svc'] },
  hotUser32: { title: '32, one user', connections: 32, oneUser: true, servers: ['svc'] },
};
export const WARM_UP = ['c32', 'stream32'];

/** @param {string} server @param {string[]} [names] @returns {[string, Workload][]} */
export function workloadsOf(server, names = Object.keys(WORKLOADS)) {
  return Object.entries(WORKLOADS).filter(
    ([name, workload]) => names.includes(name) && workload.servers.includes(server),
  );
}

/** A request of about 500 bytes. @param {boolean} stream */
export function writeBody(stream) {
  const question = 'Describe the harbour at dawn in a few plain sentences, and name what moves first. '
    .repeat(4)
    .trim();
  const messages = [
    { role: 'system', content: 'You answer briefly.' },
    { role: 'user', content: question },
  ];
  return JSON.stringify({ model: MODEL, messages, max_tokens: 256, ...(stream ? { stream } : {}) });
}
