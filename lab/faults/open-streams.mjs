// @ts-check
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { readMemoryMb } from '../bench/process-memory.mjs';
import { sendOne } from './steady-load.mjs';

/**
 * Thousands of paid streams that are open on one instance at once: first with limits that allow them, then with the
 * limits that an installation has by default.
 *
 * @typedef {import('./world.mjs').World} World
 * @typedef {import('./steady-load.mjs').Seen} Seen
 * @typedef {{ seen: Seen[], noted: string, problems: string[] }} Outcome
 */

const STREAMS = 5_000;
const PER_SECOND = 500;
/** A stream has a file for its client and one for its provider. */
const NEEDED_FILES = 2 * STREAMS + 1_000;
const DEFAULT_RUNNING = 1_000;
const DEFAULT_PER_PROVIDER = 800;
const PROBES = 50;
const OPEN_SECONDS = 60;
/** While it holds the streams open, the provider sends less often than the limit of the other faults allows. */
const PATIENT = { UPSTREAM_IDLE_SECONDS: '60' };

function findFileLimit() {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}

/** @returns {string | undefined} */
export const streamsNeed =
  findFileLimit() >= NEEDED_FILES
    ? undefined
    : `Linux, and ${NEEDED_FILES} open files for each process (ulimit -n)`;

/** Each opens its own streams instead of the steady load. */
export const OVERLOADS = {
  'open-streams': { title: `${STREAMS} open streams, with limits that allow them`, run: openAllowed },
  'open-streams-refused': { title: `${STREAMS} streams, with the default limits`, run: openBeyondLimits },
};

/** @param {World} world @returns {Promise<Outcome>} */
async function openAllowed(world) {
  const limit = String(STREAMS + DEFAULT_RUNNING);
  await world.restart(0, {
    ...PATIENT,
    LIMIT_RUNNING_PER_PROCESS: limit,
    LIMIT_RUNNING_PER_PROVIDER: limit,
    LIMIT_RUNNING_PER_USER: limit,
  });
  const { seen, probes, grownMb, accepted } = await openStreams(world);
  const slowestMs = Math.max(...probes.map((one) => one.endedMs - one.sentMs));
  return {
    seen,
    noted: `${((grownMb * 1024) / STREAMS).toFixed(0)} kB of memory per open stream; a request while they are open took at most ${slowestMs.toFixed(0)} ms`,
    problems: [
      ...(accepted === STREAMS ? [] : [`only ${accepted} of ${STREAMS} streams were open at once`]),
      ...notOk('streams', seen),
      ...notOk('requests while they were open', probes),
    ],
  };
}

/** @param {World} world @returns {Promise<Outcome>} */
async function openBeyondLimits(world) {
  await world.restart(0, {
    ...PATIENT,
    LIMIT_RUNNING_PER_PROCESS: String(DEFAULT_RUNNING),
    LIMIT_RUNNING_PER_PROVIDER: String(DEFAULT_PER_PROVIDER),
  });
  const { seen, accepted } = await openStreams(world);
  const afterwards = await probe(world);
  const refused = seen.filter((one) => one.outcome === 'busy' && one.status === 503);
  return {
    seen,
    noted: `${accepted} streams open, ${refused.length} refused with 503 and Retry-After; the next ${PROBES} requests all succeeded`,
    problems: [
      ...(accepted === DEFAULT_PER_PROVIDER ? [] : [`${accepted} streams were open`]),
      ...notOk(
        'streams',
        seen.filter((one) => !refused.includes(one)),
      ),
      ...notOk('requests afterwards', afterwards),
    ],
  };
}

/** Opens the streams, sends requests next to them, and lets them end. @param {World} world */
async function openStreams(world) {
  const { origin, pid = 0 } = world.instance(0);
  await probe(world);
  const beforeMb = readMemoryMb([pid]);
  await world.setUpstream('holds open');
  const agent = new Agent({ keepAlive: false });
  let answered = 0;
  let accepted = 0;
  /** @type {Promise<Seen>[]} */
  const streams = [];
  const onHeaders = (/** @type {number} */ status) => {
    answered += 1;
    if (status === 200) accepted += 1;
  };
  const beganMs = performance.now();
  while (streams.length < STREAMS) {
    const due = Math.min(STREAMS, ((performance.now() - beganMs) / 1_000) * PER_SECOND);
    while (streams.length < due) {
      const key = world.keys[streams.length % world.keys.length] ?? '';
      streams.push(sendOne(`${origin}/v1/chat/completions`, { agent, key, isStream: true, onHeaders }));
    }
    await sleep(10);
  }
  for (let waited = 0; answered < STREAMS && waited < OPEN_SECONDS * 10; waited += 1) await sleep(100);
  const probes = accepted === STREAMS ? await probe(world) : [];
  const grownMb = readMemoryMb([pid]) - beforeMb;
  await world.setUpstream('works');
  return { seen: await Promise.all(streams), probes, grownMb, accepted };
}

/** Requests without a stream, one after the other. @param {World} world */
async function probe(world) {
  const agent = new Agent({ keepAlive: true });
  const seen = [];
  for (let n = 0; n < PROBES; n += 1)
    seen.push(
      await sendOne(`${world.instance(0).origin}/v1/chat/completions`, {
        agent,
        key: world.keys[n % world.keys.length] ?? '',
        isStream: false,
      }),
    );
  agent.destroy();
  return seen;
}

/** @param {string} what @param {Seen[]} seen */
function notOk(what, seen) {
  const failed = seen.filter((one) => one.outcome !== 'ok');
  return failed.length === 0 ? [] : [`${failed.length} ${what} ended with ${failed[0]?.outcome}`];
}
