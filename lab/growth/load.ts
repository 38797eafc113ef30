import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { now } from '../../server/base/clock';
import type { Charge, Microcredits, Picocredits } from '../../server/base/credits';
import { openLedgerPool } from '../../server/base/db';
import { newId } from '../../server/base/ids';
import { openBatches } from '../../server/ledger/batch';

/** Admits and settles requests through the ledger's own batches, in a given database. */

const COST = 4_000n as Microcredits;
const CHARGE = 5_000n as Microcredits;
const RECEIPT = {
  inputTokens: 120,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 40,
  reasoningTokens: 0,
  webSearches: null,
  inputUnits: null,
  outputUnits: null,
  estimated: false,
  costReported: true,
  outcome: 'completed',
  attempts: null,
  dataRules: null,
} as const;
/** Linux reports CPU time in hundredths of a second. */
const TICK_MS = 10;

export type Load = { run(lanes: number, seconds: number): Promise<Figures>; close(): Promise<void> };
export type Figures = { requests: number; msPerRequest: number; cpuMsPerRequest: number };

export async function openLoad(url: string, keys: number): Promise<Load> {
  const pool = openLedgerPool(url);
  const batches = openBatches((batch) => pool.query(batch));
  const { rows: prices } = await pool.query<{ model_id: string; version: string }>(
    "SELECT model_id, version FROM model_price WHERE model_id LIKE 'openai/%' ORDER BY version LIMIT 1",
  );
  const [price] = prices;
  if (price === undefined) throw new Error('no price');
  const receipt = { ...RECEIPT, model: price.model_id, provider: 'openai', priceVersion: price.version };
  let turn = 0;

  async function request(): Promise<void> {
    const key = turn++ % keys;
    const requestId = newId('req');
    const row = await batches.submitAdmission({
      keyHash: createHash('sha256').update(`key${key}`).digest(),
      requestId,
      model: price?.model_id ?? '',
      need: 1n as Picocredits,
      want: 8_000_000_000n as Picocredits,
      clientIp: '127.0.0.1',
    });
    if (row?.outcome !== 'held') throw new Error(`an unexpected outcome: ${row?.outcome}`);
    const charge = { providerCost: COST, charge: CHARGE } as unknown as Charge;
    await batches.submitSettlement({ userId: row.user_id, requestId, charge, receipt });
  }

  async function lane(endMs: number): Promise<number> {
    let requests = 0;
    for (; now() < endMs; requests++) await request();
    return requests;
  }

  return {
    async run(lanes, seconds) {
      const cpuBefore = await readCpuMs(pool);
      const beganMs = now();
      const counts = await Promise.all(Array.from({ length: lanes }, () => lane(beganMs + seconds * 1_000)));
      const requests = counts.reduce((a, b) => a + b);
      return {
        requests,
        msPerRequest: (now() - beganMs) / requests,
        cpuMsPerRequest: ((await readCpuMs(pool)) - cpuBefore) / requests,
      };
    },
    close: () => pool.end(),
  };
}

/** Of the connections of the ledger, of which there are two at most. */
async function readCpuMs(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'svc ledger' AND datname = current_database()",
  );
  return rows.reduce((sum, { pid }) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }, 0);
}
