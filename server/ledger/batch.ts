import { pool } from '../db';
import { settings } from '../env';
import { type AdmissionRequest, type AdmissionRow, writeAdmission } from './admission';
import { createBatcher } from './batcher';
import { minimumBalance } from './minimum-balance';
import { type Settlement, type SettlementRow, writeSettlement } from './settlement';

/**
 * Admissions and settlements share one statement, one round trip and one commit: whatever waits of
 * either kind goes together. Two lanes, so that one slow statement does not hold up the rest.
 */
export const LEASE_SECONDS = 90;

type Work = { admit: AdmissionRequest } | { settle: Settlement };
type Row = (AdmissionRow | SettlementRow) & { n: number };

const batcher = createBatcher<Work, Row | null>({
  run: runBatch,
  // Of a user at most one settlement, of a key at most one admission is in flight.
  keyOf: (work) => ('settle' in work ? work.settle.userId : work.admit.keyHash.toString('latin1')),
});

export const submitAdmission = (request: AdmissionRequest): Promise<AdmissionRow | null> =>
  batcher.submit({ admit: request }) as Promise<AdmissionRow | null>;

export const submitSettlement = (settlement: Settlement): Promise<SettlementRow | null> =>
  batcher.submit({ settle: settlement }) as Promise<SettlementRow | null>;

/** Work that has not landed yet. */
export const pendingWork = (): number => batcher.pending();

async function runBatch(work: Work[]): Promise<(Row | null)[]> {
  const settle: object[] = [];
  const admit: object[] = [];
  for (const [n, item] of work.entries()) {
    if ('settle' in item) settle.push(writeSettlement(item.settle, n));
    else admit.push(writeAdmission(item.admit, n));
  }
  const { rows } = await pool().query<Row>({
    name: 'ledger_batch',
    text: 'SELECT * FROM ledger_batch($1::json, $2::json, $3, $4, $5::interval)',
    values: [
      JSON.stringify(settle),
      JSON.stringify(admit),
      minimumBalance().toString(),
      settings().LIMIT_RUNNING_PER_USER,
      `${LEASE_SECONDS} seconds`,
    ],
  });
  const results: (Row | null)[] = work.map(() => null);
  for (const row of rows) results[row.n] = row;
  return results;
}
