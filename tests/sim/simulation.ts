import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { closeDatabase, pool } from '@/server/base/db';
import { auditRecent } from '@/server/ledger/audit';
import { migrate } from '@/server/process/migrate';
import { randomFrom } from '../harness/random';
import { openWallets, runClient } from './clients';
import { BreakableDatabase } from './database';
import { Instance } from './instances';
import { NO_PAUSES } from './ledger-walk';
import {
  controlProcessor,
  openProcessor,
  type Payments,
  PROCESSOR_KEY,
  PROCESSOR_WEBHOOK_SECRET,
  startPayments,
} from './payments';
import { Tally } from './tally';
import { findNegative, judge, resolveAbandoned } from './verdict';

/**
 * Two server processes on one PostgreSQL, clients that share wallets, and faults. The seed determines what
 * every client does and when what breaks, but not how the processes interleave.
 */

const WALLETS = 4;
const CLIENTS = 10;
const CHECK_INTERVAL_MS = 1_000;
/** Longer than the database may take for a statement. */
const LONGEST_STALL_MS = 6_500;

export type SimulationOptions = {
  seed: number;
  seconds: number;
  /** Ends the simulation early. */
  signal?: AbortSignal;
};
export type SimulationReport = { tally: Tally; abandoned: number };

/** When this ends, for any reason, no process is left running. */
export async function simulate({ seed, seconds, signal }: SimulationOptions): Promise<SimulationReport> {
  const random = randomFrom(seed);
  const dataDir = path.resolve(`.data/sim-${process.pid}`);
  mkdirSync(dataDir, { recursive: true });
  const world = new World(dataDir, random);
  try {
    return await unlessAborted(signal, runAndJudge(world, seconds));
  } finally {
    await world.close();
  }
}

async function runAndJudge(world: World, seconds: number): Promise<SimulationReport> {
  await world.open();
  await world.run(seconds * 1_000);
  return { tally: world.tally, ...(await judge(world.tally)) };
}

function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
  return Promise.race([work, aborted]);
}

class World {
  readonly tally = new Tally();
  private readonly database: BreakableDatabase;
  private payments: Payments | undefined;
  private instances: Instance[] = [];

  constructor(
    private readonly dataDir: string,
    private readonly random: () => number,
  ) {
    this.database = new BreakableDatabase(dataDir);
  }

  private readonly addresses = (): string[] => this.instances.map(({ url }) => url);

  async open(): Promise<void> {
    const { url } = await this.database.start();
    await migrate(url);
    this.payments = await startPayments(this.random, this.tally, this.addresses);
    const environment = {
      NODE_ENV: 'production' as const,
      LOG_LEVEL: 'silent',
      AUTH_SECRET: randomBytes(32).toString('hex'),
      // sandbox/big-usage costs more than its hold, on purpose: nobody is paused for it here.
      ...NO_PAUSES,
      DATABASE_URL: url,
      STRIPE_API_BASE: this.payments.url,
      STRIPE_SECRET_KEY: PROCESSOR_KEY,
      STRIPE_WEBHOOK_SECRET: PROCESSOR_WEBHOOK_SECRET,
    };
    // The library's own code runs here as well: it prepares, saves allowances and checks the result.
    Object.assign(process.env, environment);
    for (const name of ['one', 'two'])
      this.instances.push(await Instance.prepare(path.join(this.dataDir, name), environment));
    for (const instance of this.instances) await instance.run();
  }

  async run(durationMs: number): Promise<void> {
    const { random, tally, addresses } = this;
    const wallets = await openWallets(WALLETS);
    const processor = openProcessor(this.payments);
    const control = controlProcessor(this.payments);
    const stop = new AbortController();
    const clients = Array.from({ length: CLIENTS }, () =>
      runClient({ random: fork(random), tally, addresses, wallets, processor, control }, stop.signal),
    );
    const auditor = this.watch(stop.signal);
    try {
      await this.injectFaults(durationMs);
    } finally {
      // A client that continued would open connections in this process during the next simulation.
      stop.abort();
      await Promise.all([...clients, auditor]);
    }
    await this.payments?.finish();
    // Running instances finish their requests; the sweeper releases the holds of dead ones.
    await Promise.all(this.instances.map((instance) => instance.stop()));
  }

  /** At least one of each, then random ones. */
  private async injectFaults(durationMs: number): Promise<void> {
    const endAt = performance.now() + durationMs;
    const faults = [
      () => this.killInstance(0),
      () => this.restartPostgres(),
      () => this.stallPostgres(Math.min(durationMs / 8, LONGEST_STALL_MS)),
      () => this.killPostgres(),
      () => this.pauseInstance(0),
      () => this.killInstance(1),
    ];
    const gapMs = Math.min(durationMs / 9, 5_000);
    for (let n = 0; n < faults.length || performance.now() < endAt; n++) {
      await pause(gapMs * (0.5 + this.random()));
      await faults[n < faults.length ? n : Math.floor(this.random() * faults.length)]?.();
    }
  }

  private async killInstance(n: number): Promise<void> {
    this.tally.fault('kill -9 of an instance');
    await this.instances[n]?.kill();
    await this.instances[n]?.run();
  }

  /** For longer than its leases: whatever runs anywhere is settled as abandoned. Leases would expire after 90 seconds. */
  private async pauseInstance(n: number): Promise<void> {
    this.tally.fault('an instance is paused');
    this.instances[n]?.pause();
    // It may hold a lock, as another instance would find.
    await resolveAbandoned().catch(() => this.tally.operation('database away'));
    this.instances[n]?.resume();
  }

  private async restartPostgres(): Promise<void> {
    this.tally.fault('PostgreSQL restarted');
    await this.database.restart();
  }

  private async killPostgres(): Promise<void> {
    this.tally.fault('kill -9 of PostgreSQL');
    await this.database.kill();
  }

  private async stallPostgres(longestMs: number): Promise<void> {
    this.tally.fault('PostgreSQL stalls');
    await this.database.stall(this.random() * longestMs);
  }

  /** Runs the audit and checks every balance while everything runs. */
  private async watch(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await pause(CHECK_INTERVAL_MS);
      try {
        await auditRecent(2);
        await findNegative(this.tally);
        this.tally.operation('audit');
        const { rows } = await pool().query('SELECT 1 FROM hold WHERE kept');
        for (const _ of rows) this.tally.operation('a kept hold seen');
      } catch {
        this.tally.operation('database away');
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.instances.map((instance) => instance.finish()));
    await this.payments?.close();
    await this.database.close();
    await closeDatabase();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** A separate random source for every client, so that their order does not matter. */
function fork(random: () => number): () => number {
  return randomFrom(Math.floor(random() * 2 ** 32));
}
