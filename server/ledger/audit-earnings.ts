import type { PoolClient } from 'pg';
import { HOUR_MS, now } from '../base/clock';
import { checkEarnings, type EarningsCheck } from './check-earnings';
import type { Step } from './steps';

const BUDGET_MS = 500;
const HOURS = 24;

/** The hours that are left to check, and the check of the one in progress. */
type Pass = { hours: number[]; check: EarningsCheck };

/** A pass that one audit does not finish is continued by the next one of this instance. */
let pass: Pass | null = null;

/** Checks the earnings of the last hours, newest first. */
export async function auditRecentEarnings(step: Step): Promise<string[]> {
  const differences: string[] = [];
  for (let spentMs = 0, isOver = false; !isOver && spentMs < BUDGET_MS; )
    await step(async (client) => {
      const begunAt = now();
      const { hours, check } = pass ?? beginPass(await readHour(client));
      const found = await check(client);
      differences.push(...(found ?? []));
      pass = found === null ? { hours, check } : continuePass(hours);
      isOver = pass === null;
      spentMs += now() - begunAt;
    });
  return differences;
}

const beginPass = (newest: number): Pass => ({
  hours: Array.from({ length: HOURS - 1 }, (_, n) => newest - (n + 1) * HOUR_MS),
  check: checkHour(newest),
});

function continuePass([hour, ...hours]: number[]): Pass | null {
  return hour === undefined ? null : { hours, check: checkHour(hour) };
}

const checkHour = (hour: number): EarningsCheck =>
  checkEarnings({ from: new Date(hour).toISOString(), to: new Date(hour + HOUR_MS).toISOString() });

async function readHour(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ hour: Date }>("SELECT date_trunc('hour', clock_timestamp()) AS hour");
  return rows[0]?.hour.getTime() ?? now();
}
