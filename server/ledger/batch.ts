import pg from 'pg';
import { now } from '../clock';
import { wholeCredits } from '../credits';
import { LEDGER_CONNECTIONS, ledgerPool } from '../db';
import { settings } from '../env';
import { failedLedgerBatches, ledgerBatches } from '../measures';
import { noteNotWritten, noteWritten } from '../write-state';
import { ADMISSION_COLUMNS, type AdmissionRequest, type AdmissionRow } from './admission';
import { createBatcher } from './batcher';
import { minimumBalance } from './minimum-balance';
import { SETTLEMENT_COLUMNS, type Settlement, type SettlementRow } from './settlement';

/**
 * Admissions and settlements share one statement, one round trip and one commit. A batch contains all that
 * are waiting, of either kind.
 */

export const LEASE_SECONDS = 90;

type Work = { admit: AdmissionRequest } | { settle: Settlement };
type Row = (AdmissionRow | SettlementRow) & { n: number };

const batcher = createBatcher<Work, Row | null>({
  run: runBatch,
  mayBeOfOneItem: isOfStatement,
  lanes: LEDGER_CONNECTIONS,
  // At most one settlement per user and one admission per key are in flight. Admissions to kept holds only read.
  keyOf: (work) =>
    'settle' in work
      ? work.settle.userId
      : work.admit.holdId !== undefined
        ? work.admit.requestId
        : work.admit.keyHash.toString('latin1'),
});

export const submitAdmission = (request: AdmissionRequest): Promise<AdmissionRow | null> =>
  batcher.submit({ admit: request }) as Promise<AdmissionRow | null>;

export const submitSettlement = (settlement: Settlement): Promise<SettlementRow | null> =>
  batcher.submit({ settle: settlement }) as Promise<SettlementRow | null>;

/** Admissions and settlements that are not committed yet. */
export const pendingWork = (): number => batcher.pending();

/**
 * Whether PostgreSQL rejected the statement. Without a connection, every part of the batch would fail too.
 */
function isOfStatement(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(53|57P)/.test(error.code ?? '');
}

async function runBatch(work: Work[]): Promise<(Row | null)[]> {
  const settlements = work.filter((item) => 'settle' in item);
  const admissions = work.filter((item) => 'admit' in item);
  const rows = await write(
    settlements.map(({ settle }) => settle),
    admissions.map(({ admit }) => admit),
  );
  const rowOf = new Map<Work, Row>();
  const items = [...settlements, ...admissions];
  for (const row of rows) rowOf.set(items[row.n - 1] as Work, row);
  return work.map((item) => rowOf.get(item) ?? null);
}

async function write(settlements: Settlement[], admissions: AdmissionRequest[]): Promise<Row[]> {
  const beganAtMs = now();
  try {
    const { rows } = await ledgerPool().query<Row>(writeBatch(settlements, admissions));
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

const COLUMNS = SETTLEMENT_COLUMNS.length + ADMISSION_COLUMNS.length;
const FURTHER = ['minimum', 'maximum running', 'lease', 'user overrun', 'app overrun'].length;
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
  } = settings();
  return {
    name: 'ledger_batch',
    text: TEXT,
    values: [
      ...SETTLEMENT_COLUMNS.map((column) => settlements.map(column)),
      ...ADMISSION_COLUMNS.map((column) => admissions.map(column)),
      minimumBalance(),
      LIMIT_RUNNING_PER_USER,
      `${LEASE_SECONDS} seconds`,
      wholeCredits(LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY),
      wholeCredits(LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY),
    ],
  };
}
