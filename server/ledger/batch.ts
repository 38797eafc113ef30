import pg from 'pg';
import { now } from '../base/clock';
import { wholeCredits } from '../base/credits';
import { LEDGER_CONNECTIONS, ledgerPool } from '../base/db';
import { settings } from '../base/env';
import { failedLedgerBatches, ledgerBatches } from '../base/measures';
import { noteNotWritten, noteWritten } from '../base/write-state';
import { ADMISSION_COLUMNS, type AdmissionRequest, type AdmissionRow } from './admission';
import { createBatcher } from './batcher';
import { minimumBalance } from './minimum-balance';
import { isPlain, SETTLEMENT_COLUMNS, type Settlement, type SettlementRow } from './settlement';

/**
 * Admissions and settlements share one statement, one round trip and one commit. A batch contains all that
 * are waiting, of either kind.
 */

export const LEASE_SECONDS = 90;

type Work = { admit: AdmissionRequest } | { settle: Settlement };
type Row = (AdmissionRow | SettlementRow) & { n: number };

/** Runs a batch in a database. */
type Run = (batch: pg.QueryConfig) => Promise<{ rows: Row[] }>;

/** The batches of one database. */
export function openBatches(run: Run) {
  const batcher = createBatcher<Work, Row | null>({
    run: (work) => runBatch(work, run),
    mayBeOfOneItem: isOfStatement,
    lanes: LEDGER_CONNECTIONS,
    // The settlements of a user, and the admissions of a key, follow each other. Admissions to kept holds only read.
    keyOf: (work) =>
      'settle' in work
        ? work.settle.userId
        : work.admit.holdId !== undefined
          ? work.admit.requestId
          : work.admit.keyHash.toString('latin1'),
    // Others lock rows of partners, in one order for the whole batch.
    mayFollow: (work) => 'settle' in work && isPlain(work.settle),
  });
  return {
    submitAdmission: (request: AdmissionRequest): Promise<AdmissionRow | null> =>
      batcher.submit({ admit: request }) as Promise<AdmissionRow | null>,
    submitSettlement: (settlement: Settlement): Promise<SettlementRow | null> =>
      batcher.submit({ settle: settlement }) as Promise<SettlementRow | null>,
    /** Admissions and settlements that are not committed yet. */
    pendingWork: (): number => batcher.pending(),
  };
}

export const { submitAdmission, submitSettlement, pendingWork } = openBatches((batch) =>
  ledgerPool().query<Row>(batch),
);

/**
 * Whether PostgreSQL rejected the statement. Without a connection, every part of the batch would fail too.
 */
function isOfStatement(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(53|57P)/.test(error.code ?? '');
}

async function runBatch(work: Work[], run: Run): Promise<(Row | null)[]> {
  const settlements = work.filter((item) => 'settle' in item);
  const admissions = work.filter((item) => 'admit' in item);
  const batch = writeBatch(
    settlements.map(({ settle }) => settle),
    admissions.map(({ admit }) => admit),
  );
  const rowOf = new Map<Work, Row>();
  const items = [...settlements, ...admissions];
  for (const row of await write(batch, run)) rowOf.set(items[row.n - 1] as Work, row);
  return work.map((item) => rowOf.get(item) ?? null);
}

async function write(batch: pg.QueryConfig, run: Run): Promise<Row[]> {
  const beganAtMs = now();
  try {
    const { rows } = await run(batch);
    ledgerBatches.add('', now() - beganAtMs);
    noteWritten();
    return rows;
  } catch (error) {
    const { code } = error as { code?: string };
    failedLedgerBatches.add(code ?? 'none');
    noteNotWritten(code);
    throw error;
  }
}

const COLUMNS = 1 + SETTLEMENT_COLUMNS.length + ADMISSION_COLUMNS.length;
const FURTHER = ['minimum', 'maximum running', 'lease', 'user overrun', 'app overrun', 'data rules'].length;
const TEXT = `SELECT * FROM ledger_batch(${Array.from({ length: COLUMNS + FURTHER }, (_, n) => `$${n + 1}`)})`;

/**
 * Builds the statement that settles and admits. Its rows refer to the input by number from 1, settlements
 * first.
 */
export function writeBatch(settlements: Settlement[], admissions: AdmissionRequest[]): pg.QueryConfig {
  const {
    LIMIT_RUNNING_PER_USER,
    LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY,
    LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY,
    DATA_RULES,
  } = settings();
  return {
    name: 'ledger_batch',
    text: TEXT,
    values: [
      countTurns(settlements),
      ...SETTLEMENT_COLUMNS.map((column) => settlements.map(column)),
      ...ADMISSION_COLUMNS.map((column) => admissions.map(column)),
      minimumBalance(),
      LIMIT_RUNNING_PER_USER,
      `${LEASE_SECONDS} seconds`,
      wholeCredits(LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY),
      wholeCredits(LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY),
      DATA_RULES,
    ],
  };
}

/** Settles one hold within a transaction that does more. */
export async function settleIn(client: pg.PoolClient, settlement: Settlement): Promise<SettlementRow | null> {
  const { rows } = await client.query<SettlementRow>(writeBatch([settlement], []));
  return rows[0] ?? null;
}

/** Numbers the settlements of each user from 1. */
function countTurns(settlements: Settlement[]): number[] {
  const turns = new Map<string, number>();
  return settlements.map(({ userId }) => {
    const turn = (turns.get(userId) ?? 0) + 1;
    turns.set(userId, turn);
    return turn;
  });
}
