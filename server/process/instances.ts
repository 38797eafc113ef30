import cluster, { type Worker } from 'node:cluster';
import { totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import type { MetricObject } from 'prom-client';
import { Channel } from '../base/channel';
import { SECOND_MS } from '../base/clock';
import { settings } from '../base/env';
import { log } from '../base/log';
import { countAttempt } from '../base/rate-limit/attempts';
import { countTurns } from '../base/rate-limit/key-turns';
import { codeOf } from './data-dir';
import type { Lifetime } from './lifetime';
import { SummedMetrics } from './metrics/sum-instances';
import { StartError } from './start-error';

/**
 * Several instances behind one port. Their primary, this process, accepts the connections and gives each instance one
 * in turn. It keeps the embedded database and the sandboxes, counts what the instances share, and replaces those that
 * die. In all else they are independent instances on one database.
 */

/** After a failed start, and times the number of failures in a row. */
const PAUSE_MS = SECOND_MS;
/** Until then, the others serve alone. */
const MOST_FAILURES = 5;
const HEAP_SHARE = 0.5;
const MEGABYTE = 1024 * 1024;

type Instance = {
  worker: Worker;
  channel: Channel;
  /** Rejects if the instance ends before it serves. */
  ready: Promise<void>;
  /** Resolves to how it ended. */
  ended: Promise<string>;
};

const current = new Map<number, Instance>();
const serving = new Map<Worker, Channel>();
const metrics = new SummedMetrics<Worker>();

/** Returns when all of them serve. The first that cannot start ends all. */
export async function startInstances(life: Lifetime): Promise<void> {
  const { INSTANCES } = settings();
  cluster.setupPrimary({
    exec: fileURLToPath(import.meta.url),
    args: [],
    execArgv: [...process.execArgv, ...limitHeap(INSTANCES)],
  });
  life.onStop('instances', stopInstances, () => {
    for (const { worker } of current.values()) worker.process.kill('SIGKILL');
  });
  const starts = Array.from({ length: INSTANCES }, (_, i) => launch(i + 1).ready);
  await Promise.race([Promise.all(starts), life.whenStopRequested()]);
  life.goOn();
}

/** Replaces instances that die, until the service stops or one cannot start again and again. */
export async function keepInstances(life: Lifetime): Promise<void> {
  const kept = [...current.keys()].map((number) => keepInstance(number, life));
  await Promise.race([Promise.all(kept), life.whenStopRequested()]);
}

async function keepInstance(number: number, life: Lifetime): Promise<void> {
  for (let failures = 0; ; ) {
    const state = await current.get(number)?.ended;
    if (life.isStopping) return;
    log().error({ worker: number, state }, 'an instance ended, and another takes its place');
    await Promise.race([sleep(failures * PAUSE_MS), life.whenStopRequested()]);
    if (life.isStopping) return;
    try {
      await launch(number).ready;
      failures = 0;
    } catch (error) {
      if (++failures === MOST_FAILURES) throw error;
    }
  }
}

/** The connections that one instance may open are shared as well: those of several must fit into one server. */
function launch(number: number): Instance {
  const { INSTANCES, DATABASE_CONNECTIONS } = settings();
  const worker = cluster.fork({
    INSTANCES: '1',
    INSTANCE_NUMBER: number,
    DATABASE_CONNECTIONS: Math.floor(DATABASE_CONNECTIONS / INSTANCES),
  });
  closeUndelivered(worker);
  // Such as a message to one that is dying. Without a process there is no exit either.
  worker.on('error', (error) => {
    if (worker.process.pid === undefined) worker.emit('exit', codeOf(error), null);
  });
  const channel = new Channel(
    { send: (message) => void worker.send(message, () => {}), from: worker },
    (question, about) => ANSWERS[question]?.(about) ?? worker.emit(question, about),
  );
  const ended = new Promise<string>((resolve) =>
    worker.once('exit', (code, signal) => {
      serving.delete(worker);
      void metrics.end(worker);
      resolve(signal ?? `exit code ${code}`);
    }),
  );
  const ready = new Promise<void>((resolve, reject) => {
    worker.once('ready', resolve).once('failed', (reason: string) => reject(new StartError(reason)));
    void ended.then((state) =>
      reject(new StartError(`Instance ${number} ended before it was ready (${state}).`)),
    );
  });
  ready.then(
    () => serving.set(worker, channel),
    // Nobody waits for the others once one has failed.
    () => {},
  );
  const instance = { worker, channel, ready, ended };
  current.set(number, instance);
  return instance;
}

const ANSWERS: Readonly<Record<string, (about: never) => unknown>> = {
  attempt: ({ what, of, limit, perMs }: { what: string; of: string; limit: number; perMs: number }) =>
    countAttempt(what, of, limit, perMs),
  turns: countTurns,
  readiness: async () => (await askEveryone('readiness')).map(([, readiness]) => readiness ?? null),
  metrics: async () => metrics.sum(await askEveryone<MetricObject[]>('metrics')),
};

const askEveryone = <Answer>(question: string): Promise<[Worker, Answer | undefined][]> =>
  Promise.all(
    [...serving].map(async ([worker, channel]) => [worker, await channel.ask<Answer>(question)] as const),
  ) as Promise<[Worker, Answer | undefined][]>;

/** Each drains as it would alone. */
async function stopInstances(): Promise<void> {
  const served = new Set(serving.keys());
  const unclean = await Promise.all(
    [...current.values()].map(async ({ worker, channel, ended }) => {
      // One that starts may not listen to messages yet.
      if (served.has(worker)) void channel.ask('stop');
      else worker.process.kill('SIGTERM');
      const state = await ended;
      return served.has(worker) && state !== 'exit code 0' ? [state] : [];
    }),
  );
  if (unclean.flat().length > 0) throw new Error(`instances ended with ${unclean.flat().join(', ')}`);
}

/**
 * Node keeps a connection open here until its instance has accepted it. If the instance dies before, nobody else would
 * close it, and its client would wait forever.
 */
function closeUndelivered({ process: child }: Worker): void {
  let underway: { close?: () => void } | undefined;
  const send = child.send.bind(child) as (...given: unknown[]) => boolean;
  child.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
    if (typeof handle === 'object' && handle !== null) underway = handle;
    return send(message, handle, ...rest);
  };
  child.once('exit', () => underway?.close?.());
}

/** V8 lets one process use half of the memory, up to 4 GB. Several share that half, unless the operator has set a size. */
function limitHeap(instances: number): string[] {
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  const shareBytes = (memory * HEAP_SHARE) / instances;
  const isSet = /max[-_]old[-_]space[-_]size/.test(options);
  if (isSet || shareBytes >= getHeapStatistics().heap_size_limit) return [];
  return [`--max-old-space-size=${Math.floor(shareBytes / MEGABYTE)}`];
}
