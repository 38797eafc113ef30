// @ts-check
import { CLAUDE, MODEL } from './servers.mjs';

/**
 * A `svc` is this product on an empty database; a `grown` one has a year of requests in its database.
 *
 * @typedef {'raw' | 'portkey' | 'litellm' | 'svc' | 'grown'} Kind
 * @typedef {object} Workload
 * @property {string} title
 * @property {number} connections
 * @property {boolean} [stream]
 * @property {boolean} [oneUser]
 * @property {boolean} [twoInstances]
 * @property {boolean} [limited] each instance may use `LIMITED_CORES`, so that the machine has room for two
 * @property {Omit<import('./agent-session.mjs').Session, 'stream' | 'model'> & { model?: string }} [agent] sends sessions of a coding agent
 * @property {Kind[]} kinds
 */

export const SERVERS = ['raw', 'portkey', 'litellm', 'svc'];
/** LiteLLM takes a minute to install. */
export const USUAL_SERVERS = ['raw', 'portkey', 'svc'];
/** They need no other packages than the product. */
export const QUICK_SERVERS = ['raw', 'svc'];

/**
 * Portkey cannot stream as installed by npm: with the `@hono/node-server` that its range resolves to, every stream ends in a 500 (Portkey-AI/gateway#1389).
 *
 * @type {Record<string, Workload>}
 */
export const WORKLOADS = {
  c1: { title: '1 connection', connections: 1, kinds: ['raw', 'portkey', 'litellm', 'svc'] },
  c32: { title: '32 connections', connections: 32, kinds: ['raw', 'portkey', 'litellm', 'svc', 'grown'] },
  c128: { title: '128 connections', connections: 128, kinds: ['raw', 'portkey', 'litellm', 'svc', 'grown'] },
  stream32: { title: '32 streaming', connections: 32, stream: true, kinds: ['raw', 'litellm', 'svc'] },
  hotUser32: { title: '32, one user', connections: 32, oneUser: true, kinds: ['svc'] },
  twoInstances128: { title: '128, two instances', connections: 128, twoInstances: true, kinds: ['svc'] },
  limited128: { title: '128, one limited instance', connections: 128, limited: true, kinds: ['svc'] },
  twoLimited128: {
    title: '128, two limited instances',
    connections: 128,
    twoInstances: true,
    limited: true,
    kinds: ['svc'],
  },
  ...agentLoads(),
};

/** An agent's loads: its requests by size, and at one size by format. @returns {Record<string, Workload>} */
function agentLoads() {
  /** @param {string} title @param {NonNullable<Workload['agent']>} agent @param {Partial<Workload>} [more] @returns {Workload} */
  const load = (title, agent, more) => ({
    title: `agent, ${title}`,
    connections: 8,
    agent,
    kinds: ['raw', 'portkey', 'svc'],
    ...more,
  });
  const anthropic = CLAUDE;
  return {
    agent30: load('30 kB', { format: 'chat', kilobytes: 30 }),
    agent300: load('320 kB', { format: 'chat', kilobytes: 320 }),
    agent3000: load('3 MB', { format: 'chat', kilobytes: 3_000 }, { connections: 2 }),
    agentStream: load(
      '320 kB, streaming',
      { format: 'chat', kilobytes: 320 },
      { stream: true, kinds: ['raw', 'svc'] },
    ),
    agentMessages: load(
      '320 kB, messages',
      { format: 'messages', model: anthropic, kilobytes: 320 },
      { kinds: ['raw', 'svc'] },
    ),
    agentResponses: load(
      '320 kB, responses',
      { format: 'responses', kilobytes: 320 },
      { kinds: ['raw', 'svc'] },
    ),
    agentToChat: load('320 kB, messages to chat', { format: 'messages', kilobytes: 320 }, { kinds: ['svc'] }),
    agentToMessages: load(
      '320 kB, chat to messages',
      { format: 'chat', model: anthropic, kilobytes: 320 },
      { kinds: ['svc'] },
    ),
  };
}
export const LIMITED_CORES = 0.3;
/** Seconds of load that each server gets before the first round. */
export const WARM_UP = {
  c32: 3,
  stream32: 2,
  twoInstances128: 3,
  agent300: 3,
  agentMessages: 2,
  agentResponses: 2,
};
export const STEADY = 'c32';

/** @param {Kind} kind @param {string[]} [names] @returns {[string, Workload][]} */
export function workloadsOf(kind, names = Object.keys(WORKLOADS)) {
  return Object.entries(WORKLOADS).filter(
    ([name, workload]) => names.includes(name) && workload.kinds.includes(kind),
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
