import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { closeDatabase } from '@/server/base/db';
import { migrate } from '@/server/process/migrate';
import { BreakableDatabase } from './database';
import { NO_PAUSES, walkLedger } from './ledger-walk';
import { type Tally, total } from './tally';

const OPERATIONS_PER_FAULT = 20_000;
const OPERATIONS_PER_REPORT = 50_000;
const LONGEST_STALL_MS = 6_500;

export type LongWalkOptions = {
  seed: number;
  operations: number;
  mayOverrun: boolean;
  report: (text: string) => void;
  /** Ends the walk after the current round. */
  signal?: AbortSignal;
};

/** Runs the walk on a durable database of its own, which is restarted, killed and stalled meanwhile. */
export async function walkLong({
  seed,
  operations,
  mayOverrun,
  report,
  signal,
}: LongWalkOptions): Promise<Tally> {
  const dataDir = path.resolve(`.data/sim-${process.pid}`);
  mkdirSync(dataDir, { recursive: true });
  const database = new BreakableDatabase(dataDir);
  try {
    const { url } = await database.start();
    await migrate(url);
    Object.assign(process.env, {
      NODE_ENV: 'production',
      LOG_LEVEL: 'silent',
      DATABASE_URL: url,
      AUTH_SECRET: randomBytes(32).toString('hex'),
      ...NO_PAUSES,
    });
    const run = (random: () => number, tally: Tally) => breakDatabase(database, random, tally);
    let reported = 0;
    return await walkLedger({
      seed,
      operations,
      mayOverrun,
      breakDatabase: { everyOperations: OPERATIONS_PER_FAULT, run },
      onRound(tally) {
        signal?.throwIfAborted();
        const done = total(tally.operations);
        if (done < reported + OPERATIONS_PER_REPORT) return;
        reported = done;
        report(
          `${done} operations, ${tally.violations.length} violations ${tally.violations.slice(-3).join('; ')}`,
        );
      },
    });
  } finally {
    await closeDatabase();
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function breakDatabase(database: BreakableDatabase, random: () => number, tally: Tally): Promise<void> {
  const chance = random();
  if (chance < 0.4) {
    tally.fault('PostgreSQL restarted');
    await database.restart();
  } else if (chance < 0.8) {
    tally.fault('kill -9 of PostgreSQL');
    await database.kill();
  } else {
    tally.fault('PostgreSQL stalls');
    await database.stall(random() * LONGEST_STALL_MS);
  }
}
