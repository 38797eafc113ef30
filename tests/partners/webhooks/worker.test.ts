import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { now } from '@/server/base/clock';
import { pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { seal } from '@/server/base/seal';
import { startDeliveryWorker } from '@/server/partners/webhooks/worker';
import { newDatabase } from '../../harness';
import { bundleProgram } from '../../harness/programs';
import {
  allowLoopback,
  endLeases,
  newListeningPartner,
  readDelivery,
  recordTest,
  takeDue,
} from './hook-world';
import { type Responder, startReceiver } from './receiver';

await newDatabase();
allowLoopback();

const bundle = bundleProgram('tests/partners/webhooks/worker-process.ts');
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A real process on the same database; resolves when it has printed its first line. */
async function startProcess(...words: string[]) {
  const child = spawn(process.execPath, [bundle, ...words], {
    env: process.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const ended = once(child, 'exit');
  const lines: string[] = [];
  child.stdout.on('data', (text: Buffer) => lines.push(...text.toString().trim().split('\n')));
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  return {
    lines,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Delivers in this process while the function runs. */
async function withWorker<T>(work: () => Promise<T>): Promise<T> {
  const stop = startDeliveryWorker();
  try {
    return await work();
  } finally {
    await stop();
  }
}

const untilDelivered = (eventId: string) =>
  expect
    .poll(async () => (await readDelivery(eventId)).status, { timeout: 10_000, interval: 50 })
    .toBe('delivered');

/** Responds when released, and counts how many requests of a kind were open in parallel. */
function holdResponses(keyOf: (path: string, id: string) => string) {
  const open = new Map<string, number>();
  const maximum = new Map<string, number>();
  const held: (() => void)[] = [];
  let isHolding = true;
  let maxParallel = 0;
  const openNow = () => [...open.values()].reduce((sum, count) => sum + count, 0);
  const responder: Responder = (response, { path: requestPath, id }) => {
    const key = keyOf(requestPath, id);
    open.set(key, (open.get(key) ?? 0) + 1);
    maximum.set(key, Math.max(maximum.get(key) ?? 0, open.get(key) ?? 0));
    maxParallel = Math.max(maxParallel, openNow());
    response.on('close', () => open.set(key, (open.get(key) ?? 1) - 1));
    if (isHolding) held.push(() => response.end());
    else response.end();
  };
  return {
    answer: responder,
    most: maximum,
    openNow,
    maxParallel: () => maxParallel,
    release: () => {
      isHolding = false;
      for (const end of held.splice(0)) end();
    },
  };
}

describe('a process that is killed', () => {
  it('between claim and send: another one delivers, once', async () => {
    const receiver = await startReceiver();
    const { id } = await newListeningPartner(receiver.url);
    const eventId = await recordTest(id);
    const dying = await startProcess('claim');
    expect(dying.lines).toEqual(['claimed 1']);
    await dying.kill();
    expect(await takeDue()).toEqual([]);
    await endLeases();
    await withWorker(() => untilDelivered(eventId));
    expect(receiver.received).toHaveLength(1);
    expect(await readDelivery(eventId)).toMatchObject({ attempts: 1, sends: 2 });
  });

  it('while it sends: another one delivers, and two attempts never run in parallel', async () => {
    const held = holdResponses((_path, id) => id);
    const receiver = await startReceiver(held.answer);
    const { id } = await newListeningPartner(receiver.url);
    const eventId = await recordTest(id);
    const dying = await startProcess();
    await expect.poll(() => receiver.received.length).toBe(1);
    expect(await takeDue()).toEqual([]);
    await dying.kill();
    expect(await takeDue()).toEqual([]);
    await expect.poll(held.openNow).toBe(0);
    held.release();
    await endLeases();
    await withWorker(() => untilDelivered(eventId));
    expect(receiver.received).toHaveLength(2);
    expect(held.most.get(eventId)).toBe(1);
  });

  it('between the response and the record: it is delivered again, since the guarantee is at least once', async () => {
    const receiver = await startReceiver();
    const { id } = await newListeningPartner(receiver.url);
    const eventId = await recordTest(id);
    const blocker = await pool().connect();
    receiver.respondWith(async (response) => {
      // The row is locked before the response, so the record has to wait for the test.
      await blocker.query('BEGIN');
      await blocker.query('SELECT 1 FROM delivery WHERE event_id = $1 FOR UPDATE', [eventId]);
      response.end();
    });
    const dying = await startProcess();
    await expect.poll(findWaitingRecord, { interval: 50 }).toBeDefined();
    await dying.kill();
    // The last statement of the dead process never reaches the table.
    await pool().query('SELECT pg_terminate_backend($1)', [await findWaitingRecord()]);
    await blocker.query('ROLLBACK');
    blocker.release();
    receiver.respondWith(200);
    await endLeases();
    await withWorker(() => untilDelivered(eventId));
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[0]?.body).toBe(receiver.received[1]?.body);
  });
});

async function findWaitingRecord(): Promise<number | undefined> {
  const { rows } = await pool().query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INSERT INTO delivery_attempt%'`,
  );
  return rows[0]?.pid;
}

describe('a process that is stopped', () => {
  it('finishes running attempts, records them, and starts no others', async () => {
    const held = holdResponses((requestPath) => requestPath);
    const receiver = await startReceiver(held.answer);
    const { id } = await newListeningPartner(receiver.url);
    const eventId = await recordTest(id);
    const worker = await startProcess();
    await expect.poll(() => receiver.received.length).toBe(1);
    const stopped = worker.stop();
    await expect.poll(() => worker.lines.at(-1)).toBe('stopping');
    const late = await recordTest(id);
    held.release();
    await stopped;
    expect(worker.lines).toEqual(['ready', 'stopping', 'stopped']);
    expect(await readDelivery(eventId)).toMatchObject({ status: 'delivered', leaseToken: null });
    expect(await readDelivery(late)).toMatchObject({ status: 'pending', attempts: 0 });
  });
});

describe('capacity', () => {
  it('is 4 at a time for an endpoint and 64 for a process, and everything arrives once', async () => {
    const held = holdResponses((requestPath) => requestPath);
    const receiver = await startReceiver(held.answer);
    const events: string[] = [];
    for (let n = 0; n < 18; n++) {
      const { id } = await newListeningPartner(receiver.url.replace('/hook', `/hook-${n}`));
      for (let k = 0; k < 5; k++) events.push(await recordTest(id));
    }
    await withWorker(async () => {
      await expect.poll(held.openNow).toBe(64);
      held.release();
      await expect.poll(countPending).toBe(0);
    });
    expect(held.maxParallel()).toBe(64);
    expect(Math.max(...held.most.values())).toBe(4);
    expect(receiver.received.map(({ id }) => id).sort()).toEqual([...events].sort());
  });

  it('is shared by two processes: each adds its own, and no event is sent by both', async () => {
    const held = holdResponses((requestPath) => requestPath);
    const receiver = await startReceiver(held.answer);
    const { id } = await newListeningPartner(receiver.url);
    const events: string[] = [];
    for (let n = 0; n < 24; n++) events.push(await recordTest(id));
    const workers = await Promise.all([startProcess(), startProcess()]);
    await expect.poll(held.openNow).toBe(8);
    held.release();
    await expect.poll(countPending).toBe(0);
    await Promise.all(workers.map((worker) => worker.stop()));
    expect(receiver.received.map((received) => received.id).sort()).toEqual([...events].sort());
    expect(Math.max(...held.most.values())).toBeLessThanOrEqual(8);
  });
});

const countPending = () => prisma().delivery.count({ where: { status: 'pending' } });

// A measurement of time: other load on the machine may spoil one, not three.
it('10,000 events for a dead endpoint do not delay the first attempt of another beyond 300 ms', {
  retry: 2,
  timeout: 40_000,
}, async () => {
  let attempts = 0;
  const dead = createServer(() => attempts++).listen(0, '127.0.0.1');
  afterAll(() => dead.close());
  await once(dead, 'listening');
  const { port } = dead.address() as AddressInfo;
  await queueMany((await newListeningPartner(`http://127.0.0.1:${port}/`)).id, 10_000);

  const arrivals = new Map<string, number>();
  const receiver = await startReceiver((response, { id }) => {
    arrivals.set(id, performance.now());
    response.end();
  });
  const { id: healthy } = await newListeningPartner(receiver.url);
  const waits: number[] = [];
  await withWorker(async () => {
    await expect.poll(() => attempts).toBe(4);
    for (let round = 0; round < 25; round++) {
      const recorded = await Promise.all(
        [1, 2, 3, 4].map(async () => ({ id: await recordTest(healthy), at: performance.now() })),
      );
      await expect
        .poll(() => recorded.every(({ id }) => arrivals.has(id)), { interval: 5, timeout: 5_000 })
        .toBe(true);
      waits.push(...recorded.map(({ id, at }) => (arrivals.get(id) ?? Number.NaN) - at));
    }
  });
  waits.sort((a, b) => a - b);
  const [median = 0, p99 = 0] = [waits[50], waits[98]];
  console.info(
    `first attempts next to a dead endpoint: median ${median.toFixed()} ms, p99 ${p99.toFixed()} ms`,
  );
  expect(p99).toBeLessThan(300);
});

async function queueMany(partnerId: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newId('evt'));
  const bodies = ids.map((id) => Buffer.from(seal(JSON.stringify({ id, type: 'test', data: {} }), id)));
  const dueAt = new Date(now() - 1_000);
  await pool().query(
    `WITH queued AS (
       INSERT INTO event (id, partner_id, type, cause_id, body, created_at)
       SELECT id, $1, 'test', id, body, $4 FROM unnest($2::text[], $3::bytea[]) AS e(id, body) RETURNING id
     )
     INSERT INTO delivery (event_id, partner_id, due_at, created_at) SELECT id, $1, $4, $4 FROM queued`,
    [partnerId, ids, bodies, dueAt],
  );
}
