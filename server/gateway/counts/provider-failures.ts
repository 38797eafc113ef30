import { HOUR_MS, now } from '../../base/clock';
import { pool } from '../../base/db';
import { randomBase62 } from '../../base/ids';
import { createTally, hourOf } from './tally';

/**
 * Provider failures, and the cooldowns of this process. They are counted in memory and written periodically,
 * so that every page can show them.
 */
export type ProviderTrouble = { provider: string; kind: string; status: number };

/** A provider in cooldown after several consecutive failures. */
export type Cooldown = { provider: string; failures: number; cooldownUntilMs: number };

const tally = createTally<ProviderTrouble & { hour: number }>();
/** Identifies this process among those that share the database. */
const instance = randomBase62(10);

export function countProviderFailure({ provider, kind, status }: ProviderTrouble): void {
  tally.add({ hour: hourOf(now()), provider, kind, status });
}

export function writeProviderFailures(): Promise<void> {
  return tally.flush(async (counted) => {
    await pool().query(
      `INSERT INTO provider_failure_hour AS f (hour, provider, kind, status, count, last_at)
       SELECT to_timestamp(hour / 1000), provider, kind, status, count, $2
       FROM json_to_recordset($1::json) AS c (hour float8, provider text, kind text, status integer, count bigint)
       ON CONFLICT (hour, provider, kind, status) DO UPDATE SET
         count = f.count + excluded.count, last_at = greatest(f.last_at, excluded.last_at)`,
      [JSON.stringify(counted), new Date(now())],
    );
  });
}

/** Replaces this process's previous rows. Rows of stopped processes expire by age. */
export async function writeCooldowns(cooldowns: readonly Cooldown[]): Promise<void> {
  await pool().query(
    `WITH said AS (
       SELECT * FROM json_to_recordset($2::json) AS r (provider text, failures integer, "cooldownUntilMs" float8)
     ), over AS (
       DELETE FROM provider_cooldown WHERE instance = $1 AND provider NOT IN (SELECT provider FROM said)
     )
     INSERT INTO provider_cooldown (instance, provider, failures, cooldown_until, seen_at)
     SELECT $1, provider, failures, to_timestamp("cooldownUntilMs" / 1000), $3 FROM said
     ON CONFLICT (instance, provider) DO UPDATE SET
       failures = excluded.failures, cooldown_until = excluded.cooldown_until, seen_at = excluded.seen_at`,
    [instance, JSON.stringify(cooldowns), new Date(now())],
  );
}

export async function forgetOldFailures(keepMs: number): Promise<void> {
  await pool().query('DELETE FROM provider_failure_hour WHERE hour < $1', [
    new Date(now() - keepMs - HOUR_MS),
  ]);
  await pool().query('DELETE FROM provider_cooldown WHERE seen_at < $1', [new Date(now() - HOUR_MS)]);
}
