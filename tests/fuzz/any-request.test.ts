import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPages, bundleServer } from '../../scripts/steps.mjs';
import { newDatabase } from '../harness';
import { inLanes } from '../harness/in-lanes';
import { chooseSeed } from '../harness/random';
import { anyCase, type Case } from './cases';
import { describe, findFaults, send, takeLogFaults } from './judge';
import { openWorld, signInEveryone, type World } from './world';

/**
 * Generated and mutated requests to every operation of the API, every server action, every route of
 * the checkout and every page of a real server. `npm --prefix lab run fuzz` sends more of them.
 */

const CASES = Number(process.env.FUZZ_CASES ?? 600);
const SEED = chooseSeed('FUZZ_SEED');
/** A batch is generated from its own seed, and the log is read after each. */
const BATCH = 300;
const LANES = 6;
/** Faults enough to work on. */
const ENOUGH = 40;

const { url: databaseUrl } = await newDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'fuzz-'));
let world: World;

beforeAll(async () => {
  await buildPages();
  await bundleServer();
  world = await openWorld(databaseUrl, folder);
}, 300_000);

afterAll(async () => {
  await world?.server.stop();
  rmSync(folder, { recursive: true });
});

/** Counts of a run: how often each target was called, and how often it accepted the call. */
const targets = new Map<string, { sent: number; accepted: number }>();

const countReached = (): number => [...targets.values()].filter(({ accepted }) => accepted > 0).length;

/** Whether more than a third of the targets accepted a request. Of the others, only the checks were tested. */
const reachesEnough = (): boolean => countReached() > targets.size / 3;

async function judge(sent: Case): Promise<string[]> {
  const count = targets.get(sent.target) ?? { sent: 0, accepted: 0 };
  targets.set(sent.target, count);
  count.sent += 1;
  try {
    const answer = await send(world, sent);
    const isAccepted = sent.target.startsWith('action') ? /"ok":true/.test(answer.text) : answer.status < 300;
    if (isAccepted) count.accepted += 1;
    const id = String(answer.headers['x-request-id']);
    return findFaults(world, sent, answer).map((fault) => `${fault}\n  ${id}\n  ${describe(sent)}`);
  } catch (error) {
    return [`${error}\n  ${describe(sent)}`];
  }
}

async function runBatch(seed: number, size: number): Promise<string[]> {
  world.tokens = await signInEveryone();
  const cases = fc.sample(anyCase(world), { seed, numRuns: size });
  const faults: string[] = [];
  let next = 0;
  await inLanes({ lanes: LANES, times: size }, async () => {
    const sent = cases[next++];
    if (sent) faults.push(...(await judge(sent)));
  });
  const logged = world.server.log.split('\n');
  const explained = faults.map((fault) => {
    const id = /^ {2}(req_\w+)$/m.exec(fault)?.[1];
    return [fault, ...(id ? logged.filter((line) => line.includes(id)) : [])].join('\n  ');
  });
  return [...explained, ...takeLogFaults(world)].map((fault) => `seed ${seed}: ${fault}`);
}

test(
  `no request out of ${CASES} gets a 5xx, hangs, or reads a secret @attack`,
  async () => {
    console.info(`FUZZ_SEED=${SEED} FUZZ_CASES=${CASES}`);
    const faults: string[] = [];
    const begunAt = performance.now();
    // Chance decides which requests are valid. If too few are, up to as many again are sent.
    const needsMore = (done: number) => done < CASES || (done < 2 * CASES && !reachesEnough());
    for (let done = 0; needsMore(done) && faults.length < ENOUGH; done += BATCH) {
      const size = done < CASES ? Math.min(BATCH, CASES - done) : BATCH;
      faults.push(...(await runBatch(SEED + done / BATCH, size)));
      const seconds = Math.round((performance.now() - begunAt) / 1_000);
      if (CASES > 2_000)
        console.info(`${done + BATCH} of ${CASES} after ${seconds} s, ${faults.length} faults`);
    }
    console.info(`${targets.size} targets, ${countReached()} of them accepted a request`);
    if (CASES > 2_000) console.info(inspectTargets());
    expect(faults).toEqual([]);
    expect(reachesEnough(), `${countReached()} of ${targets.size} targets accepted a request`).toBe(true);
  },
  60_000 + CASES * 100,
);

test('a 5xx, a secret in a response or in the log, and an undocumented response are noticed @attack', () => {
  const { server, bystander, secrets, unlogged } = world;
  const sent = { method: 'GET', path: '/v1/models', headers: {}, body: null };
  const operation = { path: '/v1/models', method: 'get' };
  const find = (status: number, text: string, type = 'application/json') =>
    findFaults(
      world,
      { ...sent, target: 'GET /v1/models', operation },
      { status, headers: { 'content-type': type }, text },
    );
  const error = JSON.stringify({ error: { message: '', type: 'not_found', param: null, code: '404' } });
  expect(find(500, '', 'text/html')).toContain('status 500');
  expect(find(200, JSON.stringify(bystander.userKey))).toContain(
    `the response contains ${bystander.userKey}`,
  );
  expect(find(404, error)).toEqual([expect.stringContaining('undocumented status 404')]);
  expect(find(404, '{}')).toEqual([expect.stringContaining('not the documented error')]);
  expect(find(200, '{}').length).toBeGreaterThan(0);
  takeLogFaults(world);
  server.log += `{"level":30,"a":"${secrets[0]}"}\n{"level":50}\n{"level":30,"b":"${unlogged[0]}"}\n`;
  expect(takeLogFaults(world).length).toBe(3);
});

/** The targets that accepted nothing: what lies behind their checks was not reached. */
const inspectTargets = (): string =>
  [...targets]
    .filter(([, { accepted }]) => accepted === 0)
    .map(([target, { sent }]) => `accepted none of ${sent}: ${target}`)
    .join('\n');
