import { statfs } from 'node:fs/promises';
import { MINUTE_MS, now, SECOND_MS } from '../../base/clock';
import { ledgerPool } from '../../base/db';
import { instanceNumber } from '../../base/env';
import { jobSuccesses } from '../../base/measures';
import { askPrimary } from '../../base/primary';
import { acceptsWrites } from '../../base/write-state';

/**
 * Whether this instance can serve a paid request, and those that share its port: what load balancers ask before they
 * send any.
 */

type Check = 'running' | 'instances' | 'database' | 'writes' | 'migrations' | 'leases' | 'disk';
export type Readiness = Record<Check, boolean>;

/** Anyone may ask, so the database is asked once a second at most. */
const KEPT_MS = SECOND_MS;
const TIMEOUT_MS = 3 * SECOND_MS;
/** Other instances settle requests whose lease was not renewed for so long. */
const LEASE_MS = 1.5 * MINUTE_MS;
/** The embedded database needs room for its write-ahead log. */
export const LEAST_FREE_BYTES = 100 * 1024 * 1024;

type Instance = {
  /** Those of this release. */
  migrations: string[];
  /** Of the embedded database. */
  dataDir: string | null;
  leastFreeBytes?: number;
};

let instance: Instance = { migrations: [], dataDir: null };
let isStopping = false;
let asking: Promise<State | null> | undefined;

export function describeInstance(given: Instance): void {
  instance = given;
}

/** From now on the instance is not ready. */
export function noteStopping(): void {
  isStopping = true;
}

export async function checkReadiness(): Promise<Readiness> {
  return { ...(await checkAll()), running: !isStopping };
}

/** Of this instance alone. */
export const checkOwnReadiness = keep(async (): Promise<Readiness> => {
  const [database, disk] = await Promise.all([checkDatabase(), checkDisk(instance)]);
  return { running: true, instances: true, leases: renewsLeases(), ...database, disk };
});

/** The port gives a connection to any instance that listens, so each of them must be ready. */
const checkAll = keep(async (): Promise<Readiness> => {
  const all = await askPrimary<(Readiness | null)[]>('readiness');
  const own = await checkOwnReadiness();
  const answers = [own, ...(all ?? [])].filter((one) => one !== null);
  const passed = (Object.keys(own) as Check[]).map((check) => [check, answers.every((one) => one[check])]);
  const instances = all === undefined ? instanceNumber() === undefined : !all.includes(null);
  return { ...Object.fromEntries(passed), instances };
});

function keep(check: () => Promise<Readiness>): () => Promise<Readiness> {
  let latest: { atMs: number; readiness: Promise<Readiness> } | undefined;
  return () => {
    if (latest === undefined || now() - latest.atMs >= KEPT_MS) latest = { atMs: now(), readiness: check() };
    return latest.readiness;
  };
}

async function checkDatabase(): Promise<Pick<Readiness, 'database' | 'writes' | 'migrations'>> {
  let timeout: NodeJS.Timeout | undefined;
  const tooLate = new Promise<null>((resolve) => {
    timeout = setTimeout(resolve, TIMEOUT_MS, null);
  });
  // One query at a time: several that hang would take the connections of paid requests.
  asking ??= readState()
    .catch(() => null)
    .finally(() => {
      asking = undefined;
    });
  const state = await Promise.race([asking, tooLate]);
  clearTimeout(timeout);
  if (state === null) return { database: false, writes: false, migrations: false };
  return { database: true, writes: !state.isReadOnly && acceptsWrites(), migrations: state.isMigrated };
}

type State = { isReadOnly: boolean; isMigrated: boolean };

/** On a connection of the ledger, because paid requests need those. */
async function readState(): Promise<State | null> {
  const { rows } = await ledgerPool().query<State>(
    `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "isReadOnly",
            NOT EXISTS (SELECT FROM unnest($1::text[]) AS needed (name) WHERE name NOT IN
              (SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL)) AS "isMigrated"`,
    [instance.migrations],
  );
  return rows[0] ?? null;
}

function renewsLeases(): boolean {
  const renewedAtMs = jobSuccesses.get('leases');
  return renewedAtMs === undefined || now() - renewedAtMs < LEASE_MS;
}

async function checkDisk({ dataDir, leastFreeBytes = LEAST_FREE_BYTES }: Instance): Promise<boolean> {
  if (dataDir === null) return true;
  const { bavail, bsize } = await statfs(dataDir);
  return bavail * bsize >= leastFreeBytes;
}
